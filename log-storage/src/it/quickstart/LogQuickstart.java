import io.tidemark.log.Log;
import java.nio.file.Files;
import java.time.Duration;

public class LogQuickstart {
    public static void main(String[] args) throws Exception {
        try (var log = Log.open(Files.createTempDirectory("log"))) {
            log.append("customer-7".getBytes(), "two pears".getBytes());
            log.append("three plums".getBytes());
            log.flush();
            for (var record : log.read(0, 100)) {
                System.out.println(record.offset() + " " + new String(record.value()));
            }
            try (var tail = log.tail(log.logEndOffset())) {
                new Thread(() -> log.append("four figs".getBytes())).start();
                tail.next(Duration.ofSeconds(60)).ifPresent(record -> System.out.println(new String(record.value())));
            }
        }
    }
}

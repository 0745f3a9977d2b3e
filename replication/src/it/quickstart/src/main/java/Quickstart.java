import io.tidemark.broker.Broker;
import io.tidemark.broker.BrokerConfig;
import io.tidemark.client.Client;
import java.nio.file.Files;
import java.time.Duration;

public class Quickstart {
    public static void main(String[] args) throws Exception {
        var config = BrokerConfig.builder()
                .brokerId(1)
                .dataDirectory(Files.createTempDirectory("tidemark"))
                .coordination("local:")
                .build();
        try (var broker = Broker.start(config);
                var client = Client.connect(broker.address())) {
            client.admin().createTopic("orders", 1, 1);
            try (var producer = client.producer();
                    var consumer = client.consumer()) {
                producer.send("orders", "customer-7".getBytes(), "two pears".getBytes()).join();
                consumer.assign("orders");
                consumer.seekToBeginning();
                for (var record : consumer.poll(Duration.ofSeconds(5))) {
                    System.out.println(record.offset() + " " + new String(record.value()));
                }
            }
        }
    }
}

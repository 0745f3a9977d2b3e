package io.tidemark.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.tools.system.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.tools.DumpLogSegments;

/** Kafka's own dump tool, in a process of its own since it prints to the standard streams and may end the process. */
final class KafkaDump {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private KafkaDump() {}

    /** Lets the tool read segments, and check each entry of their indexes against them; it must not complain. */
    static void assertReadable(List<Path> segments) throws IOException {
        Path output = Files.createTempFile("kafka-dump", ".txt");
        try {
            String files = segments.stream()
                    .flatMap(segment -> Stream.of(".log", ".index", ".timeindex")
                            .map(suffix -> segment.toString().replace(".log", suffix)))
                    .collect(Collectors.joining(","));
            ChildProcess tool = ChildProcess.start(new ChildProcess.Command(
                    "DumpLogSegments",
                    DumpLogSegments.class,
                    List.of("-Xmx256m"),
                    List.of("--deep-iteration", "--verify-index-only", "--files", files),
                    output));
            assertTrue(tool.awaitEnd(TIMEOUT), tool::tail);
            String text = Files.readString(output);
            for (String complaint : List.of(
                    "Exception",
                    "Mismatches",
                    "out of order",
                    "Found timestamp mismatch",
                    "trailing garbage",
                    "corrupt")) {
                assertEquals(-1, text.indexOf(complaint), complaint + ": " + tool.tail());
            }
            assertTrue(text.contains("isvalid: true"), tool::tail);
        } finally {
            Files.delete(output);
        }
    }
}

package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Small closed folders that were written once and are kept: by this library, and by Kafka. Every later version has to
 * read them. Beside each stands what was read in it then. They are made anew, by a version that changes the format on
 * purpose, with {@code -Dtest=GoldenFolderTest -Dtidemark.golden=write}.
 */
class GoldenFolderTest {
    private static final Path GOLDEN = Path.of("src", "test", "resources", "golden");
    private static final boolean WRITING = "write".equals(System.getProperty("tidemark.golden"));
    private static final LogConfig SMALL = LogConfig.builder()
            .segmentBytes(2500)
            .batchBytesMax(2000)
            .indexIntervalBytes(300)
            .build();
    private static final int ROUNDS = 3;

    @TempDir
    Path folder;

    private static List<String> described(Log log) {
        final List<String> lines = new ArrayList<>(KafkaLogs.lines(log));
        for (int epoch = 0; epoch <= 3; epoch++) {
            lines.add("epoch " + epoch + " ends " + log.endOffsetForEpoch(epoch));
        }
        for (long time = 1_699_999_980_000L; time < 1_700_000_070_000L; time += 4_500) {
            lines.add("time " + time + " found " + log.offsetForTimestamp(time));
        }
        return lines;
    }

    private static void writeOurs(Path store, Compression... codecs) {
        try (Log log = Log.open(store, SMALL)) {
            int number = 0;
            for (final UnsafeBuffer batch : AllKinds.ours(ROUNDS, codecs)) {
                log.append(batch, 0, batch.capacity(), number++ / 8);
            }
        }
    }

    private void writeKafkas(Path store) throws Exception {
        final Path partition = store.resolve("log-0");
        Files.createDirectories(partition);
        try (KafkaLogs kafka = new KafkaLogs()) {
            final UnifiedLog log = kafka.open(partition, true, "index.interval.bytes", "300");
            int number = 0;
            for (final MemoryRecords batch : AllKinds.kafkas(ROUNDS, 0)) {
                KafkaLogs.append(log, batch, number++ / 8);
                if (number == 10) {
                    log.roll();
                }
            }
            log.close();
        }
        Files.writeString(partition.resolve("partition.metadata"), "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ");
    }

    private static void keep(Path store, String name) throws IOException {
        final Path target = GOLDEN.resolve(name);
        Files.createDirectories(target);
        try (Stream<Path> old = Files.list(target)) {
            for (final Path file : old.toList()) {
                Files.delete(file);
            }
        }
        KafkaLogs.copyFiles(store.resolve("log-0"), target);
        try (Stream<Path> snapshots = Files.list(target)) {
            for (final Path file :
                    snapshots.filter(f -> f.toString().endsWith(".snapshot")).toList()) {
                Files.delete(file);
            }
        }
        try (Stream<Path> indexes = Files.list(target)) {
            for (final Path file :
                    indexes.filter(f -> f.toString().endsWith("index")).toList()) {
                Files.write(file, withoutPadding(Files.readAllBytes(file)));
            }
        }
        try (Log log = Log.open(store, SMALL)) {
            Files.write(target.resolve("expected.txt"), described(log));
        }
    }

    /** Kafka leaves the indexes of its active segment preallocated: megabytes of zeros that nobody need keep. */
    private static byte[] withoutPadding(byte[] bytes) {
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] == 0) {
            end--;
        }
        return Arrays.copyOf(bytes, (end + 23) / 24 * 24);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tidemark-1", "tidemark-1-plain", "kafka-4.4.0"})
    void shouldReadWhatWasWrittenOnce(String name) throws Exception {
        if (WRITING) {
            final Path store = folder.resolve("new");
            if (name.startsWith("kafka")) {
                writeKafkas(store);
            } else if (name.endsWith("plain")) {
                writeOurs(store, Compression.NONE, Compression.NONE, Compression.NONE);
            } else {
                writeOurs(store, Compression.values());
            }
            keep(store, name);
        }
        final Path store = folder.resolve("copy");
        KafkaLogs.copyFiles(GOLDEN.resolve(name), store.resolve("log-0"));
        // A folder without a data folder's files was not stopped by us: it is recovered, then opened as clean.
        for (int i = 0; i < 2; i++) {
            try (Log log = Log.open(store, SMALL)) {
                assertEquals(Files.readAllLines(GOLDEN.resolve(name).resolve("expected.txt")), described(log));
            }
        }
    }

    // What is written today is what was written once, to the byte, as far as no library compresses it.
    @Test
    void shouldStillWriteTheSameBytes() throws IOException {
        writeOurs(folder, Compression.NONE, Compression.NONE, Compression.NONE);
        final Path golden = GOLDEN.resolve("tidemark-1-plain");
        int compared = 0;
        try (Stream<Path> files = Files.list(folder.resolve("log-0"))) {
            for (final Path file : files.sorted().toList()) {
                final String name = file.getFileName().toString();
                if (name.startsWith("0") || name.startsWith("leader-epoch")) {
                    assertArrayEquals(Files.readAllBytes(golden.resolve(name)), Files.readAllBytes(file), name);
                    compared++;
                }
            }
        }
        assertFalse(compared < 9, "compared " + compared);
    }
}

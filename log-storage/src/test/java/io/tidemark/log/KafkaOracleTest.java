package io.tidemark.log;

import static io.tidemark.log.TestBatches.append;
import static io.tidemark.log.TestBatches.records;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.FileLogInputStream;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.server.util.KafkaScheduler;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kafka's own classes, which nobody here wrote, read our folders, and we read theirs. */
class KafkaOracleTest {
    private static final LogConfig ONE_MEBIBYTE = LogConfig.builder()
            .segmentBytes(1 << 20)
            .indexIntervalBytes(4096)
            .batchBytesMax(1 << 20)
            .build();

    @TempDir
    Path folder;

    private final KafkaScheduler scheduler = new KafkaScheduler(1);

    @BeforeEach
    void startScheduler() {
        scheduler.startup();
    }

    @AfterEach
    void stopScheduler() throws InterruptedException {
        scheduler.shutdown();
    }

    // Closed folder, several segments and epochs: Kafka's light and whole readers agree with us.
    @Test
    void shouldLetKafkaReadAClosedFolder() throws Exception {
        final List<String> expected;
        try (Log log = Log.open(folder, ONE_MEBIBYTE)) {
            for (int i = 0; i < 30_000; i++) {
                append(log, i / 10_000, "value-" + i, "v".repeat(i % 50));
            }
            log.maintain();
            expected = records(log, 0);
        }
        assertKafkaReads(expected);
    }

    // After truncations into closed and active segments, with appends in between and a lease outstanding meanwhile.
    @Test
    void shouldLetKafkaReadAFolderAfterTruncations() throws Exception {
        final List<String> expected;
        final LogSlice lease = new LogSlice();
        try (Log log = Log.open(folder, ONE_MEBIBYTE)) {
            fill(log, 0, 20_000);
            log.read(19_990, 1000, Long.MAX_VALUE, lease);
            log.truncateTo(19_995);
            fill(log, 1, 5_000);
            log.truncateTo(9_000);
            fill(log, 2, 10);
            log.truncateTo(9_005);
            lease.close();
            log.maintain();
            fill(log, 3, 15_000);
            expected = records(log, 0);
            assertEquals(24_005, expected.size());
        }
        assertKafkaReads(expected);
    }

    // A log that was emptied and begins elsewhere.
    @Test
    void shouldLetKafkaReadAFolderThatStartsAtAnotherOffset() throws Exception {
        final List<String> expected;
        try (Log log = Log.open(folder, ONE_MEBIBYTE)) {
            fill(log, 0, 100);
            log.truncateFullyAndStartAt(5_000_000_000L);
            fill(log, 1, 100);
            expected = records(log, 5_000_000_000L);
        }
        assertKafkaReads(expected);
    }

    private static void fill(Log log, int epoch, int count) {
        for (int i = 0; i < count; i++) {
            append(log, epoch, "filling-" + epoch + "-" + i + "-" + "x".repeat(40));
        }
    }

    private void assertKafkaReads(List<String> expected) throws Exception {
        final Path partition = folder.resolve("log-0");
        assertEquals(expected, readLightly(partition));
        final Path copy = folder.resolve("copy").resolve("log-0");
        copy(partition, copy);
        final UnifiedLog log = openWithKafka(copy, expected.size(), true);
        try {
            final List<String> lines = new ArrayList<>();
            long next = log.logStartOffset();
            while (next < log.logEndOffset()) {
                for (final var batch : log.read(next, 1 << 20, FetchIsolation.LOG_END, true)
                        .records
                        .batches()) {
                    for (final Record record : batch) {
                        if (record.offset() >= next) {
                            lines.add(line(record, batch.partitionLeaderEpoch()));
                        }
                    }
                    next = batch.nextOffset();
                }
            }
            assertEquals(expected, lines);
            final int lastEpoch =
                    Integer.parseInt(expected.get(expected.size() - 1).replaceAll(".*@(\\d+)=.*", "$1"));
            assertEquals(Optional.of(lastEpoch), log.latestEpoch());
        } finally {
            log.close();
        }
    }

    private static List<String> readLightly(Path partition) throws IOException {
        final List<String> lines = new ArrayList<>();
        try (Stream<Path> files = Files.list(partition)) {
            for (final Path file :
                    files.filter(f -> f.toString().endsWith(".log")).sorted().toList()) {
                try (FileRecords open = FileRecords.open(file.toFile(), false)) {
                    long bytes = 0;
                    for (final FileLogInputStream.FileChannelRecordBatch batch : open.batches()) {
                        batch.ensureValid();
                        bytes += batch.sizeInBytes();
                        for (final Record record : batch) {
                            lines.add(line(record, batch.partitionLeaderEpoch()));
                        }
                    }
                    assertEquals(Files.size(file), bytes, file.toString());
                }
            }
        }
        return lines;
    }

    private static String line(Record record, int epoch) {
        final ByteBuffer value = record.value();
        return record.offset() + "@" + epoch + "=" + StandardCharsets.UTF_8.decode(value);
    }

    private UnifiedLog openWithKafka(Path partition, long recoveryPoint, boolean clean) throws Exception {
        final Properties properties = new Properties();
        properties.put("segment.bytes", "1048576");
        properties.put("index.interval.bytes", "4096");
        return UnifiedLog.create(
                partition.toFile(),
                new org.apache.kafka.storage.internals.log.LogConfig(properties),
                0L,
                recoveryPoint,
                scheduler,
                new BrokerTopicStats(),
                Time.SYSTEM,
                300_000,
                new ProducerStateManagerConfig(86_400_000, false),
                600_000,
                new LogDirFailureChannel(4),
                clean,
                Optional.empty());
    }

    static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (final Path file : files.toList()) {
                if (Files.isRegularFile(file)) {
                    Files.copy(file, to.resolve(file.getFileName()));
                }
            }
        }
    }

    // The other way round: a folder that Kafka wrote and closed.
    @Test
    void shouldReadAFolderThatKafkaWrote() throws Exception {
        final Path partition = folder.resolve("log-0");
        Files.createDirectories(partition);
        final List<String> expected = new ArrayList<>();
        final UnifiedLog kafka = openWithKafka(partition, 0, true);
        final byte[] key = "key".getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 20_000; i++) {
            final String first = "first-" + i + "-" + "y".repeat(30);
            kafka.appendAsLeader(
                    MemoryRecords.withRecords(
                            Compression.NONE,
                            new SimpleRecord(i, key, first.getBytes(StandardCharsets.UTF_8)),
                            new SimpleRecord(i + 1L, null, "second".getBytes(StandardCharsets.UTF_8))),
                    i / 7_000);
            expected.add(2L * i + "@" + i / 7_000 + "=" + first);
            expected.add(2L * i + 1 + "@" + i / 7_000 + "=second");
        }
        kafka.close();
        Files.writeString(partition.resolve("partition.metadata"), "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ");
        try (Log log = Log.open(folder, ONE_MEBIBYTE)) {
            assertEquals(expected, records(log, 0));
            assertEquals(new EpochEnd(1, 28_000), log.endOffsetForEpoch(1));
            append(log, 5, "ours");
            expected.add("40000@5=ours");
        }
        try (Log log = Log.open(folder, ONE_MEBIBYTE)) {
            assertFalse(log.recoveryReport().scanned());
            assertEquals(expected, records(log, 0));
        }
        assertKafkaReads(expected);
    }
}

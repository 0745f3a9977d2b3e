package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.storage.internals.log.OffsetIndex;
import org.apache.kafka.storage.internals.log.TimeIndex;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders with all kinds of batches go from us to Kafka's log and back, with both indexes and epochs. */
class KafkaFolderTest {
    private static final LogConfig CONFIG = LogConfig.builder()
            .segmentBytes(150_000)
            .batchBytesMax(100_000)
            .indexIntervalBytes(4096)
            .build();
    private static final int ROUNDS = 60;

    @TempDir
    Path folder;

    private final KafkaLogs kafka = new KafkaLogs();

    @AfterEach
    void stopKafka() {
        kafka.close();
    }

    private static void appendAll(Log log, int epoch) {
        for (final UnsafeBuffer batch : AllKinds.ours(ROUNDS)) {
            log.append(batch, 0, batch.capacity(), epoch);
        }
    }

    private static List<Path> files(Path partition, String suffix) throws IOException {
        try (Stream<Path> files = Files.list(partition)) {
            return files.filter(f -> f.toString().endsWith(suffix)).sorted().toList();
        }
    }

    // All codecs, headers, transactions, three epochs, after truncations into the middle of segments: Kafka opens the
    // closed folder as clean, and finds the same records and the same offsets by time.
    @Test
    void shouldLetKafkaReadEveryKindOfBatch() throws Exception {
        final LogConfig small = LogConfig.builder()
                .segmentBytes(50_000)
                .batchBytesMax(40_000)
                .indexIntervalBytes(512)
                .build();
        final List<String> expected;
        final List<Long> byTime = new ArrayList<>();
        try (Log log = Log.open(folder, small)) {
            appendAll(log, 0);
            log.truncateTo(600);
            appendAll(log, 1);
            log.truncateTo(1300);
            log.maintain();
            appendAll(log, 4);
            expected = KafkaLogs.lines(log);
            for (int i = 0; i < 300; i++) {
                byTime.add(log.offsetForTimestamp(1_700_000_000_000L + i * 9_000L));
            }
        }
        assertTrue(files(folder.resolve("log-0"), ".log").size() > 2);
        final Path copy = folder.resolve("copy").resolve("log-0");
        KafkaLogs.copyFiles(folder.resolve("log-0"), copy);
        final UnifiedLog log = kafka.open(copy, true);
        try {
            assertEquals(expected, KafkaLogs.lines(log));
            assertEquals(Optional.of(4), log.latestEpoch());
            final List<Long> kafkas = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                kafkas.add(log.fetchOffsetByTimestamp(1_700_000_000_000L + i * 9_000L, Optional.empty())
                        .timestampAndOffsetOpt()
                        .map(found -> found.offset)
                        .orElse(Log.NO_OFFSET));
            }
            assertEquals(byTime, kafkas);
            assertTrue(byTime.contains(Log.NO_OFFSET) && byTime.contains(0L));
        } finally {
            log.close();
        }
    }

    // Kafka's indexes over our batches are ours, byte for byte: it builds them anew when they are missing.
    @Test
    void shouldWriteTheIndexesThatKafkaBuilds() throws Exception {
        try (Log log = Log.open(folder, CONFIG)) {
            for (int i = 0; i < 6; i++) {
                appendAll(log, i);
            }
        }
        final Path ours = folder.resolve("log-0");
        final Path copy = folder.resolve("copy").resolve("log-0");
        KafkaLogs.copyFiles(ours, copy);
        for (final String suffix : List.of(".index", ".timeindex")) {
            for (final Path file : files(copy, suffix)) {
                Files.delete(file);
            }
        }
        kafka.open(copy, false).close();
        assertTrue(files(ours, ".log").size() > 1);
        for (final String suffix : List.of(".index", ".timeindex")) {
            final List<Path> expected = files(copy, suffix);
            final List<Path> actual = files(ours, suffix);
            assertEquals(expected.size(), actual.size());
            for (int i = 0; i < actual.size(); i++) {
                final byte[] bytes = Files.readAllBytes(actual.get(i));
                final byte[] theirs = Files.readAllBytes(expected.get(i));
                // The index of a segment that Kafka goes on with is preallocated.
                final int length = i == actual.size() - 1 ? bytes.length : theirs.length;
                assertArrayEquals(
                        Arrays.copyOf(theirs, length), bytes, actual.get(i).toString());
            }
        }
        for (final Path file : files(ours, ".timeindex")) {
            final long base = Long.parseLong(file.getFileName().toString().substring(0, 20));
            try (TimeIndex times = new TimeIndex(file.toFile(), base, 1 << 20, false);
                    OffsetIndex offsets = new OffsetIndex(
                            Path.of(file.toString().replace(".timeindex", ".index"))
                                    .toFile(),
                            base,
                            1 << 20,
                            false)) {
                times.sanityCheck();
                offsets.sanityCheck();
            }
        }
    }

    // What Kafka wrote, with the time of the producer and of the append: records, offsets by time, and appending to it.
    @Test
    void shouldReadEveryKindOfBatchThatKafkaWrote() throws Exception {
        for (final String type : List.of("CreateTime", "LogAppendTime")) {
            final Path store = folder.resolve(type);
            final Path partition = store.resolve("log-0");
            Files.createDirectories(partition);
            final UnifiedLog theirs = kafka.open(partition, true, "message.timestamp.type", type);
            final List<String> expected;
            final List<Long> times = new ArrayList<>();
            final List<Long> byTime = new ArrayList<>();
            try {
                for (int epoch = 0; epoch < 3; epoch++) {
                    for (final MemoryRecords batch : AllKinds.kafkas(ROUNDS, epoch * ROUNDS)) {
                        KafkaLogs.append(theirs, batch, epoch);
                    }
                }
                expected = KafkaLogs.lines(theirs);
                for (final String line : expected) {
                    times.add(Long.parseLong(line.replaceAll(".* time=(\\d+).*", "$1")) + times.size() % 3 - 1);
                }
                for (int i = 0; i < times.size(); i += 41) {
                    byTime.add(theirs.fetchOffsetByTimestamp(times.get(i), Optional.empty())
                            .timestampAndOffsetOpt()
                            .map(found -> found.offset)
                            .orElse(Log.NO_OFFSET));
                }
            } finally {
                theirs.close();
            }
            Files.writeString(partition.resolve("partition.metadata"), "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ");
            try (Log log = Log.open(store, CONFIG)) {
                assertEquals(expected, KafkaLogs.lines(log));
                assertEquals(2, log.latestEpoch());
                final List<Long> found = new ArrayList<>();
                for (int i = 0; i < times.size(); i += 41) {
                    found.add(log.offsetForTimestamp(times.get(i)));
                }
                assertEquals(byTime, found, type);
                appendAll(log, 3);
            }
            try (Log log = Log.open(store, CONFIG)) {
                assertFalse(log.recoveryReport().scanned());
                assertEquals(expected.size() + 17L * ROUNDS, log.logEndOffset());
            }
            final UnifiedLog again = kafka.open(partition, true, "message.timestamp.type", type);
            try {
                assertEquals(expected, KafkaLogs.lines(again).subList(0, expected.size()));
                assertEquals(expected.size() + 17L * ROUNDS, again.logEndOffset());
            } finally {
                again.close();
            }
        }
    }
}

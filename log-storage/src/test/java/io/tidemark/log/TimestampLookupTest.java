package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Looking for offsets by time, beside a plain list of timestamps; before and after restarts and truncations. */
class TimestampLookupTest {
    private static final LogConfig SMALL = LogConfig.builder()
            .segmentBytes(1024)
            .batchBytesMax(1024)
            .indexIntervalBytes(1)
            .build();

    @TempDir
    Path folder;

    /** One batch whose records have these timestamps. */
    static BatchBuilder timed(Compression compression, int valueBytes, long... timestamps) {
        final BatchBuilder builder =
                new BatchBuilder(61 + timestamps.length * (valueBytes + 64)).compression(compression);
        for (final long timestamp : timestamps) {
            builder.append(timestamp, null, "v".repeat(valueBytes).getBytes(StandardCharsets.UTF_8));
        }
        builder.build(-1, (short) -1, -1);
        return builder;
    }

    private static void append(Log log, long... timestamps) {
        final BatchBuilder batch = timed(Compression.NONE, 150, timestamps);
        log.append(batch.buffer(), 0, batch.length(), 0);
    }

    private static long first(List<Long> timestamps, long start, long asked) {
        for (int i = 0; i < timestamps.size(); i++) {
            if (timestamps.get(i) >= asked) {
                return start + i;
            }
        }
        return Log.NO_OFFSET;
    }

    private static void assertFound(Log log, Long... timestamps) {
        final List<Long> all = List.of(timestamps);
        for (long asked = -2; asked <= 25; asked++) {
            assertEquals(first(all, 0, asked), log.offsetForTimestamp(asked), "timestamp " + asked);
        }
        assertEquals(all.stream().max(Long::compare).orElse(-1L), log.maxTimestamp());
    }

    // ST-39, D-09: unordered timestamps over several segments with the greatest one in two of them; then a truncation
    // in
    // the middle; a clean restart and one after a kill; every time the same answers.
    @Test
    void shouldFindTheFirstRecordThatIsNotOlder() throws IOException {
        final Path live = folder.resolve("live");
        try (Log log = Log.open(live, SMALL)) {
            assertFound(log);
            for (final long timestamp : new long[] {10, 5, 20, 15, 20, 20, 7}) {
                append(log, timestamp, timestamp - 1);
            }
            assertTrue(countOf(live, ".log") >= 3);
            assertFound(log, 10L, 9L, 5L, 4L, 20L, 19L, 15L, 14L, 20L, 19L, 20L, 19L, 7L, 6L);
            log.truncateTo(9);
            assertFound(log, 10L, 9L, 5L, 4L, 20L, 19L, 15L, 14L);
            log.truncateTo(4);
            assertFound(log, 10L, 9L, 5L, 4L);
            append(log, 3, 12);
            log.maintain();
            assertFound(log, 10L, 9L, 5L, 4L, 3L, 12L);
            copy(live, folder.resolve("killed"));
        }
        for (final String which : List.of("live", "killed", "live")) {
            try (Log log = Log.open(folder.resolve(which), SMALL)) {
                assertEquals(which.equals("killed"), log.recoveryReport().scanned());
                assertFound(log, 10L, 9L, 5L, 4L, 3L, 12L);
            }
        }
    }

    // ST-39: the time index of a closed segment has no padding, grows in both columns and ends with the greatest pair.
    @Test
    void shouldLeaveTimeIndexesWithoutPadding() throws IOException {
        try (Log log = Log.open(folder, SMALL)) {
            for (int i = 0; i < 60; i++) {
                append(log, 100 + (i * 37) % 50);
            }
        }
        int files = 0;
        for (final Path file : files(folder, ".timeindex")) {
            final ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
            assertTrue(bytes.hasRemaining() && bytes.remaining() % 12 == 0, file.toString());
            long timestamp = -1;
            int offset = -1;
            while (bytes.hasRemaining()) {
                final long nextTimestamp = bytes.getLong();
                final int nextOffset = bytes.getInt();
                assertTrue(nextTimestamp > timestamp && nextOffset > offset, file.toString());
                timestamp = nextTimestamp;
                offset = nextOffset;
            }
            files++;
        }
        assertTrue(files >= 3);
    }

    // A batch is looked into, whatever its codec: the answer is a record, not the first of its batch.
    @ParameterizedTest
    @EnumSource(Compression.class)
    void shouldLookIntoBatches(Compression compression) {
        try (Log log = Log.open(folder, LogConfig.defaults())) {
            final BatchBuilder batch = timed(compression, 300, 50, 40, 70, 60, 90);
            assertEquals(
                    compression,
                    new RecordBatch().wrap(batch.buffer(), 0, batch.length()).compression());
            log.append(batch.buffer(), 0, batch.length(), 0);
            assertEquals(0, log.offsetForTimestamp(40));
            assertEquals(2, log.offsetForTimestamp(51));
            assertEquals(2, log.offsetForTimestamp(70));
            assertEquals(4, log.offsetForTimestamp(71));
            assertEquals(4, log.offsetForTimestamp(90));
            assertEquals(Log.NO_OFFSET, log.offsetForTimestamp(91));
        }
    }

    // With the time of the append all records of a batch have the same one.
    @Test
    void shouldFindBatchesByTheTimeOfTheirAppend() {
        final TestClock clock = new TestClock(1000);
        final LogConfig config =
                LogConfig.builder().timestampType(TimestampType.APPEND_TIME).build();
        try (LogStore store = clock.store(folder);
                Log log = store.openLog(new TopicPartition("log", 0), store.newId(), config)) {
            append(log, 5, 9_999_999, 6);
            clock.set(2000);
            append(log, 7, 8);
            assertEquals(0, log.offsetForTimestamp(0));
            assertEquals(0, log.offsetForTimestamp(1000));
            assertEquals(3, log.offsetForTimestamp(1001));
            assertEquals(3, log.offsetForTimestamp(2000));
            assertEquals(Log.NO_OFFSET, log.offsetForTimestamp(2001));
            assertEquals(2000, log.maxTimestamp());
        }
    }

    // Random logs with rolls, truncations, gaps in time and restarts of both kinds. The seed replays a run.
    @Test
    void shouldAnswerAsAListDoes() throws IOException {
        final long seed = Long.getLong("tidemark.seed", 39);
        System.err.println("seed=" + seed + "; replay: -Dtest=TimestampLookupTest -Dtidemark.seed=" + seed);
        final SplittableRandom random = new SplittableRandom(seed);
        for (int run = 0; run < 3; run++) {
            final LogConfig config = LogConfig.builder()
                    .segmentBytes(1024 + random.nextInt(3000))
                    .batchBytesMax(1024)
                    .indexIntervalBytes(1 + random.nextInt(600))
                    .indexBytes(24 + random.nextInt(200))
                    .build();
            walk(random, folder.resolve("run-" + run), config);
        }
    }

    private void walk(SplittableRandom random, Path root, LogConfig config) throws IOException {
        final List<Long> model = new ArrayList<>();
        final List<Integer> batches = new ArrayList<>();
        Path at = root.resolve("0");
        Log log = Log.open(at, config);
        for (int step = 0; step < 100; step++) {
            final int action = random.nextInt(100);
            if (action < 75) {
                final long[] timestamps = new long[1 + random.nextInt(3)];
                Arrays.setAll(timestamps, i -> random.nextInt(step(model.size())));
                append(log, timestamps);
                Arrays.stream(timestamps).forEach(model::add);
                batches.add(timestamps.length);
            } else if (action < 82) {
                log.maintain();
            } else if (action < 90) {
                int kept = model.size();
                for (int i = random.nextInt(5); i > 0 && !batches.isEmpty(); i--) {
                    kept -= batches.remove(batches.size() - 1);
                }
                log.truncateTo(kept);
                model.subList(kept, model.size()).clear();
            } else {
                final Path next = root.resolve(String.valueOf(step + 1));
                if (action < 95) {
                    copy(at, next);
                    at = next;
                }
                log.close();
                log = Log.open(at, config);
            }
            for (int i = 0; i < 6; i++) {
                final long asked = random.nextLong(400) - 5;
                assertEquals(first(model, 0, asked), log.offsetForTimestamp(asked), "step " + step + ", " + asked);
            }
            assertEquals(model.stream().max(Long::compare).orElse(-1L), log.maxTimestamp(), "step " + step);
        }
        log.close();
        assertFalse(log.isFailed());
    }

    private static int step(int records) {
        return 10 + records * 2;
    }

    static List<Path> files(Path store, String suffix) throws IOException {
        try (Stream<Path> files = Files.list(store.resolve("log-0"))) {
            return files.filter(f -> f.toString().endsWith(suffix)).sorted().toList();
        }
    }

    private static int countOf(Path store, String suffix) throws IOException {
        return files(store, suffix).size();
    }

    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (final Path file : files.toList()) {
                final Path target = to.resolve(from.relativize(file));
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target);
                }
            }
        }
    }
}

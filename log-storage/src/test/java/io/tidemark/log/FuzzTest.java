package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.tidemark.log.segment.OffsetIndex;
import io.tidemark.log.segment.TimeIndex;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Changed bytes under every reader: only the documented exceptions, and no more memory than the readers may take. More
 * and other runs: {@code -Dtest=FuzzTest -Dtidemark.seed=N -Dtidemark.fuzz.runs=N}.
 */
class FuzzTest {
    private static final long SEED = Long.getLong("tidemark.seed", 6);
    private static final int RUNS = Integer.getInteger("tidemark.fuzz.runs", 1);
    private static final long ALLOCATED_MAX = 160L << 20;
    private static final LogConfig SMALL = LogConfig.builder()
            .segmentBytes(2500)
            .batchBytesMax(2000)
            .indexIntervalBytes(300)
            .build();

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TempDir
    Path folder;

    private static SplittableRandom random() {
        System.err.println(
                "seed=" + SEED + "; replay: -Dtest=FuzzTest -Dtidemark.seed=" + SEED + " -Dtidemark.fuzz.runs=" + RUNS);
        return new SplittableRandom(SEED);
    }

    private void assertBounded(Runnable reading, String what) {
        final long thread = Thread.currentThread().getId();
        final long before = threads.getThreadAllocatedBytes(thread);
        reading.run();
        final long allocated = threads.getThreadAllocatedBytes(thread) - before;
        assertTrue(allocated <= ALLOCATED_MAX, what + " allocated " + allocated);
    }

    private static byte[] mutated(byte[] good, SplittableRandom random) {
        byte[] bad = good.clone();
        for (int i = random.nextInt(4); i >= 0 && bad.length > 0; i--) {
            final int at = random.nextInt(bad.length);
            switch (random.nextInt(6)) {
                case 0 -> bad[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> bad[at] = (byte) random.nextInt(256);
                case 2 -> Arrays.fill(bad, at, Math.min(bad.length, at + 4), (byte) (0x7f + random.nextInt(2) * 0x80));
                case 3 -> Arrays.fill(bad, at, Math.min(bad.length, at + random.nextInt(64)), (byte) 0);
                case 4 -> bad = Arrays.copyOf(bad, random.nextInt(bad.length + 1));
                default -> bad = Arrays.copyOf(bad, bad.length + random.nextInt(64));
            }
        }
        return bad;
    }

    // Batches of every kind with a checksum that is right again: views, cursors, and a log that takes what is good.
    @Test
    void shouldMeetHostileBatchesWithItsOwnException() {
        final SplittableRandom random = random();
        final List<UnsafeBuffer> good = AllKinds.ours(1);
        final RecordBatch view = new RecordBatch();
        int accepted = 0;
        int refused = 0;
        try (Log log = Log.open(folder, LogConfig.defaults())) {
            for (int run = 0; run < 3000 * RUNS; run++) {
                final byte[] bad = mutated(good.get(random.nextInt(good.size())).byteArray(), random);
                final UnsafeBuffer buffer = new UnsafeBuffer(bad);
                if (bad.length > 61) {
                    if (random.nextInt(4) > 0) {
                        buffer.putInt(8, bad.length - 12, ByteOrder.BIG_ENDIAN);
                    }
                    final CRC32C crc = new CRC32C();
                    crc.update(bad, 21, bad.length - 21);
                    buffer.putInt(17, (int) crc.getValue(), ByteOrder.BIG_ENDIAN);
                }
                assertBounded(() -> walk(view, buffer), "seed=" + SEED + ", run=" + run);
                final long end = log.logEndOffset();
                try {
                    log.append(buffer, 0, bad.length, 0);
                    accepted++;
                } catch (final InvalidBatchException e) {
                    refused++;
                    assertEquals(end, log.logEndOffset());
                }
            }
            // What a leader took, everybody can read.
            final int[] batches = {0};
            log.forEachBatch(0, Long.MAX_VALUE, batch -> {
                batch.ensureValid();
                final RecordCursor records = batch.records();
                int count = 0;
                while (records.next()) {
                    count++;
                }
                assertEquals(batch.recordCount(), count);
                batches[0]++;
            });
            assertEquals(accepted, batches[0]);
        }
        assertTrue(accepted > 10 && refused > 500, "accepted=" + accepted + ", refused=" + refused);
    }

    private static void walk(RecordBatch view, UnsafeBuffer buffer) {
        try {
            final RecordCursor records = view.wrap(buffer, 0, buffer.capacity()).records();
            while (records.next()) {
                records.key();
                records.value();
                final HeaderCursor headers = records.headers();
                while (headers.next()) {
                    headers.key();
                    headers.value();
                }
            }
        } catch (final InvalidBatchException e) {
            assertTrue(String.valueOf(e.getMessage()).contains("="), String.valueOf(e.getMessage()));
        }
    }

    // The decoders of index files: an index that can be searched, or none; never an exception.
    @Test
    void shouldDecodeIndexFilesOrRefuseThem() {
        final SplittableRandom random = random();
        final OffsetIndex offsets = new OffsetIndex(4096);
        final TimeIndex times = new TimeIndex(4096);
        for (int i = 0; i < 40; i++) {
            offsets.append(i * 7, i * 300);
            times.add(1000L + i, i * 7L);
            times.addEntry();
        }
        final byte[] goodOffsets = bytes(offsets.encode(20_000));
        final byte[] goodTimes = bytes(times.encode());
        int refused = 0;
        for (int run = 0; run < 5000 * RUNS; run++) {
            final ByteBuffer badOffsets = ByteBuffer.wrap(mutated(goodOffsets, random));
            final ByteBuffer badTimes = ByteBuffer.wrap(mutated(goodTimes, random));
            final OffsetIndex index = OffsetIndex.decode(badOffsets, 20_000, 4096);
            if (index != null) {
                for (int i = 0; i < 300; i += 50) {
                    final long entry = index.floor(i);
                    assertTrue(entry == OffsetIndex.NO_ENTRY || OffsetIndex.relativeOffset(entry) <= i);
                }
            } else {
                refused++;
            }
            final TimeIndex byTime = TimeIndex.decode(badTimes, 1039, 4096);
            if (byTime != null) {
                assertEquals(1039, byTime.maxTimestamp());
                byTime.floorBelow(random.nextLong());
            } else {
                refused++;
            }
        }
        assertTrue(refused > 1000, "refused=" + refused);
    }

    private static byte[] bytes(ByteBuffer buffer) {
        final byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    // Any file of a closed data folder: batches, indexes, summaries, epochs, identity, marker, checkpoints. The log
    // opens or says why not; whatever is then read is right or refused.
    @Test
    void shouldMeetHostileFoldersWithItsOwnExceptions() throws IOException {
        final SplittableRandom random = random();
        final Path good = folder.resolve("good");
        final List<String> records;
        try (Log log = Log.open(good, SMALL)) {
            int number = 0;
            for (final UnsafeBuffer batch : AllKinds.ours(3)) {
                log.append(batch, 0, batch.capacity(), number++ / 8);
            }
            records = KafkaLogs.lines(log);
        }
        final List<Path> files;
        try (Stream<Path> walk = Files.walk(good)) {
            files = walk.filter(Files::isRegularFile)
                    .filter(file -> !file.endsWith(".lock"))
                    .sorted()
                    .toList();
        }
        int opened = 0;
        for (int run = 0; run < 80 * RUNS; run++) {
            final Path copy = folder.resolve("run-" + run);
            TimestampLookupTest.copy(good, copy);
            final Path target = copy.resolve(good.relativize(files.get(random.nextInt(files.size()))));
            Files.write(target, mutated(Files.readAllBytes(target), random));
            final String what = "seed=" + SEED + ", run=" + run + ", file=" + target;
            final List<String> lines = new ArrayList<>();
            assertBounded(() -> lines.addAll(opened(copy, what)), what);
            opened += lines.isEmpty() ? 0 : 1;
            if (!target.toString().endsWith(".log") && !lines.isEmpty()) {
                assertEquals(records, lines, what);
            }
        }
        assertTrue(opened > 10 * RUNS, "opened=" + opened);
    }

    private static List<String> opened(Path store, String what) {
        try (Log log = Log.open(store, SMALL)) {
            for (int epoch = -1; epoch < 5; epoch++) {
                log.endOffsetForEpoch(epoch);
            }
            log.offsetForTimestamp(1_700_000_020_000L);
            return KafkaLogs.lines(log);
        } catch (final StorageException | InvalidBatchException e) {
            assertTrue(String.valueOf(e.getMessage()).contains("="), what + ": " + e.getMessage());
            return List.of();
        }
    }
}

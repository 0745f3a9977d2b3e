package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Readers, the maintenance and the owner at once. */
class LogConcurrencyTest {
    private static final LogConfig SMALL = LogConfig.builder()
            .segmentBytes(8192)
            .batchBytesMax(2048)
            .indexIntervalBytes(300)
            .build();
    private static final int READERS = 3;

    @TempDir
    Path folder;

    private final AtomicBoolean isStopped = new AtomicBoolean();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicLong reads = new AtomicLong();

    private Thread start(Runnable body) {
        final Thread thread = new Thread(() -> {
            try {
                while (!isStopped.get()) {
                    body.run();
                }
            } catch (final Throwable e) {
                failure.compareAndSet(null, e);
                isStopped.set(true);
            }
        });
        thread.start();
        return thread;
    }

    // ST-30, ST-17: no batch is torn, none is at or above the limit, and no offset within the log is out of range,
    // whatever rolls and truncations happen meanwhile. Each epoch ends with a truncation, and values name their epoch.
    @Test
    void shouldNeverShowTornOrDeadBatchesToReaders() throws InterruptedException {
        final long seed = 20261201;
        System.err.println("seed=" + seed + "; replay: -Dtest=LogConcurrencyTest");
        try (LogStore store =
                LogStore.open(folder, LogStoreConfig.builder().mappingsMax(2).build())) {
            final Log log = store.openLog(new TopicPartition("t", 0), new java.util.UUID(1, 1), SMALL);
            final List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                final SplittableRandom random = new SplittableRandom(seed + i);
                final LogSlice slice = new LogSlice();
                threads.add(start(() -> readOnce(log, random, slice)));
            }
            threads.add(start(store::maintain));
            final SplittableRandom random = new SplittableRandom(seed);
            int epoch = 0;
            for (int i = 0; i < 20_000 && !isStopped.get(); i++) {
                TestBatches.append(log, epoch, "e" + epoch, "e" + epoch + "z".repeat(random.nextInt(100)));
                if (random.nextInt(400) == 0) {
                    final int back = random.nextInt(4) == 0 ? 1500 : 100;
                    log.truncateTo(Math.max(0, log.logEndOffset() - random.nextInt(back)));
                    epoch++;
                }
            }
            while (reads.get() < 1000 && !isStopped.get()) {
                Thread.onSpinWait();
            }
            isStopped.set(true);
            for (final Thread thread : threads) {
                thread.join();
            }
        }
        assertNull(failure.get(), () -> "seed=" + seed + ": " + failure.get());
        assertTrue(reads.get() >= 1000);
    }

    private void readOnce(Log log, SplittableRandom random, LogSlice slice) {
        final long end = log.logEndOffset();
        final long from = random.nextBoolean() ? Math.max(0, end - 1) : random.nextLong(end + 1);
        final long limit = Math.min(end, from + random.nextInt(50));
        try {
            if (log.read(from, random.nextInt(4000), limit, slice)) {
                assertTrue(slice.nextOffset() <= limit);
                for (final String line : TestBatches.records(slice)) {
                    final String epoch = line.substring(line.indexOf('@') + 1, line.indexOf('='));
                    final String value = line.substring(line.indexOf('=') + 2).replace("z", "");
                    assertEquals(epoch, value);
                }
                reads.incrementAndGet();
            }
        } catch (final OffsetOutOfRangeException e) {
            // Allowed only when a truncation has taken the offset away meanwhile.
            assertTrue(e.logEndOffset() < from, e::getMessage);
        } finally {
            slice.close();
        }
    }

    // ST-18, ST-19, D-12: nothing is left after close, without the garbage collector.
    @Test
    void shouldGiveBackDescriptorsAndMappings() throws IOException {
        final Path directory = folder.resolve("resources");
        final long descriptors = descriptors(directory);
        for (int cycle = 0; cycle < 5; cycle++) {
            final LogSlice slice = new LogSlice();
            final Log log = Log.open(directory, SMALL);
            for (int i = 0; i < 500; i++) {
                TestBatches.append(log, cycle, "value-" + i);
            }
            assertTrue(log.read(0, 100, Long.MAX_VALUE, slice));
            log.maintain();
            log.truncateTo(log.logEndOffset() - 250);
            TestBatches.records(log, 0);
            log.close();
            log.close();
            assertTrue(mappings(directory) >= 1);
            slice.close();
            slice.close();
            assertEquals(0, mappings(directory));
            assertEquals(descriptors, descriptors(directory));
        }
    }

    // The number of mappings is bounded, whatever the number of segments.
    @Test
    void shouldBoundTheNumberOfMappings() throws IOException {
        final Path directory = folder.resolve("bounded");
        final LogStoreConfig config = LogStoreConfig.builder().mappingsMax(3).build();
        try (LogStore store = LogStore.open(directory, config)) {
            final Log log = store.openLog(new TopicPartition("t", 0), new java.util.UUID(1, 1), SMALL);
            for (int i = 0; i < 2000; i++) {
                TestBatches.append(log, 0, "value-" + i);
                store.maintain();
            }
            assertEquals(2000, TestBatches.records(log, 0).size());
            assertTrue(mappings(directory) <= 4, () -> "mappings above the limit");
            assertTrue(descriptors(directory) <= 4);
        }
    }

    private static long mappings(Path directory) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains(directory.toString())).count();
        }
    }

    private static long descriptors(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.filter(file -> linksTo(file, directory)).count();
        }
    }

    private static boolean linksTo(Path link, Path directory) {
        try {
            return Files.readSymbolicLink(link).startsWith(directory);
        } catch (final IOException e) {
            return false;
        }
    }
}

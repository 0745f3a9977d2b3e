package io.tidemark.log;

import static io.tidemark.log.TestBatches.append;
import static io.tidemark.log.TestBatches.batch;
import static io.tidemark.log.TestBatches.records;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.io.FaultyFileSystem;
import io.tidemark.log.io.FaultyFileSystem.Call;
import io.tidemark.log.io.NoSpaceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** When batches are on the disk, by either of the two ways to write them, and what happens when they cannot be. */
class DurabilityTest {
    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);
    private static final UUID TOPIC = new UUID(4, 2);

    @TempDir
    Path folder;

    private final TestTime time = new TestTime();
    private FaultyFileSystem fileSystem = new FaultyFileSystem();

    private LogStore open(Path directory) {
        return LogStore.open(directory, LogStoreConfig.defaults(), fileSystem, time.epochClock(), time.nanoClock());
    }

    private static LogConfig.Builder small(LogDurability durability) {
        return LogConfig.builder()
                .segmentBytes(4096)
                .batchBytesMax(2048)
                .indexIntervalBytes(200)
                .durability(durability);
    }

    private static List<String> lines(int from, int to) {
        final List<String> lines = new ArrayList<>();
        for (int i = from; i < to; i++) {
            lines.add(i + "@0=" + value(i));
        }
        return lines;
    }

    private static String value(int i) {
        return "value-" + i + "-" + "x".repeat(100);
    }

    // Both ways give the same log: visible at once, found by every offset, over rolls, truncations and restarts.
    @ParameterizedTest
    @EnumSource
    void shouldGiveTheSameLogByEitherWay(LogDurability durability) {
        final LogConfig config = small(durability).build();
        try (LogStore store = open(folder)) {
            final Log log = store.openLog(ORDERS, TOPIC, config);
            for (int i = 0; i < 120; i++) {
                assertEquals(i, append(log, 0, value(i)));
                assertEquals(i + 1, log.logEndOffset());
                assertEquals(lines(i, i + 1), records(log, i));
                if (i % 7 == 0) {
                    store.maintain();
                }
            }
            assertEquals(100, log.truncateTo(100));
            for (int i = 100; i < 140; i++) {
                append(log, 0, value(i));
            }
            assertEquals(lines(0, 140), records(log, 0));
        }
        try (LogStore store = open(folder)) {
            final Log log = store.openLog(ORDERS, TOPIC, config);
            assertFalse(log.recoveryReport().scanned());
            assertEquals(lines(0, 140), records(log, 0));
            assertEquals(140, append(log, 0, value(140)));
            assertEquals(lines(0, 141), records(log, 0));
        }
    }

    // What is gathered has its offsets at once, is seen by nobody before it is written, and is written by one call for
    // each segment.
    @Test
    void shouldWriteGatheredBatchesByOneCall() {
        try (LogStore store = open(folder)) {
            final Log log =
                    store.openLog(ORDERS, TOPIC, small(LogDurability.FSYNCED).build());
            append(log, 0, value(0));
            log.holdAppends();
            fileSystem.failNth(Call.WRITE, 1, new IOException("written too early"));
            for (int i = 1; i < 20; i++) {
                assertEquals(i, append(log, 0, value(i)));
            }
            log.startEpoch(3);
            assertEquals(1, log.logEndOffset());
            assertEquals(lines(0, 1), records(log, 0));
            assertThrows(IllegalArgumentException.class, () -> log.flush(20));
            fileSystem.heal();
            fileSystem.failNth(Call.WRITE, 2, new IOException("written by more than one call"));
            log.releaseAppends();
            assertEquals(lines(0, 20), records(log, 0));
            assertEquals(new EpochEnd(0, 20), log.endOffsetForEpoch(2));
            fileSystem.heal();
            log.holdAppends();
            for (int i = 20; i < 60; i++) {
                final UnsafeBuffer next = batch(value(i));
                assertEquals(i, log.append(next, 0, next.capacity(), 3));
            }
            assertTrue(log.logEndOffset() > 20 && log.logEndOffset() < 60, "end=" + log.logEndOffset());
            log.releaseAppends();
            assertEquals(60, log.logEndOffset());
            assertEquals(60, records(log, 0).size());
        }
    }

    // A log that is held when it is truncated or closed loses nothing.
    @Test
    void shouldWriteWhatIsHeldBeforeAnythingElse() {
        final LogConfig config = small(LogDurability.FSYNCED).build();
        try (LogStore store = open(folder)) {
            final Log log = store.openLog(ORDERS, TOPIC, config);
            log.holdAppends();
            for (int i = 0; i < 10; i++) {
                append(log, 0, value(i));
            }
            assertEquals(7, log.truncateTo(7));
            log.holdAppends();
            append(log, 0, value(7));
        }
        try (LogStore store = open(folder)) {
            assertEquals(lines(0, 8), records(store.openLog(ORDERS, TOPIC, config), 0));
        }
    }

    // ST-07, D-05: after half a write nothing is taken any more, nothing of it is seen, and the next start has what was
    // good.
    @Test
    void shouldStopForGoodWhenAWriteFails() throws IOException {
        final LogConfig config = small(LogDurability.FSYNCED).build();
        for (final IOException failure : List.of(new IOException("injected"), new NoSpaceException("injected"))) {
            final Path directory = folder.resolve(failure.getClass().getSimpleName());
            fileSystem = new FaultyFileSystem();
            try (LogStore store = open(directory)) {
                final Log log = store.openLog(ORDERS, TOPIC, config);
                for (int i = 0; i < 4; i++) {
                    append(log, 0, value(i));
                }
                log.flush();
                fileSystem.failNth(Call.WRITE, 1, failure);
                assertThrows(StorageException.class, () -> append(log, 0, value(4)));
                for (int i = 5; i < 10; i++) {
                    final StorageException error = assertThrows(StorageException.class, () -> append(log, 0, "later"));
                    assertTrue(String.valueOf(error.getMessage()).contains("takes nothing more"), error.getMessage());
                }
                assertTrue(log.isFailed());
                assertThrows(StorageException.class, log::flush);
                assertThrows(StorageException.class, () -> log.truncateTo(1));
                assertThrows(StorageException.class, () -> log.deleteRecordsBefore(1));
                assertEquals(lines(0, 4), records(log, 0));
                assertEquals(4, log.logEndOffset());
                log.close();
                // In the same process, after a recovery, it goes on.
                final Log again = store.openLog(ORDERS, TOPIC, config);
                assertEquals(lines(0, 4), records(again, 0));
                assertEquals(4, append(again, 0, value(4)));
            }
            try (LogStore store = open(directory)) {
                assertFalse(store.wasCleanlyStopped());
                assertEquals(lines(0, 5), records(store.openLog(ORDERS, TOPIC, config), 0));
            }
        }
    }

    // ST-08: no force after a failed one counts for the same bytes; the next opening writes them anew before anything
    // is promised of them, in the same process or in the next one.
    @Test
    void shouldWriteAnewWhatAFailedForceMayHaveDropped() throws IOException {
        final LogConfig config = small(LogDurability.PAGE_CACHE).build();
        LogStore store = open(folder);
        Log log = store.openLog(ORDERS, TOPIC, config);
        for (int i = 0; i < 100; i++) {
            append(log, 0, value(i));
        }
        fileSystem.failNth(Call.FORCE, 1, new IOException("injected"));
        assertThrows(StorageException.class, log::flush);
        assertEquals(0, log.flushedOffset());
        store.maintain();
        final Path mark = folder.resolve(ORDERS.toString()).resolve("tidemark.failed");
        assertTrue(Files.exists(mark));
        store.abandon();
        final long written = fileSystem.writtenBytes();
        store = open(folder);
        log = store.openLog(ORDERS, TOPIC, config);
        assertTrue(
                fileSystem.writtenBytes() - written >= log.sizeBytes(),
                "written=" + (fileSystem.writtenBytes() - written));
        assertFalse(Files.exists(mark));
        assertEquals(lines(0, 100), records(log, 0));
        log.flush();
        final Path image = folder.resolveSibling(folder.getFileName() + "-image");
        fileSystem.writeDurableImage(folder, image);
        store.close();
        try (LogStore after = open(image)) {
            assertEquals(lines(0, 100), records(after.openLog(ORDERS, TOPIC, config), 0));
        }
    }

    // Maintenance forces by number of records and by time; neither is asked of an idle log.
    @Test
    void shouldForceByRecordsAndByTime() {
        final LogConfig config = small(LogDurability.PAGE_CACHE)
                .segmentBytes(1 << 20)
                .flushRecords(10)
                .flushInterval(Duration.ofSeconds(3))
                .build();
        try (LogStore store = open(folder)) {
            final Log log = store.openLog(ORDERS, TOPIC, config);
            for (int i = 0; i < 9; i++) {
                append(log, 0, value(i));
            }
            store.maintain();
            assertEquals(0, log.flushedOffset());
            append(log, 0, value(9));
            store.maintain();
            assertEquals(10, log.flushedOffset());
            append(log, 0, value(10));
            store.maintain();
            time.pass(Duration.ofSeconds(2));
            store.maintain();
            assertEquals(10, log.flushedOffset());
            time.pass(Duration.ofSeconds(1));
            store.maintain();
            assertEquals(11, log.flushedOffset());
            fileSystem.failNth(Call.FORCE, 1, new IOException("what is forced was forced again"));
            log.flush(11);
            append(log, 0, value(11));
            assertThrows(StorageException.class, () -> log.flush(12));
        }
    }

    // Who waits while another one forces is served by that force or by one more, not by one each.
    @Test
    void shouldServeManyFlushesByFewForces() throws InterruptedException {
        try (LogStore store = open(folder)) {
            final Log log = store.openLog(
                    ORDERS,
                    TOPIC,
                    small(LogDurability.FSYNCED).segmentBytes(1 << 20).build());
            final long before = fileSystem.calls(Call.FORCE);
            for (int i = 0; i < 40; i++) {
                append(log, 0, value(i));
            }
            final CountDownLatch go = new CountDownLatch(1);
            final AtomicReference<Throwable> failure = new AtomicReference<>();
            final List<Thread> threads = new ArrayList<>();
            for (int i = 1; i <= 40; i++) {
                final long upTo = i;
                final Thread thread = new Thread(() -> {
                    try {
                        go.await();
                        log.flush(upTo);
                        assertTrue(log.flushedOffset() >= upTo);
                    } catch (final InterruptedException | RuntimeException | AssertionError e) {
                        failure.set(e);
                    }
                });
                thread.start();
                threads.add(thread);
            }
            go.countDown();
            for (final Thread thread : threads) {
                thread.join();
            }
            assertEquals(null, failure.get());
            // The log itself, and the folder's metadata at the first time.
            assertTrue(fileSystem.calls(Call.FORCE) - before <= 2, "forces=" + fileSystem.calls(Call.FORCE));
        }
    }

    // D-01, D-05: the gathering way, stopped at every step: what was forced is there, and what is there is a prefix.
    @Test
    void shouldRecoverGatheredBatchesFromACrashAtEveryStep() throws IOException {
        final LogConfig config = small(LogDurability.FSYNCED).build();
        for (int step = 1; ; step++) {
            final Path directory = folder.resolve("step-" + step);
            fileSystem = new FaultyFileSystem();
            fileSystem.crashAt(step);
            int appended = 0;
            int written = 0;
            int flushed = 0;
            try (LogStore store = open(directory)) {
                final Log log = store.openLog(ORDERS, TOPIC, config);
                while (appended < 36) {
                    log.holdAppends();
                    for (int i = 0; i < 6; i++) {
                        append(log, 0, value(appended));
                        appended++;
                    }
                    log.releaseAppends();
                    written = appended;
                    log.flush(written);
                    flushed = written;
                    store.maintain();
                }
            } catch (final StorageException e) {
                assertTrue(fileSystem.hasCrashed(), () -> "unexpected: " + e);
            }
            final boolean isDone = !fileSystem.hasCrashed();
            final Path image = folder.resolve("image-" + step);
            fileSystem.writeDurableImage(directory, image);
            for (final Path each : List.of(directory, image)) {
                fileSystem = new FaultyFileSystem();
                fileSystem.reboot(each == image ? "boot-2" : "boot-1");
                final int least = each == image ? flushed : written;
                try (LogStore store = open(each)) {
                    final Log log = store.openLog(ORDERS, TOPIC, config);
                    final int end = (int) log.logEndOffset();
                    assertTrue(end >= least && end <= appended, "step=" + step + ", end=" + end + ", least=" + least);
                    assertEquals(lines(0, end), records(log, 0), "step=" + step);
                    append(log, 0, value(end));
                    assertEquals(lines(0, end + 1), records(log, 0), "step=" + step);
                }
            }
            if (isDone) {
                assertTrue(step > 40, "steps=" + step);
                return;
            }
        }
    }

    // ST-09: a start on a full disk fails and leaves no marker of a clean stop; the one after it recovers everything.
    @Test
    void shouldNotStopCleanlyAfterAStartOnAFullDisk() throws IOException {
        final LogConfig config = small(LogDurability.PAGE_CACHE).build();
        final LogStore killed = open(folder);
        final Log log = killed.openLog(ORDERS, TOPIC, config);
        for (int i = 0; i < 60; i++) {
            append(log, 0, value(i));
        }
        killed.abandon();
        final NoSpaceException full = new NoSpaceException("injected");
        for (int n = 1; n < 6; n++) {
            fileSystem = new FaultyFileSystem();
            fileSystem.failNth(Call.WRITE, n, full);
            try (LogStore store = open(folder)) {
                fileSystem.failNth(Call.WRITE, 1, full);
                assertThrows(StorageException.class, () -> store.openLog(ORDERS, TOPIC, config));
            } catch (final StorageException e) {
                // The store may say so too, when it is opened or closed.
                assertTrue(String.valueOf(e.getMessage()).contains("folder="), e.getMessage());
            }
            assertFalse(Files.exists(folder.resolve("tidemark.clean-stop")));
        }
        fileSystem = new FaultyFileSystem();
        try (LogStore store = open(folder)) {
            assertFalse(store.wasCleanlyStopped());
            final Log recovered = store.openLog(ORDERS, TOPIC, config);
            assertTrue(recovered.recoveryReport().scanned());
            assertEquals(lines(0, 60), records(recovered, 0));
        }
    }
}

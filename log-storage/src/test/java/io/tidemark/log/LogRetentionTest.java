package io.tidemark.log;

import static io.tidemark.log.TestBatches.append;
import static io.tidemark.log.TestBatches.records;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.io.FaultyFileSystem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Old records go, by age, size and request; nothing else does. */
class LogRetentionTest {
    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);
    private static final UUID TOPIC = new UUID(4, 2);
    private static final Duration HOUR = Duration.ofHours(1);

    @TempDir
    Path folder;

    private final TestTime time = new TestTime();
    private FaultyFileSystem fileSystem = new FaultyFileSystem();
    private final AtomicLong highWatermark = new AtomicLong(Long.MAX_VALUE);

    private LogStore open(LogStoreConfig config) {
        return LogStore.open(folder, config, fileSystem, time.epochClock(), time.nanoClock());
    }

    private LogStore open() {
        return open(LogStoreConfig.builder().retentionInterval(Duration.ZERO).build());
    }

    private static LogConfig.Builder small() {
        return LogConfig.builder()
                .segmentBytes(1024)
                .batchBytesMax(1024)
                .indexIntervalBytes(128)
                .retentionAge(LogConfig.FOREVER);
    }

    private Log openLog(LogStore store, LogConfig config) {
        return store.openLog(ORDERS, TOPIC, config, highWatermark::get);
    }

    private List<String> files(String suffix) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve(ORDERS.toString()))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(suffix))
                    .sorted()
                    .toList();
        }
    }

    private static void appendMany(Log log, int count) {
        for (int i = 0; i < count; i++) {
            append(log, (int) (log.logEndOffset() / 20), "value-" + log.logEndOffset() + "-" + "x".repeat(100));
        }
    }

    // ST-26: the record of a quiet log is gone after the retention, on this side of a restart and on the other; its
    // offset is not used again.
    @Test
    void shouldDeleteTheLastRecordOfAQuietLog() throws IOException {
        final LogConfig config = small().retentionAge(Duration.ofMinutes(10)).build();
        for (final boolean isRestarted : new boolean[] {false, true}) {
            LogStore store = open();
            Log log = openLog(store, config);
            final long offset = append(log, 1, "a");
            store.maintain();
            log.giveUp();
            time.pass(Duration.ofMinutes(9));
            store.maintain();
            assertEquals(offset, log.logStartOffset());
            time.pass(HOUR);
            if (isRestarted) {
                store.close();
                store = open();
                log = openLog(store, config);
                assertEquals(offset, log.logStartOffset());
                time.pass(HOUR);
            }
            store.maintain();
            store.maintain();
            assertEquals(offset + 1, log.logStartOffset());
            assertEquals(offset + 1, log.logEndOffset());
            assertEquals(1, files(".log").size());
            final Log emptied = log;
            final OffsetOutOfRangeException error = assertThrows(
                    OffsetOutOfRangeException.class, () -> emptied.read(offset, 100, Long.MAX_VALUE, new LogSlice()));
            assertEquals(offset + 1, error.logStartOffset());
            assertEquals(offset + 1, append(log, 1, "b"));
            assertEquals(List.of(offset + 1 + "@1=b"), records(log, offset + 1));
            store.close();
            store = open();
            log = openLog(store, config);
            assertEquals(offset + 1, log.logStartOffset());
            log.truncateFullyAndStartAt(offset + 2);
            store.close();
        }
    }

    // An owner that is there does the roll itself, when it is told or with its next append.
    @Test
    void shouldLeaveTheRollToTheOwner() {
        final LogConfig config = small().retentionAge(Duration.ofMinutes(10)).build();
        try (LogStore store = open()) {
            final AtomicLong told = new AtomicLong();
            store.onOwnerWork(log -> told.incrementAndGet());
            final Log log = openLog(store, config);
            append(log, 0, "a");
            final Thread maintenance = new Thread(() -> {
                store.maintain();
                time.pass(HOUR);
                store.maintain();
            });
            run(maintenance);
            assertEquals(1, told.get());
            assertEquals(0, log.logStartOffset());
            assertTrue(log.hasOwnerWork());
            assertEquals(1, log.doOwnerWork());
            assertFalse(log.hasOwnerWork());
            store.maintain();
            assertEquals(1, log.logStartOffset());
        }
    }

    private static void run(Thread thread) {
        run(thread, true);
    }

    private static void run(Thread thread, boolean isNew) {
        if (isNew) {
            thread.start();
        }
        try {
            thread.join();
        } catch (final InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    // ST-23, D-10: no timestamp of a client and no jump of the wall clock makes a record older or younger than it is.
    @Test
    void shouldNotBelieveTimestampsOrJumpsOfTheWallClock() {
        final long nowMs = time.epochClock().time();
        final long[] timestamps = {
            nowMs * 1000, nowMs / 1000, 0, -1, Long.MAX_VALUE, nowMs + 86_400_000L, nowMs - 365 * 86_400_000L
        };
        final LogConfig config = small().retentionAge(HOUR).build();
        try (LogStore store = open()) {
            final Log log = openLog(store, config);
            for (int i = 0; i < 70; i++) {
                final BatchBuilder builder = new BatchBuilder(1000);
                builder.append(timestamps[i % timestamps.length], null, new byte[100]);
                log.append(builder.buffer(), 0, builder.build(-1, (short) -1, -1), 0);
            }
            store.maintain();
            time.pass(Duration.ofMinutes(59));
            for (final long days : new long[] {0, 3650, -7300, 3650}) {
                time.jump(Duration.ofDays(days).minus(Duration.ofHours(2)));
                store.maintain();
                assertEquals(0, log.logStartOffset());
            }
            time.pass(Duration.ofMinutes(2));
            store.maintain();
            store.maintain();
            assertEquals(70, log.logStartOffset());
            assertEquals(70, log.logEndOffset());
        }
    }

    // ST-22: no segment with an offset at or above the high watermark goes, and the excess goes when it has moved.
    @Test
    void shouldKeepWhatIsNotCommitted() {
        try (LogStore store = open()) {
            final Log log = openLog(store, small().retentionBytes(1024).build());
            appendMany(log, 100);
            highWatermark.set(-1);
            store.maintain();
            assertEquals(0, log.logStartOffset());
            highWatermark.set(40);
            store.maintain();
            final long start = log.logStartOffset();
            assertTrue(start > 30 && start <= 40, "start=" + start);
            assertThrows(OffsetOutOfRangeException.class, () -> log.deleteRecordsBefore(41));
            assertEquals(start, log.deleteRecordsBefore(start - 1));
            highWatermark.set(100);
            store.maintain();
            assertTrue(log.logStartOffset() > 85, "start=" + log.logStartOffset());
            assertTrue(log.sizeBytes() >= 1024 && log.sizeBytes() <= 2048, "size=" + log.sizeBytes());
        }
    }

    // A request deletes in the middle of a segment, survives a restart and a power failure, and is never undone.
    @Test
    void shouldBeginWhereRecordsWereDeletedAfterARestart() throws IOException {
        final LogStore store = open();
        final Log log = openLog(store, small().build());
        appendMany(log, 100);
        assertEquals(52, log.deleteRecordsBefore(52));
        assertEquals(52, log.logStartOffset());
        assertEquals(2, log.endOffsetForEpoch(2).epoch());
        assertEquals(new EpochEnd(Log.NO_EPOCH, 52), log.endOffsetForEpoch(1));
        assertThrows(OffsetOutOfRangeException.class, () -> log.read(51, 100, Long.MAX_VALUE, new LogSlice()));
        assertEquals(48, records(log, 52).size());
        store.maintain();
        final Path image = folder.resolveSibling(folder.getFileName() + "-image");
        fileSystem.writeDurableImage(folder, image);
        store.close();
        for (final Path each : List.of(folder, image)) {
            fileSystem = new FaultyFileSystem();
            fileSystem.reboot("boot-2");
            try (LogStore again =
                    LogStore.open(each, LogStoreConfig.defaults(), fileSystem, time.epochClock(), time.nanoClock())) {
                final Log reopened = openLog(again, small().build());
                assertEquals(52, reopened.logStartOffset());
                assertTrue(reopened.logEndOffset() >= 52);
                assertEquals(2, reopened.endOffsetForEpoch(2).epoch());
                assertTrue(records(reopened, 52).get(0).startsWith("52@2="));
                assertEquals(70, reopened.truncateTo(70));
                assertEquals(60, reopened.deleteRecordsBefore(60));
                assertEquals(30, reopened.truncateTo(30));
                assertEquals(30, reopened.logStartOffset());
            }
        }
        assertEquals(
                "0\n0\n",
                Files.readString(folder.resolve("log-start-offset-checkpoint"))
                        .replace("0\n1\norders 0 30\n", "0\n0\n"));
    }

    // ST-05: a log that lost everything behind its noted start is emptied there, with all that belongs to it.
    @Test
    void shouldEmptyALogThatEndsBeforeItsStart() throws IOException {
        try (LogStore store = open()) {
            final Log log = openLog(store, small().build());
            appendMany(log, 40);
            log.deleteRecordsBefore(40);
        }
        final Path only = folder.resolve(ORDERS.toString()).resolve("00000000000000000036.log");
        for (final String name : files(".log")) {
            Files.delete(folder.resolve(ORDERS.toString()).resolve(name));
        }
        Files.createFile(only);
        try (LogStore store = open()) {
            final Log log = openLog(store, small().build());
            assertEquals(40, log.logStartOffset());
            assertEquals(40, log.logEndOffset());
            assertEquals(Log.NO_EPOCH, log.latestEpoch());
            assertEquals(40, append(log, 5, "next"));
        }
    }

    // ST-36, D-02: what says where a log begins is believed with its checksum only.
    @Test
    void shouldNotBelieveADamagedLogStart() throws IOException {
        try (LogStore store = open()) {
            final Log log = openLog(store, small().build());
            appendMany(log, 40);
            log.deleteRecordsBefore(20);
        }
        final Path ours = folder.resolve("tidemark.log-starts");
        final String text = Files.readString(ours, StandardCharsets.UTF_8);
        assertTrue(text.contains("orders 0 20\n"), text);
        Files.writeString(ours, text.replace("0 20", "0 30"));
        Files.writeString(folder.resolve("log-start-offset-checkpoint"), "0\n1\norders 0 1000020\n");
        try (LogStore store = open()) {
            final Log log = openLog(store, small().build());
            assertTrue(log.logStartOffset() <= 20, "start=" + log.logStartOffset());
            assertEquals(40, log.logEndOffset());
            store.maintain();
            assertTrue(log.logStartOffset() <= 20, "start=" + log.logStartOffset());
        }
    }

    // ST-12: files that vanished behind our back do not stop the deletion of the others.
    @Test
    void shouldGoOnWhenFilesHaveVanished() throws IOException {
        try (LogStore store = open()) {
            final Log log = openLog(store, small().build());
            appendMany(log, 60);
            store.maintain();
            final List<String> names = files(".log");
            Files.delete(folder.resolve(ORDERS.toString()).resolve(names.get(0)));
            Files.delete(folder.resolve(ORDERS.toString()).resolve(names.get(1).replace(".log", ".index")));
            assertEquals(45, log.deleteRecordsBefore(45));
            store.maintain();
            assertFalse(log.isFailed());
            assertTrue(log.logStartOffset() == 45 && files(".log").size() < names.size());
            assertEquals(List.of(), files(".deleted"));
        }
    }

    // ST-40 (c), D-12: a reader that is left behind finishes its slice, and is told where the log begins now.
    @Test
    void shouldKeepLeasedBytesAndTellReadersTheNewStart() throws IOException {
        final LogSlice slice = new LogSlice();
        try (LogStore store = open()) {
            final Log log = openLog(store, small().build());
            appendMany(log, 60);
            assertTrue(log.read(3, 200, Long.MAX_VALUE, slice));
            log.deleteRecordsBefore(50);
            store.maintain();
            assertEquals(1, files(".deleted").size());
            assertEquals(3, slice.baseOffset());
            assertTrue(TestBatches.records(slice).get(0).startsWith("3@0=value-3-"));
            slice.close();
            store.maintain();
            assertEquals(List.of(), files(".deleted"));
            final OffsetOutOfRangeException error =
                    assertThrows(OffsetOutOfRangeException.class, () -> log.read(4, 100, Long.MAX_VALUE, slice));
            assertEquals(50, error.logStartOffset());
        }
    }

    // All logs of a folder together stay below the cap; the oldest records go, whichever log they are in.
    @Test
    void shouldKeepTheFolderBelowItsCap() {
        final LogStoreConfig config = LogStoreConfig.builder()
                .retentionInterval(Duration.ZERO)
                .bytesMax(10_000)
                .build();
        try (LogStore store = open(config)) {
            final Log old = openLog(store, small().build());
            appendMany(old, 60);
            store.maintain();
            time.pass(HOUR);
            final Log young = store.openLog(new TopicPartition("young", 0), TOPIC, small().build());
            appendMany(young, 20);
            store.maintain();
            store.maintain();
            assertTrue(store.sizeBytes() <= 10_000, "size=" + store.sizeBytes());
            assertTrue(old.logStartOffset() > 0);
            assertEquals(0, young.logStartOffset());
        }
    }

    // ST-10: a close while maintenance deletes always ends, cleanly, and the next start scans nothing.
    @Test
    void shouldCloseCleanlyWhileSegmentsAreDeleted() {
        final LogConfig config = small().retentionAge(Duration.ofMinutes(10)).build();
        for (int round = 0; round < 8; round++) {
            final LogStore store = open();
            for (int i = 0; i < 10; i++) {
                final Log log = store.openLog(new TopicPartition("busy", i), TOPIC, config);
                assertFalse(log.recoveryReport().scanned());
                appendMany(log, 20);
                log.giveUp();
            }
            store.maintain();
            time.pass(HOUR);
            final Thread maintenance = new Thread(() -> {
                for (int i = 0; i < 50; i++) {
                    store.maintain();
                }
            });
            maintenance.start();
            while (round % 2 == 0 && store.sizeBytes() > 20_000) {
                Thread.onSpinWait();
            }
            store.close();
            run(maintenance, false);
            assertTrue(Files.exists(folder.resolve("tidemark.clean-stop")), "round=" + round);
        }
    }

    // A slow log gets a new segment when its active one is old, so that age deletes it in time.
    @Test
    void shouldRollAnOldSegmentWithTheNextAppend() throws IOException {
        try (LogStore store = open()) {
            final Log log = openLog(store, small().segmentAge(HOUR).build());
            append(log, 0, "a");
            store.maintain();
            time.pass(Duration.ofMinutes(59));
            append(log, 0, "b");
            store.maintain();
            assertEquals(1, files(".log").size());
            time.pass(Duration.ofMinutes(2));
            store.maintain();
            append(log, 0, "c");
            assertEquals(List.of("00000000000000000000.log", "00000000000000000002.log"), files(".log"));
            assertEquals(List.of("0@0=a", "1@0=b", "2@0=c"), records(log, 0));
        }
    }

    // ST-32: a crash at any step of a deletion leaves one range that ends where the log ended, and a second look goes
    // on.
    @Test
    void shouldSurviveACrashAtEveryStepOfADeletion() throws IOException {
        for (int step = 1; ; step++) {
            final Path directory = folder.resolve("step-" + step);
            fileSystem = new FaultyFileSystem();
            boolean isDone = false;
            try (LogStore store = LogStore.open(
                    directory, LogStoreConfig.defaults(), fileSystem, time.epochClock(), time.nanoClock())) {
                final Log log = openLog(store, small().build());
                appendMany(log, 40);
                log.flush();
                store.maintain();
                fileSystem.crashAt(step);
                log.deleteRecordsBefore(33);
                isDone = !fileSystem.hasCrashed();
            } catch (final StorageException e) {
                assertTrue(fileSystem.hasCrashed(), () -> "unexpected: " + e);
            }
            final Path image = folder.resolve("image-" + step);
            fileSystem.writeDurableImage(directory, image);
            for (final Path each : List.of(directory, image)) {
                fileSystem = new FaultyFileSystem();
                fileSystem.reboot(each == image ? "boot-2" : "boot-1");
                try (LogStore store = LogStore.open(
                        each, LogStoreConfig.defaults(), fileSystem, time.epochClock(), time.nanoClock())) {
                    final Log log = openLog(store, small().build());
                    final long start = log.logStartOffset();
                    assertTrue(start == 0 || start == 33, "step=" + step + ", start=" + start);
                    assertEquals(40, log.logEndOffset());
                    assertEquals(40 - start, records(log, start).size());
                    assertEquals(33, log.deleteRecordsBefore(33));
                    assertEquals(7, records(log, 33).size());
                }
            }
            if (isDone) {
                assertTrue(step > 10, "steps=" + step);
                return;
            }
        }
    }
}

package io.tidemark.log;

import static io.tidemark.log.TestBatches.append;
import static io.tidemark.log.TestBatches.records;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.io.FaultyFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole logs go: at once by name, then their space, and nothing of another log with them. */
class LogDeletionTest {
    private static final UUID OLD = new UUID(1, 1);
    private static final UUID NEW = new UUID(2, 2);
    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);
    private static final LogConfig SMALL = LogConfig.builder()
            .segmentBytes(1024)
            .batchBytesMax(1024)
            .indexIntervalBytes(128)
            .build();

    @TempDir(factory = MemoryDisk.class)
    Path disk;

    private final TestTime time = new TestTime();

    private LogStore open(Path folder, FaultyFileSystem fileSystem) {
        return LogStore.open(
                folder,
                LogStoreConfig.builder().checkpointInterval(Duration.ZERO).build(),
                fileSystem,
                time.epochClock(),
                time.nanoClock());
    }

    private static List<String> folders(Path folder) throws IOException {
        try (Stream<Path> paths = Files.list(folder)) {
            return paths.filter(Files::isDirectory)
                    .map(path -> path.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    private static void fill(Log log, int count) {
        for (int i = 0; i < count; i++) {
            append(log, 1, "value-" + i + "-" + "x".repeat(100));
        }
    }

    // KAFKA-9265, CL-04's disk side: a reader finishes its slice, a new log of the name is another one, and the old
    // space
    // comes back with the last lease, not before.
    @Test
    void shouldKeepADeletedLogsBytesUntilTheLastLeaseIsClosed() throws IOException {
        try (LogStore store = open(disk, new FaultyFileSystem())) {
            final Log old = store.openLog(ORDERS, OLD, SMALL);
            fill(old, 30);
            store.maintain();
            store.checkpointHighWatermarks(Map.of(ORDERS, 20L));
            final LogSlice slice = new LogSlice();
            assertTrue(old.read(0, 100, Long.MAX_VALUE, slice));
            final long before = slice.buffer().getLong(slice.index());
            old.giveUp();

            assertTrue(store.delete(ORDERS, OLD));

            assertEquals(List.of(), store.existing());
            assertThrows(IllegalStateException.class, () -> append(old, 1, "late"));
            assertThrows(RuntimeException.class, () -> old.read(29, 100, Long.MAX_VALUE, new LogSlice()));
            final Log log = store.openLog(ORDERS, NEW, SMALL);
            assertEquals(0, log.logEndOffset());
            assertEquals(0, store.checkpointedHighWatermark(ORDERS));
            fill(log, 30);
            store.maintain();
            assertEquals(1, store.pendingRemovals());
            assertEquals(before, slice.buffer().getLong(slice.index()));
            slice.close();
            store.maintain();
            assertEquals(0, store.pendingRemovals());
            assertEquals(List.of("orders-0"), folders(disk));
            assertEquals(30, records(log, 0).size());
            log.giveUp();
        }
    }

    // KAFKA-5232, H10: a log is deleted by its topic id, not by its name, open or not.
    @Test
    void shouldDeleteOnlyTheLogOfTheTopicId() throws IOException {
        try (LogStore store = open(disk, new FaultyFileSystem())) {
            final Log log = store.openLog(ORDERS, NEW, SMALL);
            fill(log, 1);
            assertFalse(store.delete(ORDERS, OLD));
            assertEquals(2, append(log, 1, "more") + 1);
            log.close();
            assertFalse(store.delete(ORDERS, OLD));
            assertEquals(List.of(ORDERS), store.existing());
            assertTrue(store.delete(ORDERS, NEW));
            assertFalse(store.delete(ORDERS, NEW));
            assertEquals(List.of(), store.existing());
        }
    }

    // What nobody can account for is kept, out of the way, until it is known to be deleted.
    @Test
    void shouldSetAStrayAsideAndDeleteItByItsTopicIdLater() throws IOException {
        try (LogStore store = open(disk, new FaultyFileSystem())) {
            fill(store.openLog(ORDERS, OLD, SMALL), 3);
            assertTrue(store.setAside(ORDERS, OLD));
            assertFalse(store.setAside(ORDERS, OLD));
            assertEquals(List.of(), store.existing());
            assertEquals(0, store.deleteStrays(Set.of(NEW)));
            store.maintain();
            assertTrue(folders(disk).get(0).endsWith("-stray"), () -> "files: " + disk);
            assertEquals(1, store.deleteStrays(Set.of(NEW, OLD)));
            store.maintain();
            assertEquals(List.of(), folders(disk));
        }
    }

    // ST-28: names with dots, hyphens and endings of ours, and names of the greatest length, are deleted with a crash
    // of
    // the process or of the machine at each step, found again as what they are, and are gone in the end; a log of
    // almost
    // the same name is not touched.
    @Test
    void shouldDeleteLogsOfAnyNameThroughACrashAtEachStep() throws IOException {
        int points = 0;
        for (final String name : List.of("a.b", "a-1", "a-1.deadbeef-delete", "x--2", "n".repeat(249))) {
            final TopicPartition doomed = new TopicPartition(name, 3);
            final TopicPartition kept = new TopicPartition(name.substring(0, name.length() - 1) + "_", 3);
            for (long step = 1; deletedAt(doomed, kept, step); step++) {
                points++;
            }
        }
        assertTrue(points > 5 * 10, "points=" + points);
    }

    private boolean deletedAt(TopicPartition doomed, TopicPartition kept, long step) throws IOException {
        final Path folder = disk.resolve("at-" + doomed.hashCode() + "-" + step);
        final FaultyFileSystem fileSystem = new FaultyFileSystem(step);
        final LogStore store = open(folder, fileSystem);
        fill(store.openLog(doomed, OLD, SMALL), 20);
        final Log other = store.openLog(kept, OLD, SMALL);
        append(other, 1, "kept");
        other.flush();
        store.maintain();
        fileSystem.crashAt(step);
        try {
            assertTrue(store.delete(doomed, OLD));
            store.maintain();
        } catch (final StorageException e) {
            assertTrue(fileSystem.hasCrashed(), e::toString);
        }
        final boolean hasCrashed = fileSystem.hasCrashed();
        final Path image = disk.resolve("image-" + doomed.hashCode() + "-" + step);
        if (step % 2 == 0) {
            fileSystem.writePowerFailureImage(folder, image, step);
        } else {
            Folders.copy(folder, image);
        }
        final FaultyFileSystem next = new FaultyFileSystem(step);
        try (LogStore again = open(image, next)) {
            for (final TopicPartition found : again.existing()) {
                assertTrue(found.equals(doomed) || found.equals(kept), () -> "found=" + found);
                assertEquals(Optional.of(OLD), again.topicIdOf(found));
            }
            again.delete(doomed, OLD);
            again.maintain();
            assertEquals(0, again.pendingRemovals());
            final Log log = again.openLog(doomed, NEW, SMALL);
            assertEquals(0, log.logEndOffset());
            assertEquals(1, records(again.openLog(kept, OLD, SMALL), 0).size());
            final List<String> expected =
                    Stream.of(doomed.toString(), kept.toString()).sorted().toList();
            assertEquals(expected, folders(image));
        }
        return hasCrashed;
    }

    // CP-05, D-04: what was noted about the old log is not believed of the new one of its name, also after a crash.
    @Test
    void shouldNotBelieveTheOldLogsMarksAboutANewOne() throws IOException {
        final FaultyFileSystem fileSystem = new FaultyFileSystem();
        final LogStore store = open(disk, fileSystem);
        fill(store.openLog(ORDERS, OLD, SMALL), 30);
        store.maintain();
        store.maintain();
        store.checkpointHighWatermarks(Map.of(ORDERS, 30L));
        assertTrue(Files.readString(disk.resolve("recovery-point-offset-checkpoint"))
                .contains("orders 0 "));
        assertTrue(store.delete(ORDERS, OLD));
        store.openLog(ORDERS, NEW, SMALL);
        assertFalse(Files.readString(disk.resolve("recovery-point-offset-checkpoint"))
                .contains("orders 0 30"));
        assertFalse(
                Files.readString(disk.resolve("replication-offset-checkpoint")).contains("orders 0"));
        store.abandon();
        try (LogStore again = open(disk, new FaultyFileSystem())) {
            assertEquals(0, again.checkpointedHighWatermark(ORDERS));
        }
    }

    // CP-05: a hundred logs go while their files are dirty, and their names are used again before the space is back.
    @Test
    void shouldFreeTheSpaceOfDirtyLogsWhoseNamesAreUsedAgain() throws IOException {
        try (LogStore store = open(disk, new FaultyFileSystem())) {
            for (int i = 0; i < 100; i++) {
                fill(store.openLog(new TopicPartition("dirty", i), OLD, SMALL), 12);
            }
            for (int i = 0; i < 100; i++) {
                assertTrue(store.delete(new TopicPartition("dirty", i), OLD));
                append(store.openLog(new TopicPartition("dirty", i), NEW, SMALL), 1, "new");
            }
            assertEquals(100, store.pendingRemovals());
            int cycles = 0;
            while (store.pendingRemovals() > 0 && cycles++ < 100) {
                store.maintain();
            }
            assertEquals(100, folders(disk).size());
            for (int i = 0; i < 100; i++) {
                final TopicPartition name = new TopicPartition("dirty", i);
                assertEquals(Optional.of(NEW), store.topicIdOf(name));
                store.closeLog(name);
                assertEquals(List.of("0@1=new"), records(store.openLog(name, NEW, SMALL), 0));
            }
        }
    }

    // A folder that the disk refuses to delete takes space, is shown, is tried again, and fails nothing else.
    @Test
    void shouldTryAgainWhenAFolderCannotBeDeleted() throws IOException {
        final FaultyFileSystem fileSystem = new FaultyFileSystem();
        try (LogStore store = open(disk, fileSystem)) {
            fill(store.openLog(ORDERS, OLD, SMALL), 3);
            assertTrue(store.delete(ORDERS, OLD));
            fileSystem.failNth(FaultyFileSystem.Call.DELETE, 1, new IOException("injected"));
            store.maintain();
            store.maintain();
            assertEquals(1, store.pendingRemovals());
            time.pass(Duration.ofNanos(LogRemoval.RETRY_NS));
            store.maintain();
            assertEquals(0, store.pendingRemovals());
        }
        try (LogStore store = open(disk, new FaultyFileSystem())) {
            assertTrue(store.wasCleanlyStopped());
        }
    }
}

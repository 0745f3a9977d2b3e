package io.tidemark.log;

import static io.tidemark.log.TestBatches.append;
import static io.tidemark.log.TestBatches.records;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.io.FaultyFileSystem;
import io.tidemark.log.io.NoSpaceException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.stream.Stream;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One data folder: whose it is, how it was left, what it holds, and what it refuses. */
class LogStoreTest {
    private static final TopicPartition ORDERS = new TopicPartition("a.b-1", 7);
    private static final UUID TOPIC = new UUID(1, 2);

    @TempDir
    Path folder;

    private LogStore open(FaultyFileSystem fileSystem) {
        return LogStore.open(
                folder, LogStoreConfig.defaults(), fileSystem, SystemEpochClock.INSTANCE, SystemNanoClock.INSTANCE);
    }

    private LogStore open() {
        return LogStore.open(folder, LogStoreConfig.defaults());
    }

    // D-13: the folder says whose it is, and refuses others by name.
    @Test
    void shouldRefuseTheFolderOfAnotherBroker() throws IOException {
        final UUID directoryId;
        try (LogStore store = open()) {
            assertEquals(Optional.empty(), store.identity().clusterId());
            directoryId = store.identity().directoryId();
            store.bind("cluster-a", 3);
            assertThrows(IllegalArgumentException.class, () -> store.bind(" ", 3));
        }
        try (LogStore store = open()) {
            assertEquals(
                    new StorageIdentity(Optional.of("cluster-a"), OptionalInt.of(3), directoryId), store.identity());
            store.bind("cluster-a", 3);
            final StorageException other = assertThrows(StorageException.class, () -> store.bind("cluster-b", 3));
            assertTrue(String.valueOf(other.getMessage()).contains("cluster-a"), other.getMessage());
            assertTrue(String.valueOf(other.getMessage()).contains("cluster-b"), other.getMessage());
            assertThrows(StorageException.class, () -> store.bind("cluster-a", 4));
        }
        assertTrue(Files.readString(folder.resolve("meta.properties")).contains("node.id=3\n"));
    }

    // Two users of one folder would destroy it.
    @Test
    void shouldRefuseASecondStore() {
        try (LogStore store = open()) {
            final StorageException error = assertThrows(StorageException.class, this::open);
            assertTrue(String.valueOf(error.getMessage()).contains("in use"), error.getMessage());
            assertTrue(store.existing().isEmpty());
        }
        open().close();
    }

    // intactSince: a clean stop and a killed process keep it, a power failure does not.
    @Test
    void shouldTellSinceWhenNothingCanHaveBeenLost() throws IOException {
        final FaultyFileSystem first = new FaultyFileSystem();
        final LogStore killed = open(first);
        assertEquals(LogStore.NO_INCARNATION, killed.previousIncarnation());
        assertEquals(5, killed.beginIncarnation(5));
        assertThrows(IllegalArgumentException.class, () -> killed.beginIncarnation(5));
        copyTo(folder, folder.resolve("killed"));
        killed.close();
        try (LogStore store = open(new FaultyFileSystem())) {
            assertTrue(store.wasCleanlyStopped());
            assertEquals(5, store.beginIncarnation(6));
            assertEquals(5, store.intactSince());
        }
        final FaultyFileSystem rebooted = new FaultyFileSystem();
        rebooted.reboot("boot-2");
        try (LogStore store = open(rebooted)) {
            assertEquals(5, store.beginIncarnation(7));
        }
        final Path copy = folder.resolve("killed");
        final FaultyFileSystem again = new FaultyFileSystem();
        again.reboot("boot-2");
        try (LogStore store = LogStore.open(
                copy, LogStoreConfig.defaults(), again, SystemEpochClock.INSTANCE, SystemNanoClock.INSTANCE)) {
            assertFalse(store.wasCleanlyStopped());
            // A log is opened first: that must not hide what the machine lost.
            store.openLog(ORDERS, TOPIC, LogConfig.defaults());
            assertEquals(9, store.beginIncarnation(9));
            store.recordControllerEpoch(4);
            store.recordControllerEpoch(3);
            assertEquals(4, store.highestControllerEpoch());
        }
    }

    private static void copyTo(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (final Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    // Folders are found again under the right names; one of another topic id is moved aside and not mixed in.
    @Test
    void shouldMoveAsideTheFolderOfAnotherTopic() throws IOException {
        try (LogStore store = open()) {
            append(store.openLog(ORDERS, TOPIC, LogConfig.defaults()), 0, "first");
            assertThrows(IllegalStateException.class, () -> store.openLog(ORDERS, TOPIC, LogConfig.defaults()));
        }
        Files.createDirectories(folder.resolve("orders-0.abc-delete"));
        Files.createDirectories(folder.resolve("no-number-x"));
        try (LogStore store = open()) {
            assertEquals(List.of(ORDERS), store.existing());
            assertEquals(Optional.of(TOPIC), store.topicIdOf(ORDERS));
            final Log log = store.openLog(ORDERS, new UUID(3, 4), LogConfig.defaults());
            assertEquals(0, log.logEndOffset());
            assertEquals(List.of(ORDERS), store.existing());
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(1, files.filter(f -> f.toString().endsWith("-stray")).count());
        }
    }

    // RP-16: entries of partitions that were not opened yet are kept.
    @Test
    void shouldKeepCheckpointedHighWatermarksOfPartitionsNotOpened() {
        final TopicPartition other = new TopicPartition("other", 0);
        try (LogStore store = open()) {
            store.openLog(ORDERS, TOPIC, LogConfig.defaults());
            store.openLog(other, TOPIC, LogConfig.defaults());
            store.checkpointHighWatermarks(Map.of(ORDERS, 17L, other, 4L));
        }
        try (LogStore store = open()) {
            store.openLog(other, TOPIC, LogConfig.defaults());
            store.checkpointHighWatermarks(Map.of(other, 5L));
        }
        try (LogStore store = open()) {
            assertEquals(17, store.checkpointedHighWatermark(ORDERS));
            assertEquals(5, store.checkpointedHighWatermark(other));
            assertEquals(0, store.checkpointedHighWatermark(new TopicPartition("none", 0)));
        }
    }

    // A clean stop must not vouch for a log that was left unclean by an earlier run and never opened since.
    @Test
    void shouldRecoverALogThatACleanRunNeverOpened() throws IOException {
        final Path killed = folder.resolve("killed");
        try (LogStore store = open()) {
            append(store.openLog(ORDERS, TOPIC, LogConfig.defaults()), 0, "kept");
            copyTo(folder, killed);
            copyTo(folder.resolve(ORDERS.toString()), killed.resolve(ORDERS.toString()));
        }
        try (LogStore store = LogStore.open(killed, LogStoreConfig.defaults())) {
            store.beginIncarnation(1);
        }
        try (LogStore store = LogStore.open(killed, LogStoreConfig.defaults())) {
            assertTrue(store.wasCleanlyStopped());
            final Log log = store.openLog(ORDERS, TOPIC, LogConfig.defaults());
            assertTrue(log.recoveryReport().scanned());
            assertEquals(List.of("0@0=kept"), records(log, 0));
        }
    }

    // D-05, ST-08: after a failed force the log takes nothing more, and the stop is not clean.
    @Test
    void shouldFailALogForGoodWhenAForceFails() {
        final FaultyFileSystem fileSystem = new FaultyFileSystem();
        try (LogStore store = open(fileSystem)) {
            final LogConfig small = LogConfig.builder().segmentBytes(1 << 20).build();
            final Log log = store.openLog(ORDERS, TOPIC, small);
            final Log other = store.openLog(new TopicPartition("other", 0), TOPIC, small);
            append(log, 0, "a");
            append(other, 0, "a");
            fileSystem.failNth(FaultyFileSystem.Call.FORCE, 1, new IOException("Input/output error"));
            assertThrows(StorageException.class, log::flush);
            assertTrue(log.isFailed());
            assertThrows(StorageException.class, log::flush);
            assertThrows(StorageException.class, () -> append(log, 0, "b"));
            assertEquals(0, log.flushedOffset());
            append(other, 0, "b");
            other.flush();
            assertEquals(2, other.flushedOffset());
        }
        try (LogStore store = open(new FaultyFileSystem())) {
            assertFalse(store.wasCleanlyStopped());
        }
    }

    // ST-16: a full disk is met by the preallocation, refuses the append, and passes.
    @Test
    void shouldGoOnAfterTheDiskWasFull() {
        final FaultyFileSystem fileSystem = new FaultyFileSystem();
        try (LogStore store = open(fileSystem)) {
            final Log log = store.openLog(
                    ORDERS, TOPIC, LogConfig.builder().segmentBytes(1 << 20).build());
            fileSystem.failNth(FaultyFileSystem.Call.WRITE, 1, new NoSpaceException("No space left on device"));
            assertThrows(DiskFullException.class, () -> append(log, 0, "a"));
            assertFalse(log.isFailed());
            assertEquals(0, append(log, 0, "a"));
            assertEquals(List.of("0@0=a"), records(log, 0));
        }
    }

    // An idle partition takes less than 100 KiB of the disk.
    @Test
    void shouldUseLittleDiskForAnIdlePartition() throws Exception {
        try (LogStore store = open()) {
            append(store.openLog(ORDERS, TOPIC, LogConfig.defaults()), 0, "a");
            store.maintain();
            store.maintain();
            final Process process = new ProcessBuilder(
                            "du", "-sk", folder.resolve(ORDERS.toString()).toString())
                    .start();
            final String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(Integer.parseInt(text.substring(0, text.indexOf('\t'))) < 100, text);
        }
    }

    // Bad settings and names are all named at once.
    @Test
    void shouldNameEveryBadSetting() {
        final IllegalArgumentException error = assertThrows(
                IllegalArgumentException.class,
                () -> LogConfig.builder()
                        .segmentBytes(1)
                        .indexIntervalBytes(0)
                        .indexBytes(-1)
                        .extentBytes(65_537)
                        .build());
        for (final String name : List.of("segmentBytes", "indexIntervalBytes", "indexBytes", "extentBytes")) {
            assertTrue(String.valueOf(error.getMessage()).contains(name), error.getMessage());
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> LogStoreConfig.builder().mappingsMax(0).build());
        for (final String topic : List.of("", ".", "..", "a/b", "ä", "a b", "x".repeat(250))) {
            assertThrows(IllegalArgumentException.class, () -> new TopicPartition(topic, 0), topic);
        }
        assertThrows(IllegalArgumentException.class, () -> new TopicPartition("a", -1));
    }

    // What cannot be a data folder is refused with its name.
    @Test
    void shouldRefuseAFileAsFolder() throws IOException {
        final Path file = folder.resolve("file");
        Files.writeString(file, "x");
        final StorageException error =
                assertThrows(StorageException.class, () -> LogStore.open(file, LogStoreConfig.defaults()));
        assertTrue(String.valueOf(error.getMessage()).contains(file.toString()), error.getMessage());
    }
}

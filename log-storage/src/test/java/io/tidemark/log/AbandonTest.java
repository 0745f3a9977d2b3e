package io.tidemark.log;

import static io.tidemark.log.TestBatches.append;
import static io.tidemark.log.TestBatches.records;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tidemark.log.io.FaultyFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A folder that is let go as the end of its process would do it. */
class AbandonTest {
    private static final TopicPartition NAME = new TopicPartition("orders", 0);
    private static final UUID TOPIC_ID = new UUID(1, 2);

    @TempDir
    Path folder;

    // Nothing was forced or marked, but the machine lives on: the records are there, and the stop was not a clean one.
    @Test
    void shouldFindTheRecordsAndNoCleanStopWhenTheFolderWasAbandoned() {
        LogStore abandoned = LogStore.open(folder, LogStoreConfig.defaults());
        abandoned.beginIncarnation(1);
        append(abandoned.openLog(NAME, TOPIC_ID, LogConfig.defaults()), 0, "a", "b");
        abandoned.abandon();
        abandoned.close();

        try (LogStore store = LogStore.open(folder, LogStoreConfig.defaults())) {
            assertFalse(store.wasCleanlyStopped());
            assertEquals(1, store.beginIncarnation(2));
            Log log = store.openLog(NAME, TOPIC_ID, LogConfig.defaults());
            assertEquals(List.of("0@0=a", "1@0=b"), records(log, 0));
        }
    }

    // A force fails, the process is killed and starts again on the same machine: what was not forced may be gone.
    @Test
    void shouldNotCountAsIntactWhenAForceFailedBeforeTheProcessWasKilled() {
        FaultyFileSystem disk = new FaultyFileSystem();
        disk.reboot("boot");
        LogStore failing = open(disk);
        failing.beginIncarnation(1);
        Log log = failing.openLog(NAME, TOPIC_ID, LogConfig.defaults());
        append(log, 0, "a");
        disk.failNth(FaultyFileSystem.Call.FORCE, 1, new IOException("Input/output error"));
        assertThrows(StorageException.class, () -> log.flush(1));
        failing.abandon();

        try (LogStore store = open(disk)) {
            assertEquals(2, store.beginIncarnation(2));
        }
        try (LogStore store = open(disk)) {
            assertEquals(2, store.beginIncarnation(3), "the loss was told once");
        }
    }

    // F05: a copy of the folder that was made some lives ago is brought back. It looks whole, and is not.
    @Test
    void shouldNotCountAsIntactWhenTheFolderMissedLives() {
        FaultyFileSystem disk = new FaultyFileSystem();
        disk.reboot("boot");
        try (LogStore store = open(disk)) {
            assertEquals(1, store.beginIncarnation(1));
        }
        try (LogStore store = open(disk)) {
            assertEquals(1, store.beginIncarnation(2));
        }
        try (LogStore store = open(disk)) {
            assertEquals(4, store.beginIncarnation(4), "the life 3 was lived on another copy");
        }
    }

    private LogStore open(FaultyFileSystem disk) {
        return LogStore.open(folder, LogStoreConfig.defaults(), disk, () -> 0, System::nanoTime);
    }
}

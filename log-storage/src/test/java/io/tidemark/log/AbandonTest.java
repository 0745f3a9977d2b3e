package io.tidemark.log;

import static io.tidemark.log.TestBatches.append;
import static io.tidemark.log.TestBatches.records;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

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
}

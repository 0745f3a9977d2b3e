package io.tidemark.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.conductor.MaintenanceAgent;
import io.tidemark.log.Log;
import io.tidemark.log.LogConfig;
import io.tidemark.log.LogStore;
import io.tidemark.log.LogStoreConfig;
import io.tidemark.log.TopicPartition;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a broker deletes of its logs. */
final class RetentionLimitTest {
    @TempDir
    Path folder = Path.of("");

    // ST-22: a broker whose partition has no role yet deletes nothing, and then nothing that is not committed.
    @Test
    void shouldDeleteOnlyBelowTheHighWatermarkThatTheLanePublished() {
        LogConfig config = LogConfig.builder()
                .segmentBytes(4096)
                .batchBytesMax(1024)
                .retentionBytes(0)
                .build();
        try (LogStore store = LogStore.open(
                folder,
                LogStoreConfig.builder().retentionInterval(Duration.ZERO).build())) {
            MaintenanceAgent agent = new MaintenanceAgent("maintenance", 1, store, config, SystemNanoClock.INSTANCE);
            CompletableFuture<LogHandle> opening =
                    agent.open(new TopicPartition("orders", 0), new UUID(1, 2)).toCompletableFuture();
            agent.doWork();
            LogHandle handle = opening.join();
            Log log = handle.log();
            for (int i = 0; i < 200; i++) {
                log.append(new byte[100]);
            }
            agent.doWork();
            assertEquals(0, log.logStartOffset());

            handle.gauge().publish(PartitionRole.LEADER, 0, 120, 200);
            agent.doWork();
            long start = log.logStartOffset();
            assertTrue(start > 80 && start <= 120, "start=" + start);

            handle.gauge().publish(PartitionRole.LEADER, 0, 200, 200);
            agent.doWork();
            assertTrue(log.logStartOffset() > 150, "start=" + log.logStartOffset());
            assertEquals(200, log.logEndOffset());
        }
    }
}

package io.tidemark.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tidemark.conductor.MaintenanceAgent;
import io.tidemark.controller.TopicConfig;
import io.tidemark.log.BatchBuilder;
import io.tidemark.log.Log;
import io.tidemark.log.LogConfig;
import io.tidemark.log.LogStore;
import io.tidemark.log.LogStoreConfig;
import io.tidemark.log.TopicPartition;
import io.tidemark.log.io.SystemFileSystem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The configuration of a topic takes effect on its open logs. */
class TopicRetentionTest {
    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);

    @TempDir
    Path folder;

    private final AtomicLong nowNs = new AtomicLong();

    // Retention is shortened, lifted and left to the broker again, without opening the log again.
    @Test
    void shouldKeepWhatTheTopicWantsToBeKept() {
        LogConfig config = LogConfig.builder()
                .segmentBytes(4096)
                .batchBytesMax(1024)
                .retentionAge(Duration.ofHours(1))
                .build();
        try (LogStore store = LogStore.open(
                folder,
                LogStoreConfig.builder().retentionInterval(Duration.ZERO).build(),
                new SystemFileSystem(),
                () -> 0,
                nowNs::get)) {
            MaintenanceAgent agent = new MaintenanceAgent("maintenance", 1, store, config, nowNs::get);
            agent.onStart();
            var opening = agent.open(ORDERS, new UUID(1, 2));
            agent.doWork();
            CompletableFuture<LogHandle> opened = opening.toCompletableFuture();
            Log log = opened.join().log();
            opened.join().gauge().publish(PartitionRole.LEADER, 0, Long.MAX_VALUE, 0);
            append(log);
            agent.configure(ORDERS, TopicConfig.DEFAULT.with(Map.of("retention.ms", "-1")));
            pass(agent, log, Duration.ofHours(3));
            assertEquals(0, log.logStartOffset());

            agent.configure(ORDERS, TopicConfig.DEFAULT);
            pass(agent, log, Duration.ofMinutes(1));
            assertEquals(1, log.logStartOffset());

            append(log);
            pass(agent, log, Duration.ofMinutes(30));
            assertEquals(1, log.logStartOffset());
            agent.configure(ORDERS, TopicConfig.DEFAULT.with(Map.of("retention.ms", "60000")));
            pass(agent, log, Duration.ofMinutes(1));
            assertEquals(2, log.logStartOffset());
        }
    }

    private void pass(MaintenanceAgent agent, Log log, Duration time) {
        log.giveUp();
        agent.doWork();
        nowNs.addAndGet(time.toNanos());
        agent.doWork();
        agent.doWork();
    }

    private static void append(Log log) {
        BatchBuilder builder = new BatchBuilder(1024);
        builder.append(1, null, "x".getBytes(StandardCharsets.UTF_8));
        int length = builder.build(-1, (short) -1, -1);
        log.append(builder.buffer(), 0, length, 1);
    }
}

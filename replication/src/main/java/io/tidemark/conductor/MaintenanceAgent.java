package io.tidemark.conductor;

import io.tidemark.controller.TopicConfig;
import io.tidemark.log.Log;
import io.tidemark.log.LogConfig;
import io.tidemark.log.LogStore;
import io.tidemark.log.TopicPartition;
import io.tidemark.partition.ProducerTable;
import io.tidemark.pipeline.LogHandle;
import io.tidemark.pipeline.PartitionGauge;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.NanoClock;

/**
 * Does the disk work that must not hold up anybody else: preallocation ahead of the writers, opening of logs with their
 * recovery, checkpoints, and what registration has to note in the folder.
 *
 * <p><b>Threading:</b> {@link #doWork}, {@link #checkpoint} and {@link #onClose} its own thread (or, after that has
 * ended, the one that closes the broker); the other methods any thread, they leave a command behind. The one agent
 * that may wait for a disk.
 */
public final class MaintenanceAgent implements Agent, BrokerFolder, RoleDriver.Logs, Strays.Folders {
    /** Time between two checkpoints of the high watermarks. */
    static final long CHECKPOINT_INTERVAL_NS = TimeUnit.SECONDS.toNanos(5);

    private static final int COMMANDS_PER_CYCLE = 16;

    private final String name;
    private final int brokerId;
    private final LogStore store;
    private final LogConfig logConfig;
    private final NanoClock nanoClock;
    private final ConductorQueue commands;
    /** Only this agent's thread. */
    private final Map<TopicPartition, PartitionGauge> gauges = new HashMap<>();

    private long nextCheckpointNs;
    private volatile Optional<String> clusterId;
    private volatile long controllerEpoch;
    private volatile long incarnation;

    /**
     * Makes the agent.
     *
     * @param name of the agent and its thread
     * @param brokerId this broker
     * @param store the open data folder; closed by who opened it, after this agent has ended
     * @param logConfig settings of the logs that it opens
     * @param nanoClock the time
     */
    public MaintenanceAgent(String name, int brokerId, LogStore store, LogConfig logConfig, NanoClock nanoClock) {
        this.name = name;
        this.brokerId = brokerId;
        this.store = store;
        this.logConfig = logConfig;
        this.nanoClock = nanoClock;
        this.commands = new ConductorQueue(name, ConductorQueue.CAPACITY);
        this.clusterId = store.identity().clusterId();
        this.controllerEpoch = store.highestControllerEpoch();
        this.incarnation = store.previousIncarnation();
    }

    /**
     * Sets how the agent is woken when a command was left.
     *
     * @param task may be run by any thread
     */
    public void wakeUp(Runnable task) {
        commands.wakeUp(task);
    }

    @Override
    public String roleName() {
        return name;
    }

    @Override
    public void onStart() {
        nextCheckpointNs = nanoClock.nanoTime() + CHECKPOINT_INTERVAL_NS;
    }

    @Override
    public int doWork() {
        int count = commands.drain(COMMANDS_PER_CYCLE);
        count += store.maintain();
        long nowNs = nanoClock.nanoTime();
        if (nextCheckpointNs - nowNs <= 0) {
            nextCheckpointNs = nowNs + CHECKPOINT_INTERVAL_NS;
            checkpoint();
            count++;
        }
        return count;
    }

    @Override
    public void onClose() {
        commands.close();
    }

    /** Notes the high watermarks on disk. They are hints: one that is behind costs nothing but time. */
    public void checkpoint() {
        Map<TopicPartition, Long> highWatermarks = new HashMap<>();
        gauges.forEach((partition, gauge) -> {
            long highWatermark = gauge.highWatermark();
            if (highWatermark >= 0) {
                highWatermarks.put(partition, highWatermark);
            }
        });
        if (!highWatermarks.isEmpty()) {
            store.checkpointHighWatermarks(highWatermarks);
        }
    }

    @Override
    public CompletionStage<LogHandle> open(TopicPartition topicPartition, UUID topicId) {
        return run(() -> {
            PartitionGauge gauge = new PartitionGauge();
            // Nothing at or above the high watermark is deleted, and nothing at all before there is one.
            Log log = store.openLog(topicPartition, topicId, logConfig, gauge::highWatermark);
            ProducerTable producers = new ProducerTable();
            log.forEachBatch(
                    log.logStartOffset(),
                    log.logEndOffset(),
                    batch -> producers.onBatch(
                            batch.producerId(),
                            batch.producerEpoch(),
                            batch.baseSequence(),
                            batch.recordCount(),
                            batch.baseOffset(),
                            batch.nextOffset()));
            gauges.put(topicPartition, gauge);
            return new LogHandle(log, producers, store.checkpointedHighWatermark(topicPartition), gauge);
        });
    }

    @Override
    public void configure(TopicPartition topicPartition, TopicConfig config) {
        long ageMs = config.retentionMs().orElse(TopicConfig.NO_LIMIT);
        long bytes = config.retentionBytes().orElse(TopicConfig.NO_LIMIT);
        Duration age = ageMs == TopicConfig.NO_LIMIT ? LogConfig.FOREVER : Duration.ofMillis(ageMs);
        store.changeRetention(
                topicPartition,
                config.retentionMs().isEmpty() ? logConfig.retentionAge() : age,
                config.retentionBytes().isEmpty()
                        ? logConfig.retentionBytes()
                        : bytes == TopicConfig.NO_LIMIT ? LogConfig.UNLIMITED : bytes);
    }

    @Override
    public CompletionStage<Boolean> delete(TopicPartition topicPartition, UUID topicId) {
        return run(() -> {
            gauges.remove(topicPartition);
            return store.delete(topicPartition, topicId);
        });
    }

    @Override
    public CompletionStage<Map<TopicPartition, UUID>> folders() {
        return run(() -> {
            Map<TopicPartition, UUID> found = new HashMap<>();
            for (TopicPartition existing : store.existing()) {
                store.topicIdOf(existing).ifPresent(topicId -> found.put(existing, topicId));
            }
            return found;
        });
    }

    @Override
    public CompletionStage<Boolean> setAside(TopicPartition topicPartition, UUID topicId) {
        return run(() -> store.setAside(topicPartition, topicId));
    }

    @Override
    public CompletionStage<Integer> deleteStrays(Set<UUID> topicIds) {
        return run(() -> store.deleteStrays(topicIds));
    }

    @Override
    public Optional<String> clusterId() {
        return clusterId;
    }

    @Override
    public long incarnation() {
        return incarnation;
    }

    @Override
    public CompletionStage<Long> beginIncarnation(String cluster, long next) {
        return run(() -> {
            store.bind(cluster, brokerId);
            clusterId = Optional.of(cluster);
            long intactSince = store.beginIncarnation(next);
            incarnation = next;
            return intactSince;
        });
    }

    @Override
    public long controllerEpoch() {
        return controllerEpoch;
    }

    @Override
    public void controllerEpochSeen(long epoch) {
        commands.execute(() -> {
            if (epoch > controllerEpoch) {
                store.recordControllerEpoch(epoch);
                controllerEpoch = epoch;
            }
        });
    }

    private <T> CompletionStage<T> run(Supplier<T> action) {
        CompletableFuture<T> result = new CompletableFuture<>();
        commands.execute(() -> {
            try {
                result.complete(action.get());
            } catch (RuntimeException | InternalError failed) {
                // An InternalError is how a mapped page that cannot be had shows itself; the caller decides.
                result.completeExceptionally(failed);
            }
        });
        return result;
    }
}

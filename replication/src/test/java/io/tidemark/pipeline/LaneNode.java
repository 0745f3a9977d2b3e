package io.tidemark.pipeline;

import io.tidemark.controller.ClusterImage;
import io.tidemark.fetch.FetchConfig;
import io.tidemark.log.BatchHandler;
import io.tidemark.log.Log;
import io.tidemark.log.LogConfig;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.ProducerTable;
import io.tidemark.partition.Replica;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/** A broker's lane without a broker: real stages and logs, a network in memory, stepped by the test's thread. */
final class LaneNode {
    /** What tests vary. */
    record Settings(LaneLimits limits, FetchConfig fetch) {}

    final int id;
    final Path directory;
    final FakeConductor conductor = new FakeConductor();
    final LaneCounters counters = new LaneCounters();
    final Map<PartitionId, Log> logs = new LinkedHashMap<>();
    final Map<PartitionId, LogHandle> handles = new HashMap<>();
    private final FakeNetwork network;
    private final NanoClock clock;
    private final Settings settings;
    private @Nullable LaneAgent agent;
    private FakeNetwork.@Nullable FakeTransport transport;
    long incarnation;
    boolean leaseValid = true;

    @Nullable
    Throwable throwOnLease;

    int throwAtLeaseCall = -1;
    int leaseCalls;
    ClusterImage image = ClusterImage.empty(LaneCluster.CLUSTER_ID);

    LaneNode(int id, Path directory, FakeNetwork network, NanoClock clock, Settings settings) {
        this.id = id;
        this.directory = directory;
        this.network = network;
        this.clock = clock;
        this.settings = settings;
    }

    Replica self() {
        return new Replica(id, incarnation);
    }

    LaneAgent agent() {
        LaneAgent current = agent;
        if (current == null) {
            throw new IllegalStateException("not started");
        }
        return current;
    }

    LaneProxy proxy() {
        return agent().proxy();
    }

    FakeNetwork.FakeTransport transport() {
        FakeNetwork.FakeTransport current = transport;
        if (current == null) {
            throw new IllegalStateException("not started");
        }
        return current;
    }

    boolean isRunning() {
        return agent != null;
    }

    void start() {
        incarnation++;
        LaneAgent started = new LaneAgent(context());
        agent = started;
        started.onStart();
        started.proxy().registered(self(), LaneCluster.CLUSTER_ID);
    }

    LaneContext context() {
        LaneConfig config =
                new LaneConfig(id, 0, "node" + id, 0, LaneCluster.LAG_NS, settings.limits(), settings.fetch());
        return new LaneContext(
                config,
                name -> {
                    FakeNetwork.FakeTransport opened = network.open(name);
                    transport = opened;
                    return opened;
                },
                clock,
                conductor,
                () -> image,
                this::lease,
                counters);
    }

    private boolean lease() {
        if (leaseCalls++ == throwAtLeaseCall) {
            Throwable cause = throwOnLease;
            if (cause instanceof Error error) {
                throw error;
            } else if (cause instanceof RuntimeException exception) {
                throw exception;
            }
        }
        return leaseValid;
    }

    /** Applies a record, opening the log if this broker is a replica and has none open. */
    void apply(PartitionId pid, PartitionState state) {
        LogHandle handle = null;
        if (state.isReplica(id)) {
            handle = handles.get(pid);
            if (handle == null) {
                Log log = Log.open(directory.resolve(pid.topicId() + "-" + pid.partition()), LogConfig.defaults());
                ProducerTable producers = new ProducerTable();
                log.forEachBatch(log.logStartOffset(), log.logEndOffset(), learning(producers));
                handle = new LogHandle(log, producers, -1, new PartitionGauge());
                logs.put(pid, log);
                handles.put(pid, handle);
            }
        }
        proxy().applyState(new PartitionAssignment(LaneCluster.nameOf(pid), pid, state, handle, self()));
    }

    private static BatchHandler learning(ProducerTable producers) {
        return batch -> {
            if (batch.producerId() >= 0) {
                producers.onBatch(
                        batch.producerId(),
                        batch.producerEpoch(),
                        batch.baseSequence(),
                        batch.recordCount(),
                        batch.baseOffset(),
                        batch.nextOffset());
            }
        };
    }

    int step() {
        LaneAgent current = agent;
        return current == null ? 0 : current.doWork();
    }

    Log log(PartitionId pid) {
        Log log = logs.get(pid);
        if (log == null) {
            throw new IllegalStateException("no log: " + pid);
        }
        return log;
    }

    PartitionGauge gauge(PartitionId pid) {
        LogHandle handle = handles.get(pid);
        if (handle == null) {
            throw new IllegalStateException("no log: " + pid);
        }
        return handle.gauge();
    }

    /** Stops the lane and closes the logs, as if the process had gone. */
    void stop() {
        LaneAgent current = agent;
        if (current != null) {
            current.proxy().stop();
            current.onClose();
            agent = null;
        }
        for (Log log : logs.values()) {
            log.close();
        }
        logs.clear();
        handles.clear();
    }
}

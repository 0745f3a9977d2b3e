package io.tidemark.pipeline;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.fetch.FetchConfig;
import io.tidemark.log.Log;
import io.tidemark.log.LogSlice;
import io.tidemark.log.TopicPartition;
import io.tidemark.partition.Durability;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Lanes of several brokers in one thread, with a clock and a network that the test moves, and a simple controller. */
final class LaneCluster implements AutoCloseable {
    static final String CLUSTER_ID = "cluster-under-test";
    static final long LAG_NS = 10_000_000_000L;
    static final int STEPS_MAX = 100_000;
    private static final long TICK_NS = 10_000_000L;

    final FakeNetwork network = new FakeNetwork();
    final List<LaneNode> nodes = new ArrayList<>();
    final List<LaneClient> clients = new ArrayList<>();
    final Map<PartitionId, PartitionState> states = new HashMap<>();
    boolean commitProposals = true;
    long nowNs = 1_000_000_000L;

    LaneCluster(Path directory, int brokers) {
        this(directory, brokers, LaneLimits.defaults());
    }

    LaneCluster(Path directory, int brokers, LaneLimits limits) {
        this(directory, brokers, limits, FetchConfig.defaults());
    }

    LaneCluster(Path directory, int brokers, LaneLimits limits, FetchConfig fetch) {
        for (int id = 1; id <= brokers; id++) {
            LaneNode node = new LaneNode(
                    id, directory.resolve("node" + id), network, () -> nowNs, new LaneNode.Settings(limits, fetch));
            nodes.add(node);
            node.start();
        }
        publishBrokers();
    }

    LaneNode node(int id) {
        return nodes.get(id - 1);
    }

    static TopicPartition nameOf(PartitionId pid) {
        return new TopicPartition("topic", pid.partition());
    }

    void publishBrokers() {
        List<BrokerRegistration> live = new ArrayList<>();
        for (LaneNode node : nodes) {
            if (node.isRunning()) {
                live.add(new BrokerRegistration(
                        node.id,
                        node.incarnation,
                        0,
                        "node" + node.id,
                        node.transport().port(),
                        "",
                        "storage-" + node.id,
                        BrokerRegistration.Status.RUNNING));
            }
        }
        for (LaneNode node : nodes) {
            if (node.isRunning()) {
                node.proxy().brokers(List.copyOf(live));
            }
        }
    }

    /** Creates a partition whose ISR is all its replicas; the first one leads. */
    PartitionId create(int number, int minIsr, int... replicas) {
        PartitionId pid = new PartitionId(new UUID(7, 77), number);
        List<Integer> assignment = new ArrayList<>();
        List<Replica> isr = new ArrayList<>();
        for (int broker : replicas) {
            assignment.add(broker);
            isr.add(node(broker).self());
        }
        publish(pid, PartitionState.initial(assignment, isr, minIsr, Durability.REPLICATED, 1));
        run();
        return pid;
    }

    PartitionState state(PartitionId pid) {
        PartitionState state = states.get(pid);
        if (state == null) {
            throw new IllegalStateException("no state: " + pid);
        }
        return state;
    }

    /** Stores a record and tells all running brokers. */
    void publish(PartitionId pid, PartitionState state) {
        states.put(pid, state);
        for (LaneNode node : nodes) {
            if (node.isRunning()) {
                node.apply(pid, state);
            }
        }
    }

    /** A new epoch with this leader; the ISR is those brokers, in their current incarnations. */
    PartitionState electing(PartitionId pid, int leader, int... isrBrokers) {
        List<Replica> isr = new ArrayList<>();
        for (int broker : isrBrokers) {
            isr.add(node(broker).self());
        }
        return state(pid).withLeader(node(leader).self(), isr, List.of());
    }

    void elect(PartitionId pid, int leader, int... isrBrokers) {
        publish(pid, electing(pid, leader, isrBrokers));
        run();
    }

    LaneClient client() {
        LaneClient client = new LaneClient(network.open("client-" + clients.size()));
        clients.add(client);
        return client;
    }

    /** Steps everything until nothing is left to do; time stands still. */
    void run() {
        int steps = 0;
        int work;
        do {
            work = 0;
            for (LaneNode node : nodes) {
                work += node.step();
            }
            for (LaneClient client : clients) {
                work += client.poll();
            }
            work += settleProposals();
            if (++steps > STEPS_MAX) {
                throw new AssertionError("the lanes do not come to rest");
            }
        } while (work > 0);
    }

    /** Lets time pass in small ticks. */
    void advanceMs(long ms) {
        long untilNs = nowNs + ms * 1_000_000L;
        while (nowNs < untilNs) {
            nowNs = Math.min(untilNs, nowNs + TICK_NS);
            run();
        }
    }

    private int settleProposals() {
        int settled = 0;
        for (LaneNode node : nodes) {
            while (commitProposals && node.isRunning() && !node.conductor.proposals.isEmpty()) {
                FakeConductor.Proposal proposal = node.conductor.proposals.removeFirst();
                PartitionState stored = state(proposal.id());
                boolean fits = proposal.proposed().leaderEpoch() == stored.leaderEpoch()
                        && proposal.proposed().partitionEpoch() == stored.partitionEpoch() + 1;
                if (fits) {
                    states.put(proposal.id(), proposal.proposed());
                }
                node.proxy()
                        .isrResult(
                                proposal.id(),
                                proposal.proposed(),
                                fits ? IsrOutcome.COMMITTED : IsrOutcome.CONFLICT,
                                state(proposal.id()));
                settled++;
            }
        }
        return settled;
    }

    /** All bytes of a log, so that replicas can be compared. */
    static byte[] bytesOf(Log log, long toOffset) {
        java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
        long at = log.logStartOffset();
        try (LogSlice slice = new LogSlice()) {
            while (at < toOffset && log.read(at, 1 << 20, toOffset, slice)) {
                byte[] bytes = new byte[slice.length()];
                slice.buffer().getBytes(slice.index(), bytes);
                out.writeBytes(bytes);
                at = slice.nextOffset();
            }
        }
        return out.toByteArray();
    }

    @Override
    public void close() {
        for (LaneNode node : nodes) {
            node.stop();
        }
    }
}

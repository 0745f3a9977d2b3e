package io.tidemark.tools.demo;

import io.tidemark.client.Client;
import io.tidemark.client.ClusterDescription;
import io.tidemark.client.Producer;
import io.tidemark.partition.PartitionState;
import io.tidemark.tools.system.CommandFailure;
import io.tidemark.tools.system.Machine;
import io.tidemark.tools.system.Worker;
import io.tidemark.tools.verify.ReplicaComparison;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The steps of one run against a running cluster, and what they found. Called in order by the demo's thread. */
final class DemoRun {
    /** The topic that is sent to and compared. */
    static final String TOPIC = "demo";

    /** The topic on which the commit latency is measured. */
    static final String LATENCY_TOPIC = "demo-latency";

    private static final int PARTITIONS = 3;
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    /** Longer than the producer's delivery timeout, so that the producer's own errors are seen first. */
    private static final Duration ACKNOWLEDGE_TIMEOUT = Duration.ofSeconds(150);

    /** Longer than all waits of an outage together. */
    private static final Duration RECOVERY_TIMEOUT = Duration.ofMinutes(5);

    private final DemoOptions options;
    private final Cluster cluster;
    private final ClusterWatch watch;
    private final DemoInput input;
    private final Narrator narrator;
    private final SendLedger sent;
    private final ReadLedger read;
    private @Nullable Outage outage;
    private Optional<Outage.Recovery> recovery = Optional.empty();
    private Optional<CommitLatency> latency = Optional.empty();
    private long[] endOffsets = new long[0];
    private long sendBeganNs;
    private int acknowledgedAtKill;
    private int leaderEpochBefore;
    private long truncations;

    /**
     * Prepares.
     *
     * @param options what to do
     * @param cluster the brokers, running
     * @param watch sees the states of {@link #TOPIC}
     * @param input what to send
     * @param narrator tells what happens
     */
    DemoRun(DemoOptions options, Cluster cluster, ClusterWatch watch, DemoInput input, Narrator narrator) {
        this.options = options;
        this.cluster = cluster;
        this.watch = watch;
        this.input = input;
        this.narrator = narrator;
        this.sent = new SendLedger(options.records(), PARTITIONS);
        this.read = new ReadLedger(sent, input);
    }

    /**
     * Creates the topics and waits until all replicas are in sync.
     *
     * @param client connected to the cluster
     */
    void createTopics(Client client) {
        Machine.await(
                "all brokers to know each other and a controller",
                START_TIMEOUT,
                () -> {
                    ClusterDescription description = client.admin().describeCluster();
                    return description.brokers().size() == options.brokers() && description.controller() >= 0;
                },
                this::evidence);
        client.admin().createTopic(TOPIC, PARTITIONS, options.replicationFactor(), options.minIsr());
        client.admin().createTopic(LATENCY_TOPIC, 1, options.replicationFactor(), options.minIsr());
        Machine.await(
                "all replicas of the new topic to be in sync",
                START_TIMEOUT,
                () -> watch.isFullyInSync(PARTITIONS),
                this::evidence);
        leaderEpochBefore = leaderEpoch();
        narrator.tell(
                "topic",
                "%s: %d partitions, replication factor %d, minISR %d",
                TOPIC,
                PARTITIONS,
                options.replicationFactor(),
                options.minIsr());
    }

    /**
     * Sends all records; half-way kills, and meanwhile recovers; waits for all acknowledgements and the recovery.
     *
     * @param client connected to the cluster
     */
    void sendAll(Client client) {
        int half = options.records() / 2;
        Sender sender = new Sender(TOPIC, input, sent, options.records(), narrator);
        try (Producer producer = client.producer();
                Worker worker = Worker.named("demo-recovery")) {
            sendBeganNs = Machine.nanoTime();
            sender.send(producer, 0, half, () -> false);
            Optional<Worker.Task<Outage.Recovery>> recovering = Optional.empty();
            if (options.kill() == KillMode.NONE) {
                sender.send(producer, half, options.records(), () -> false);
            } else {
                recovering = Optional.of(sendWithOutage(sender, producer, worker));
            }
            sender.awaitAcknowledged(ACKNOWLEDGE_TIMEOUT, this::evidence);
            recovery = recovering.map(task -> task.await(RECOVERY_TIMEOUT));
        }
    }

    private Worker.Task<Outage.Recovery> sendWithOutage(Sender sender, Producer producer, Worker worker) {
        Outage prepared = Outage.prepare(options.kill(), cluster, watch, narrator);
        Worker.Task<Outage.Recovery> task = worker.prepare(prepared::recover);
        leaderEpochBefore = prepared.leaderEpochBefore();
        outage = prepared;
        int half = options.records() / 2;
        boolean hasBegun = sender.send(producer, half, options.records(), () -> {
            int inFlight = sent.inFlight();
            if (inFlight < DemoOptions.IN_FLIGHT_MIN) {
                return false;
            }
            acknowledgedAtKill = sent.acknowledged();
            prepared.begin(inFlight);
            task.start();
            return true;
        });
        if (!hasBegun) {
            throw new CommandFailure("there were never " + DemoOptions.IN_FLIGHT_MIN
                    + " records in flight in the second half, so nobody was killed: records=" + options.records()
                    + "; send more with --records");
        }
        return task;
    }

    /**
     * Reads everything back and asks the brokers for their counters.
     *
     * @param client connected to the cluster
     */
    void readBack(Client client) {
        endOffsets = ReadBack.read(client, TOPIC, read, narrator, sent.acknowledged());
        for (int broker : cluster.brokers()) {
            truncations += client.admin().brokerCounters(broker).getOrDefault("log.truncations", 0L);
        }
    }

    /**
     * Measures the commit latency.
     *
     * @param client connected to the cluster
     */
    void measureLatency(Client client) {
        try (Producer producer = client.producer()) {
            latency = Optional.of(CommitLatency.measure(producer, LATENCY_TOPIC));
        }
    }

    /**
     * Compares the folders of the closed brokers and sums everything up.
     *
     * @return the result
     */
    DemoResult finish() {
        DemoResult.Replicas replicas = compareFolders();
        narrator.tell(
                "compared",
                "%,d batches on %d brokers: %s",
                replicas.batches(),
                options.replicationFactor(),
                replicas.difference().orElse("equal"));
        return new DemoResult(
                options.kill(),
                sends(),
                read.verdict(),
                recovery,
                new DemoResult.ClusterChanges(
                        leaderEpochBefore, leaderEpoch(), watch.isrShrinks(), watch.isrGrows(), truncations),
                replicas,
                latency.orElseThrow());
    }

    private DemoResult.Sends sends() {
        long endNs = sent.lastAcknowledgedNs();
        List<Long> gaps = new ArrayList<>();
        long maxGapMillis = 0;
        for (int partition = 0; partition < PARTITIONS; partition++) {
            long millis = TimeUnit.NANOSECONDS.toMillis(sent.longestGapNs(partition));
            gaps.add(millis);
            boolean counts = options.kill() != KillMode.FOLLOWER || outage == null || !outage.hasLostLeader(partition);
            maxGapMillis = counts ? Math.max(maxGapMillis, millis) : maxGapMillis;
        }
        long perSecond = rate(sent.acknowledged(), endNs - sendBeganNs);
        return new DemoResult.Sends(
                sent.sent(),
                sent.acknowledged(),
                Optional.ofNullable(sent.firstFailure()).map(Throwable::getMessage),
                maxGapMillis,
                List.copyOf(gaps),
                perSecond,
                outage == null ? perSecond : rate(acknowledgedAtKill, outage.killedAtNs() - sendBeganNs));
    }

    private static long rate(long count, long durationNs) {
        return Math.round(count * 1e9 / Math.max(1, durationNs));
    }

    private int leaderEpoch() {
        PartitionState state = watch.states().get(0);
        return state == null ? -1 : state.leaderEpoch();
    }

    private DemoResult.Replicas compareFolders() {
        long batches = 0;
        long records = 0;
        Optional<String> difference = Optional.empty();
        try {
            for (Map.Entry<Integer, PartitionState> entry : watch.states().entrySet()) {
                int partition = entry.getKey();
                List<Path> folders = entry.getValue().assignment().stream()
                        .map(broker -> cluster.dataFolder(broker).resolve(TOPIC + "-" + partition))
                        .toList();
                ReplicaComparison.Result result = ReplicaComparison.compare(folders, endOffsets[partition]);
                batches += result.batches();
                records += result.records();
                difference = difference.or(() -> Optional.ofNullable(result.difference()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new DemoResult.Replicas(batches, records, difference);
    }

    private String evidence() {
        return watch.describe() + "; " + cluster.evidence();
    }
}

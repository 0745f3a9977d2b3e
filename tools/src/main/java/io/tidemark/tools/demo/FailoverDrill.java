package io.tidemark.tools.demo;

import io.tidemark.client.Client;
import io.tidemark.client.ClusterDescription;
import io.tidemark.partition.PartitionState;
import io.tidemark.tools.system.CommandFailure;
import io.tidemark.tools.system.Machine;
import io.tidemark.tools.system.Shutdown;
import io.tidemark.tools.system.Terminal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;

/**
 * Kills the leader of partitions again and again, each broker a process of its own, and measures how long it takes
 * until the coordination service shows another leader of each. Every second victim is the controller too. Sessions live
 * so long that what happens in time happens because the others found the process dead.
 */
public final class FailoverDrill {
    private static final String TOPIC = "drill";
    private static final Duration WAIT = Duration.ofMinutes(3);

    private final Options options;
    private final Terminal terminal;
    private final Narrator narrator;
    private final RandomGenerator random;

    /**
     * What to do.
     *
     * @param isEtcd whether the coordination service is an etcd of our own, else a ZooKeeper
     * @param partitions number of partitions, each on three brokers, 1 to 10 000
     * @param kills number of kills, at least 1
     * @param sessionTtl time to live of the brokers' sessions
     * @param limit what 95 of 100 kills may take at most
     */
    public record Options(boolean isEtcd, int partitions, int kills, Duration sessionTtl, Duration limit) {}

    /** One kill. */
    private record Sample(boolean isController, int partitions, long lastNs) {}

    /**
     * Prepares a drill.
     *
     * @param options what to do
     * @param terminal where to tell
     * @param random chooses ports
     */
    public FailoverDrill(Options options, Terminal terminal, RandomGenerator random) {
        this.options = options;
        this.terminal = terminal;
        this.narrator = new Narrator(terminal);
        this.random = random;
    }

    /**
     * Runs.
     *
     * @return true if 95 of 100 kills took no longer than the limit
     * @throws CommandFailure if a step could not be done
     */
    public boolean run() {
        RunFolder folder = RunFolder.temporary();
        CoordinationPlace place = options.isEtcd()
                ? new OwnEtcd(folder.path(), random, narrator)
                : new OwnZooKeeper(folder.path(), narrator);
        long ttlMs = options.sessionTtl().toMillis();
        ProcessCluster cluster = new ProcessCluster(
                folder.path(),
                3,
                place,
                random,
                narrator,
                List.of("session.ttl.ms=" + ttlMs, "replica.lag.max.ms=" + Math.max(ttlMs, 10_000)));
        AtomicBoolean isCleaned = new AtomicBoolean();
        Shutdown hook = Shutdown.onSignal(() -> {
            narrator.fallSilent();
            cluster.destroy();
            clean(isCleaned, cluster, folder);
        });
        try {
            cluster.start();
            return drill(cluster);
        } finally {
            clean(isCleaned, cluster, folder);
            hook.close();
        }
    }

    private static void clean(AtomicBoolean isCleaned, Cluster cluster, RunFolder folder) {
        if (isCleaned.compareAndSet(false, true)) {
            try {
                cluster.close();
            } finally {
                folder.delete();
            }
        }
    }

    private boolean drill(Cluster cluster) {
        try (var coordination = cluster.openCoordination();
                ClusterWatch watch = ClusterWatch.open(coordination, TOPIC);
                Client client = Client.connect(cluster.addresses())) {
            Machine.await(
                    "all brokers to know each other and a controller",
                    WAIT,
                    () -> {
                        ClusterDescription description = client.admin().describeCluster();
                        return description.brokers().size() == 3 && description.controller() >= 0;
                    },
                    watch::describe);
            client.admin().createTopic(TOPIC, options.partitions(), 3, 2);
            List<Sample> samples = new ArrayList<>();
            for (int i = 0; i < options.kills(); i++) {
                awaitWhole(watch);
                var unused = client.admin().electPreferred(List.of(TOPIC));
                samples.add(kill(cluster, watch, i % 2 == 1));
            }
            return report(samples);
        }
    }

    private void awaitWhole(ClusterWatch watch) {
        Machine.await(
                "all replicas to be in sync",
                WAIT,
                () -> watch.isFullyInSync(options.partitions()) && watch.registered() == 3 && watch.controller() >= 0,
                () -> "partitions=" + options.partitions());
    }

    private Sample kill(Cluster cluster, ClusterWatch watch, boolean isController) {
        int controller = watch.controller();
        int victim = isController
                ? controller
                : cluster.brokers().stream()
                        .filter(broker -> broker != controller)
                        .findFirst()
                        .orElseThrow();
        Map<Integer, Integer> epochs = new TreeMap<>();
        for (Map.Entry<Integer, PartitionState> entry : watch.states().entrySet()) {
            if (entry.getValue().leader().broker() == victim) {
                epochs.put(entry.getKey(), entry.getValue().leaderEpoch());
            }
        }
        if (epochs.isEmpty()) {
            throw new CommandFailure("the victim leads nothing: broker=" + victim + ", " + watch.describe());
        }
        long beganNs = Machine.nanoTime();
        cluster.kill(victim);
        Machine.await(
                "another leader of every partition of broker " + victim,
                WAIT,
                () -> epochs.entrySet().stream()
                        .allMatch(entry -> watch.firstSeenAfterEpoch(entry.getKey(), entry.getValue())
                                .isPresent()),
                cluster::evidence);
        long lastNs = epochs.entrySet().stream()
                .mapToLong(entry -> watch.firstSeenAfterEpoch(entry.getKey(), entry.getValue())
                                .orElseThrow()
                        - beganNs)
                .max()
                .orElseThrow();
        narrator.tell(
                "killed",
                "broker %d%s: %d partitions have another leader after %d ms",
                victim,
                isController ? " (controller)" : "",
                epochs.size(),
                TimeUnit.NANOSECONDS.toMillis(lastNs));
        cluster.restart(victim);
        return new Sample(isController, epochs.size(), lastNs);
    }

    private boolean report(List<Sample> samples) {
        List<Sample> controllers = samples.stream().filter(Sample::isController).toList();
        List<Sample> others =
                samples.stream().filter(sample -> !sample.isController()).toList();
        line("all", samples);
        line("leader", others);
        line("leader=controller", controllers);
        boolean isGood = percentile(samples, 95) <= options.limit().toNanos();
        terminal.out()
                .println(
                        (isGood ? "ok" : "FAILED") + " limit=" + options.limit().toMillis() + "ms at p95, sessionTtl="
                                + options.sessionTtl().toSeconds() + "s");
        return isGood;
    }

    private void line(String who, List<Sample> samples) {
        if (!samples.isEmpty()) {
            terminal.out()
                    .println(who + " kills=" + samples.size() + " partitionsMax="
                            + samples.stream()
                                    .mapToInt(Sample::partitions)
                                    .max()
                                    .orElse(0) + " p50="
                            + TimeUnit.NANOSECONDS.toMillis(percentile(samples, 50)) + "ms p95="
                            + TimeUnit.NANOSECONDS.toMillis(percentile(samples, 95)) + "ms max="
                            + TimeUnit.NANOSECONDS.toMillis(percentile(samples, 100)) + "ms");
        }
    }

    /** The least time that so many of a hundred kills did not exceed. */
    private static long percentile(List<Sample> samples, int percent) {
        long[] sorted = samples.stream().mapToLong(Sample::lastNs).sorted().toArray();
        int index = (int) Math.ceil(sorted.length * percent / 100.0) - 1;
        return sorted[Math.max(0, index)];
    }
}

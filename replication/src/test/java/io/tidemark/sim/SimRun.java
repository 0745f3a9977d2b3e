package io.tidemark.sim;

import io.tidemark.client.PartitionDescription;
import io.tidemark.pipeline.LaneView.ReplicaView;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One seed: a cluster is started and loaded while its plan of faults goes on; then everything is healed and the cluster
 * has to come to rest within a bound; then what is left is compared.
 */
final class SimRun {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long START_BOUND_NS = 60 * SECOND_NS;
    private static final long FAULTS_NS = 16 * SECOND_NS;
    private static final long LOAD_MAX_NS = 60 * SECOND_NS;
    private static final long HEAL_BOUND_NS = 180 * SECOND_NS;
    private static final long QUIET_NS = 8 * SECOND_NS;
    private static final int FRAMES_PER_BROKER_AND_SECOND_MAX = 400;
    private static final int ACKS_WANTED = 600;

    private final long seed;
    private final Knobs knobs;
    private final List<Fault> faults;
    private final Path folder;
    private final boolean prints;
    private boolean unavailable;

    SimRun(long seed, Knobs knobs, List<Fault> faults, Path folder, boolean prints) {
        this.seed = seed;
        this.knobs = knobs;
        this.faults = faults;
        this.folder = folder;
        this.prints = prints;
    }

    /** The run that a seed draws. */
    static SimRun of(long seed, Path folder, boolean prints) {
        return of(seed, "", folder, prints);
    }

    /**
     * The run that a seed draws from some kinds of faults.
     *
     * @param plan kinds of faults, with blanks between them; empty for any
     */
    static SimRun of(long seed, String plan, Path folder, boolean prints) {
        Knobs knobs = Knobs.of(seed);
        return new SimRun(seed, knobs, FaultPlan.of(seed, plan, knobs, FAULTS_NS), folder, prints);
    }

    Knobs knobs() {
        return knobs;
    }

    List<Fault> faults() {
        return faults;
    }

    /** Whether it ended without anybody who could lead a partition. */
    boolean isUnavailable() {
        return unavailable;
    }

    /** The same run with other faults. */
    SimRun with(List<Fault> others, Path otherFolder) {
        return new SimRun(seed, knobs, others, otherFolder, false);
    }

    /** Runs it; never throws because of what is judged. */
    SimResult run() {
        SimCluster cluster = new SimCluster(seed, knobs, folder, prints);
        Nemesis nemesis = new Nemesis(cluster, seed);
        SimViolation violation = null;
        try {
            play(cluster, nemesis);
        } catch (SimViolation found) {
            violation = found;
        } catch (RuntimeException | Error thrown) {
            violation = new SimViolation("R-02", "thrown out of a step: " + thrown, thrown);
        }
        try {
            cluster.close();
        } catch (RuntimeException | Error thrown) {
            // After a violation the rest need not be in order; after a good run it must be.
            if (violation == null) {
                violation = new SimViolation("R-05", "the cluster cannot be closed: " + thrown, thrown);
            }
        }
        return result(cluster, nemesis, violation);
    }

    private SimResult result(SimCluster cluster, Nemesis nemesis, @Nullable SimViolation violation) {
        Oracle oracle = cluster.oracle();
        List<String> lines = new ArrayList<>();
        cluster.world().trace().lines().forEach(lines::add);
        return new SimResult(
                seed,
                violation,
                unavailable,
                cluster.world().trace().value(),
                cluster.world().scheduler().steps(),
                cluster.history().acks(),
                oracle.leaderChanges(),
                Set.copyOf(nemesis.done()),
                cluster.world().scheduler().elapsedNs(),
                oracle.sometimes().counts(),
                faults,
                oracle.table(),
                lines);
    }

    private void play(SimCluster cluster, Nemesis nemesis) {
        start(cluster);
        nemesis.plan(faults);
        cluster.clients().forEach(SimClient::work);
        cluster.runFor(FAULTS_NS);
        cluster.await(LOAD_MAX_NS, () -> cluster.history().acks() >= ACKS_WANTED);
        finish(cluster, nemesis);
    }

    /** Ends all faults, demands rest within a bound, and checks what is left. */
    void finish(SimCluster cluster, Nemesis nemesis) {
        nemesis.heal();
        cluster.runFor(2 * SECOND_NS);
        cluster.clients().forEach(SimClient::stopSending);
        require(
                cluster,
                HEAL_BOUND_NS,
                "L-02",
                "sends have no outcome",
                () -> cluster.history().pending() == 0);
        if (!cluster.await(HEAL_BOUND_NS, () -> isAtRest(cluster))) {
            unavailable = isHopeless(cluster);
            if (!unavailable) {
                throw new SimViolation("L-04", "the cluster does not come to rest: " + whyNotAtRest(cluster));
            }
            return;
        }
        checkQuiet(cluster);
        checkReplicas(cluster);
        cluster.history().check();
        cluster.history().checkAllRead();
    }

    private void require(
            SimCluster cluster,
            long boundNs,
            String invariant,
            String text,
            java.util.function.BooleanSupplier condition) {
        if (!cluster.await(boundNs, condition)) {
            throw new SimViolation(invariant, text + " within " + boundNs / SECOND_NS + " s: " + whyNotAtRest(cluster));
        }
    }

    /** Starts everything, and creates the topic, without faults. */
    void start(SimCluster cluster) {
        for (SimBroker broker : cluster.brokers()) {
            if (!broker.start()) {
                throw new SimViolation("L-01", "broker " + broker.id + " did not start on an empty folder");
            }
        }
        require(
                cluster,
                START_BOUND_NS,
                "L-01",
                "the brokers do not register",
                () -> cluster.oracle().registered().size() == knobs.brokers());
        for (int i = 0; i < knobs.clients(); i++) {
            cluster.addClient();
        }
        createTopic(cluster);
        require(
                cluster,
                START_BOUND_NS,
                "L-01",
                "clients do not learn the topic",
                () -> cluster.clients().stream().allMatch(SimClient::knowsTopic));
    }

    private void createTopic(SimCluster cluster) {
        SimClient client = cluster.clients().get(0);
        for (int attempt = 0; attempt < 10; attempt++) {
            CompletableFuture<Boolean> created = client.client()
                    .createTopic(SimClient.TOPIC, knobs.partitions(), knobs.replicationFactor(), knobs.minIsr());
            cluster.await(START_BOUND_NS, created::isDone);
            List<PartitionDescription> known = client.client().partitions(SimClient.TOPIC);
            if (known != null || (created.isDone() && !created.isCompletedExceptionally())) {
                return;
            }
        }
        throw new SimViolation("L-01", "the topic cannot be created");
    }

    // Rest.

    private boolean isAtRest(SimCluster cluster) {
        return whyNotAtRest(cluster).isEmpty();
    }

    /** What is still missing; empty if nothing is. */
    private String whyNotAtRest(SimCluster cluster) {
        Oracle oracle = cluster.oracle();
        if (oracle.registered().size() < knobs.brokers()) {
            return "registered are " + oracle.registered() + ", gave up: " + oracle.gaveUp();
        }
        if (cluster.history().pending() > 0) {
            return cluster.history().pending() + " sends have no outcome";
        }
        for (PartitionTruth truth : oracle.truths().values()) {
            String why = whyNotAtRest(cluster, truth);
            if (!why.isEmpty()) {
                return "partition " + truth.partition + ": " + why;
            }
        }
        return oracle.truths().size() < knobs.partitions() ? "partitions are missing" : "";
    }

    private static String whyNotAtRest(SimCluster cluster, PartitionTruth truth) {
        SeenRecord record = truth.record;
        if (record == null) {
            return "it has no record";
        }
        SeenBroker leader = cluster.oracle().registered().get(record.leader().broker());
        if (leader == null || leader.incarnation() != record.leader().incarnation()) {
            return "its leader is gone: " + record;
        }
        if (record.isr().size() < record.assignment().size()) {
            return "its ISR lacks members: " + record;
        }
        for (int broker : record.assignment()) {
            Mirror mirror = cluster.oracle().mirror(broker, truth.partition);
            boolean leads = broker == record.leader().broker();
            if (!mirror.role.equals(leads ? "LEADER" : "FOLLOWER")
                    || mirror.epoch != record.leaderEpoch()
                    || mirror.highWatermark != mirror.end()
                    || mirror.end() != truth.committedEnd()) {
                return "broker " + broker + " is " + mirror.role + " in epoch " + mirror.epoch + ", logEnd="
                        + mirror.end() + ", highWatermark=" + mirror.highWatermark + ", committedEnd="
                        + truth.committedEnd() + ": " + record;
            }
        }
        for (SimClient client : cluster.clients()) {
            if (!client.isWorking()) {
                return client.name + " does not know the topic";
            }
            if (client.positionOf(truth.partition) != truth.committedEnd()) {
                return client.name + " has read up to " + client.positionOf(truth.partition) + " of "
                        + truth.committedEnd();
            }
        }
        return "";
    }

    /** Whether a partition has no member left that surely has all: then it must wait for its operator. */
    private static boolean isHopeless(SimCluster cluster) {
        for (PartitionTruth truth : cluster.oracle().truths().values()) {
            SeenRecord record = truth.record;
            if (record == null) {
                continue;
            }
            boolean any = false;
            List<SeenRecord.Member> members = new ArrayList<>(record.isr());
            members.addAll(record.elr());
            for (SeenRecord.Member member : members) {
                SeenBroker life = cluster.oracle().registered().get(member.broker());
                any |= life != null && member.incarnation() >= life.intactSince();
            }
            if (!any) {
                return true;
            }
        }
        return false;
    }

    /** A cluster at rest writes no records, holds no elections and sends few messages (L-11, L-12). */
    private void checkQuiet(SimCluster cluster) {
        int writes = cluster.oracle().recordWrites();
        long frames = cluster.network().framesSent();
        cluster.runFor(QUIET_NS);
        if (cluster.oracle().recordWrites() != writes) {
            throw new SimViolation(
                    "L-11",
                    "records changed in a quiet cluster: before=" + writes + ", after="
                            + cluster.oracle().recordWrites());
        }
        long perSecond = (cluster.network().framesSent() - frames) * SECOND_NS / QUIET_NS;
        if (perSecond > (long) FRAMES_PER_BROKER_AND_SECOND_MAX * knobs.brokers()) {
            throw new SimViolation("L-12", "a quiet cluster sends " + perSecond + " frames per second");
        }
    }

    /** The logs are the same in every byte, and are what was committed. */
    private static void checkReplicas(SimCluster cluster) {
        for (SimBroker broker : cluster.brokers()) {
            for (ReplicaView view : broker.replicas()) {
                PartitionTruth truth = cluster.oracle().truth(view.partition());
                SeenRecord record = truth.record;
                if (record == null || !record.assignment().contains(broker.id)) {
                    continue;
                }
                Mirror copy = new Mirror(broker.id, view.partition());
                copy.batches.addAll(Mirror.read(view, view.logStartOffset(), view.logEndOffset()));
                truth.compare(copy, truth.committedEnd(), "L-04");
                if (copy.end() != truth.committedEnd()) {
                    throw new SimViolation(
                            "L-04",
                            "the log of broker " + broker.id + " ends at " + copy.end() + ", committed is "
                                    + truth.committedEnd());
                }
            }
        }
    }
}

package io.tidemark.tools.demo;

import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.tools.system.CommandFailure;
import io.tidemark.tools.system.Machine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * The middle of a run: who is killed, what has to change because of it, the restart, and the way back. The sender's
 * thread calls {@link #prepare} and {@link #begin}, between two sends; {@link #recover} runs on a thread of its own,
 * while the sending goes on.
 */
final class Outage {
    private static final Duration CHANGE_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration FULL_ISR_TIMEOUT = Duration.ofMinutes(2);

    private final KillMode mode;
    private final Cluster cluster;
    private final ClusterWatch watch;
    private final Narrator narrator;
    private final List<Integer> victims;
    private final Map<Integer, PartitionState> before;
    private final long controllerEpochBefore;
    private long killedAtNs;
    private int inFlightAtKill;

    /**
     * What the outage led to.
     *
     * @param victims the brokers that were killed
     * @param inFlightAtKill records in flight when the signal was sent
     * @param newLeaderMillis from the kill until each partition that a victim led had a leader of a new epoch; empty
     *     if they led none
     * @param fullIsrMillis from the restart until every replica was in sync again
     * @param controllerEpochBefore the controller's epoch before the kill
     * @param controllerEpochAfter the controller's epoch at the end
     */
    record Recovery(
            List<Integer> victims,
            int inFlightAtKill,
            OptionalLong newLeaderMillis,
            long fullIsrMillis,
            long controllerEpochBefore,
            long controllerEpochAfter) {}

    private Outage(KillMode mode, Cluster cluster, ClusterWatch watch, Narrator narrator) {
        this.mode = mode;
        this.cluster = cluster;
        this.watch = watch;
        this.narrator = narrator;
        this.before = watch.states();
        this.controllerEpochBefore = watch.controllerEpoch();
        this.victims = chooseVictims(watch.controller());
    }

    /**
     * Chooses whom to kill, and notes how things are before.
     *
     * @param mode who
     * @param cluster the brokers
     * @param watch sees the states
     * @param narrator tells what happens
     * @return the outage, not yet begun
     * @throws CommandFailure if there is nobody to kill
     */
    static Outage prepare(KillMode mode, Cluster cluster, ClusterWatch watch, Narrator narrator) {
        return new Outage(mode, cluster, watch, narrator);
    }

    /**
     * Kills, at once.
     *
     * @param inFlight how many records are in flight
     */
    void begin(int inFlight) {
        killedAtNs = Machine.nanoTime();
        inFlightAtKill = inFlight;
        victims.forEach(cluster::kill);
        narrator.tell(
                "kill",
                "broker %s (%s) with %,d records in flight",
                victims,
                mode.name().toLowerCase(Locale.ROOT),
                inFlight);
    }

    /**
     * When the kill was.
     *
     * @return the time in nanoseconds
     */
    long killedAtNs() {
        return killedAtNs;
    }

    private List<Integer> chooseVictims(int controller) {
        PartitionState first = before.get(0);
        if (first == null || first.leader().isNone()) {
            throw new CommandFailure("partition 0 has no leader to kill: " + watch.describe());
        }
        return switch (mode) {
            case LEADER -> List.of(first.leader().broker());
            case CONTROLLER -> List.of(controller);
            case ALL -> cluster.brokers();
            case NONE -> List.of();
            case FOLLOWER -> List.of(chooseFollower(first, controller));
        };
    }

    /** A follower of partition 0: one that leads nothing, else one that is not controller, else any. */
    private int chooseFollower(PartitionState first, int controller) {
        List<Integer> followers = new ArrayList<>(first.assignment());
        followers.remove(Integer.valueOf(first.leader().broker()));
        return followers.stream()
                .filter(broker -> !isLeader(broker))
                .findFirst()
                .or(() -> followers.stream()
                        .filter(broker -> broker != controller)
                        .findFirst())
                .orElse(followers.get(0));
    }

    private boolean isLeader(int broker) {
        return before.values().stream().anyMatch(state -> state.leader().broker() == broker);
    }

    /**
     * Tells whether a partition lost its leader.
     *
     * @param partition the partition
     * @return true if a victim led it at the kill
     */
    boolean hasLostLeader(int partition) {
        PartitionState state = before.get(partition);
        return state != null && victims.contains(state.leader().broker());
    }

    /**
     * The epoch of partition 0 before the kill.
     *
     * @return the leader epoch
     */
    int leaderEpochBefore() {
        PartitionState first = before.get(0);
        return first == null ? -1 : first.leaderEpoch();
    }

    /**
     * Waits for the change that the kill must cause, starts the victims again, and waits until all is as before.
     *
     * @return what was measured
     * @throws CommandFailure if one of the changes does not come
     */
    Recovery recover() {
        if (!isEverybodyDead()) {
            Machine.await("the change that the kill must cause", CHANGE_TIMEOUT, this::hasChanged, this::evidence);
            narrator.tell("change", "seen after %,d ms: %s", millisSinceKill(Machine.nanoTime()), watch.describe());
        }
        long restartedAtNs = Machine.nanoTime();
        victims.forEach(cluster::restart);
        Machine.await(
                "the return of the killed brokers into every ISR",
                FULL_ISR_TIMEOUT,
                () -> watch.isFullyInSync(before.size()) && newLeaderMillis().isPresent() == hasLostAnyLeader(),
                this::evidence);
        long fullIsrMillis = TimeUnit.NANOSECONDS.toMillis(Machine.nanoTime() - restartedAtNs);
        narrator.tell("full ISR", "%,d ms after the restart", fullIsrMillis);
        return new Recovery(
                victims,
                inFlightAtKill,
                newLeaderMillis(),
                fullIsrMillis,
                controllerEpochBefore,
                watch.controllerEpoch());
    }

    private boolean isEverybodyDead() {
        return victims.size() == cluster.brokers().size();
    }

    private boolean hasLostAnyLeader() {
        return before.keySet().stream().anyMatch(this::hasLostLeader);
    }

    /** With a follower killed, its partitions go on; those that it happened to lead are helped by its restart. */
    private boolean hasChanged() {
        Map<Integer, PartitionState> now = watch.states();
        for (Map.Entry<Integer, PartitionState> entry : before.entrySet()) {
            boolean lostLeader = hasLostLeader(entry.getKey());
            PartitionState state = now.get(entry.getKey());
            if (mode == KillMode.FOLLOWER && lostLeader) {
                continue;
            }
            if (state == null || holdsDead(state, entry.getValue())) {
                return false;
            }
            if (lostLeader && state.leaderEpoch() <= entry.getValue().leaderEpoch()) {
                return false;
            }
        }
        return mode != KillMode.CONTROLLER || watch.controllerEpoch() > controllerEpochBefore;
    }

    private boolean holdsDead(PartitionState now, PartitionState then) {
        for (Replica member : then.isr()) {
            if (victims.contains(member.broker()) && now.isr().contains(member)) {
                return true;
            }
        }
        return false;
    }

    private OptionalLong newLeaderMillis() {
        OptionalLong longest = OptionalLong.empty();
        for (Map.Entry<Integer, PartitionState> entry : before.entrySet()) {
            if (hasLostLeader(entry.getKey())) {
                OptionalLong seen = watch.firstSeenAfterEpoch(
                        entry.getKey(), entry.getValue().leaderEpoch());
                if (seen.isEmpty()) {
                    return OptionalLong.empty();
                }
                long millis = millisSinceKill(seen.getAsLong());
                longest = OptionalLong.of(Math.max(millis, longest.orElse(0)));
            }
        }
        return longest;
    }

    private long millisSinceKill(long atNs) {
        return TimeUnit.NANOSECONDS.toMillis(atNs - killedAtNs);
    }

    private String evidence() {
        return watch.describe() + "; " + cluster.evidence();
    }
}

package io.tidemark.controller;

import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The choice of a new leader when the old one's process is gone.
 *
 * <p>Rules:
 *
 * <ol>
 *   <li>A leader stays as long as it is registered under the incarnation in the record. A restarted process never goes
 *       on with its old epoch.
 *   <li>Only members of ISR and ELR are electable: they hold all that is committed. An entry (b, i) is electable if b
 *       is registered, running, and its registration says that nothing was lost since incarnation i: so a process that
 *       was killed comes back electable, one whose machine lost power does not.
 *   <li>Of the electable the order is: ISR members whose process never stopped, ISR members that restarted, ELR
 *       members; within each by the assignment, so that the preferred leader comes first.
 *   <li>The new ISR has the leader, under its current incarnation, and those members whose process never stopped and is
 *       running. All others are dropped: an entry of a dead incarnation would hold the high watermark for ever. If the
 *       ISR is then below its minimum, the dropped and the old ELR members are the new ELR, under their old
 *       incarnations; else the ELR is empty.
 *   <li>If nobody is electable the record stays: the partition is offline until a member returns. It is never given to
 *       a replica outside ISR and ELR.
 *   <li>While the registration of a dead leader's process has not ended yet, its proven death counts like that end, but
 *       only in favour of a member of the stored ISR whose process never stopped.
 *   <li>A leader that is about to leave hands over to such a member too, while it still serves.
 * </ol>
 *
 * <p>A pure function.
 *
 * <p>Source: KIP-966 (eligible leader replicas, unclean shutdown), KIP-841, KIP-903, KIP-106 (no unclean election).
 */
public final class LeaderSelector {
    private LeaderSelector() {}

    /**
     * The record that a change of the registered brokers demands.
     *
     * @param state the stored record
     * @param brokers all registered brokers by id
     * @return the next record, with a new leader; empty if the leader is alive or nobody can be elected
     */
    public static Optional<PartitionState> afterBrokerChange(
            PartitionState state, Map<Integer, BrokerRegistration> brokers) {
        if (isAlive(state.leader(), brokers)) {
            return Optional.empty();
        }
        Replica leader = elect(state, brokers);
        return leader == null ? Optional.empty() : Optional.of(led(state, leader, brokers));
    }

    /**
     * The record that the proven death of a leader's process demands while the process is still registered. Only a
     * member of the stored ISR whose process never stopped can follow: at this moment nobody else is known to hold
     * everything.
     *
     * @param state the stored record
     * @param brokers all registered brokers by id
     * @param dead the processes that are proven to be gone
     * @return the next record, with a new leader and without the dead; empty if the leader's death is not proven for
     *     this partition, or nobody can follow
     */
    static Optional<PartitionState> afterProcessDeath(
            PartitionState state, Map<Integer, BrokerRegistration> brokers, DeadProcesses dead) {
        if (!dead.isProven(state)) {
            return Optional.empty();
        }
        return withinIsr(state, dead.without(brokers));
    }

    /**
     * The record that the leaving of a live leader demands: a member of the ISR follows whose process runs, and the
     * same write drops the leaver. If there is none the leader stays until its registration ends.
     *
     * @param state the stored record
     * @param brokers all registered brokers by id
     * @param dead the processes that are proven to be gone
     * @return the next record, with a new leader and without those that are not running; empty if the leader does not
     *     leave, or nobody can follow
     */
    static Optional<PartitionState> afterLeaderLeaves(
            PartitionState state, Map<Integer, BrokerRegistration> brokers, DeadProcesses dead) {
        BrokerRegistration leader = brokers.get(state.leader().broker());
        boolean isLeaving =
                leader != null && leader.incarnation() == state.leader().incarnation() && !leader.isRunning();
        return isLeaving ? withinIsr(state, dead.without(brokers)) : Optional.empty();
    }

    /** The first member of the ISR whose process never stopped, and runs, leads. */
    private static Optional<PartitionState> withinIsr(PartitionState state, Map<Integer, BrokerRegistration> living) {
        for (int broker : order(state)) {
            BrokerRegistration registration = living.get(broker);
            if (registration != null
                    && registration.isRunning()
                    && registration.incarnation() == state.isrIncarnation(broker)) {
                return Optional.of(led(state, new Replica(broker, registration.incarnation()), living));
            }
        }
        return Optional.empty();
    }

    /**
     * The record with the preferred leader.
     *
     * @param state the stored record
     * @param living all registered brokers by id that are not proven dead
     * @return the next record; empty if it leads already, is not fit to lead, or a reassignment is under way
     */
    static Optional<PartitionState> preferred(PartitionState state, Map<Integer, BrokerRegistration> living) {
        int broker = state.assignment().get(0);
        BrokerRegistration registration = living.get(broker);
        if (registration == null
                || !registration.isRunning()
                || registration.incarnation() != state.isrIncarnation(broker)
                || state.isReassigning()
                || state.leader().broker() == broker) {
            return Optional.empty();
        }
        return Optional.of(led(state, new Replica(broker, registration.incarnation()), living));
    }

    /**
     * Decides on the wish for the preferred leader.
     *
     * @param name of the partition, for messages
     * @param state the stored record
     * @param living all registered brokers by id that are not proven dead
     * @return the next record, or why there is none
     */
    static Ruling preferred(String name, PartitionState state, Map<Integer, BrokerRegistration> living) {
        int broker = state.assignment().get(0);
        if (state.leader().broker() == broker) {
            return Ruling.noChange("the preferred leader leads already: partition=" + name + ", broker=" + broker
                    + "; nothing was changed");
        }
        if (state.isReassigning()) {
            return Ruling.refused("a reassignment is under way: partition=" + name + ", target=" + state.target()
                    + "; wait for its end, or cancel it");
        }
        return preferred(state, living)
                .map(Ruling::write)
                .orElseGet(() -> Ruling.refused("the preferred leader is not fit to lead: partition=" + name
                        + ", broker=" + broker + ", isr=" + state.isr()
                        + "; it must run and be in the ISR, start it and wait"));
    }

    /**
     * Decides on the wish for a leader that may lack committed records. The first replica of the assignment that runs
     * is taken; it alone is the new ISR.
     *
     * @param name of the partition, for messages
     * @param state the stored record
     * @param living all registered brokers by id that are not proven dead
     * @return the next record, or why there is none
     */
    static Ruling unclean(String name, PartitionState state, Map<Integer, BrokerRegistration> living) {
        if (isAlive(state.leader(), living)) {
            return Ruling.noChange("the partition has a leader: partition=" + name + ", leader=" + state.leader()
                    + "; nothing was changed");
        }
        if (elect(state, living) != null) {
            return Ruling.refused("a replica that has everything can lead: partition=" + name + ", isr=" + state.isr()
                    + ", elr=" + state.elr() + "; wait for its election");
        }
        for (int broker : order(state)) {
            BrokerRegistration registration = living.get(broker);
            if (registration != null && registration.isRunning()) {
                Replica leader = new Replica(broker, registration.incarnation());
                return Ruling.write(state.withLeader(leader, List.of(leader), List.of()));
            }
        }
        return Ruling.refused("no replica runs: partition=" + name + ", replicas=" + order(state)
                + "; start a broker that holds one");
    }

    private static PartitionState led(PartitionState state, Replica leader, Map<Integer, BrokerRegistration> brokers) {
        List<Replica> isr = new ArrayList<>();
        List<Replica> elr = new ArrayList<>();
        isr.add(leader);
        for (Replica member : state.isr()) {
            if (member.broker() != leader.broker()) {
                (isAliveAndRunning(member, brokers) ? isr : elr).add(member);
            }
        }
        for (Replica member : state.elr()) {
            if (member.broker() != leader.broker()) {
                elr.add(member);
            }
        }
        return state.withLeader(leader, isr, isr.size() < state.effectiveMinIsr() ? elr : List.of());
    }

    private static @Nullable Replica elect(PartitionState state, Map<Integer, BrokerRegistration> brokers) {
        Replica restarted = null;
        for (int broker : order(state)) {
            long entry = state.isrIncarnation(broker);
            BrokerRegistration registration = brokers.get(broker);
            if (registration != null && isElectable(entry, registration)) {
                if (entry == registration.incarnation()) {
                    return new Replica(broker, entry);
                }
                if (restarted == null) {
                    restarted = new Replica(broker, registration.incarnation());
                }
            }
        }
        return restarted != null ? restarted : electEligible(state, brokers);
    }

    private static @Nullable Replica electEligible(PartitionState state, Map<Integer, BrokerRegistration> brokers) {
        for (int broker : order(state)) {
            BrokerRegistration registration = brokers.get(broker);
            if (registration != null && isElectable(state.elrIncarnation(broker), registration)) {
                return new Replica(broker, registration.incarnation());
            }
        }
        return null;
    }

    private static List<Integer> order(PartitionState state) {
        List<Integer> order = new ArrayList<>(state.assignment());
        for (int broker : state.adding()) {
            if (!order.contains(broker)) {
                order.add(broker);
            }
        }
        return order;
    }

    private static boolean isElectable(long entry, BrokerRegistration registration) {
        return entry >= registration.intactSince()
                && entry <= registration.incarnation()
                && registration.isRunning()
                && entry >= 0;
    }

    /**
     * Tells whether a process is registered under this very incarnation, running or leaving.
     *
     * @param replica the process
     * @param brokers all registered brokers by id
     * @return true if it is
     */
    static boolean isAlive(Replica replica, Map<Integer, BrokerRegistration> brokers) {
        BrokerRegistration registration = brokers.get(replica.broker());
        return registration != null && registration.incarnation() == replica.incarnation();
    }

    private static boolean isAliveAndRunning(Replica replica, Map<Integer, BrokerRegistration> brokers) {
        BrokerRegistration registration = brokers.get(replica.broker());
        return registration != null && registration.incarnation() == replica.incarnation() && registration.isRunning();
    }
}

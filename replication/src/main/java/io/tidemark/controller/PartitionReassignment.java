package io.tidemark.controller;

import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The moves of a partition's replicas from one set of brokers to another, as writes of its one record. The record holds
 * the phase, so that any later controller goes on where this one stopped.
 *
 * <table>
 *   <caption>Phases of a reassignment</caption>
 *   <tr><th>phase</th><th>record</th><th>left by</th></tr>
 *   <tr><td>none</td><td>no target</td><td>start: the target is noted, its new brokers are being added. A target that
 *       only changes the order is in force at once</td></tr>
 *   <tr><td>growing</td><td>assignment as before, target, adding, removing</td><td>every broker of the target is in
 *       the ISR of this very version, lives and runs: one write makes the target the assignment, takes all others out
 *       of the ISR, and has a broker of the target lead. Or a cancel: one write takes the added brokers out again. Or
 *       another start: one write replaces the target</td></tr>
 * </table>
 *
 * <p>The assignment stays as it was until the switch, so that the minimum of in-sync replicas is that of the old
 * replicas, a cancel restores them exactly, and a dead target stops nothing but the switch. No write takes the ISR
 * below its minimum. Brokers that are not in the record any more stop by themselves as they learn of it.
 *
 * <p>A pure function.
 *
 * <p>Source: KIP-455; KAFKA-15665 (all targets in the ISR of the version that is replaced); CASES CP-08, CP-10.
 */
final class PartitionReassignment {
    private PartitionReassignment() {}

    /**
     * The record that ends a reassignment whose targets are ready.
     *
     * @param state the stored record
     * @param living all registered brokers by id that are not proven dead
     * @return the next record; empty if none is under way or a target is not ready
     */
    static Optional<PartitionState> completed(PartitionState state, Map<Integer, BrokerRegistration> living) {
        if (!state.isReassigning()) {
            return Optional.empty();
        }
        for (int broker : state.target()) {
            if (!isReady(state, broker, living)) {
                return Optional.empty();
            }
        }
        int first = state.target().get(0);
        Replica leader = state.target().contains(state.leader().broker())
                ? state.leader()
                : new Replica(first, state.isrIncarnation(first));
        return Optional.of(state.withReplicas(state.target(), List.of(), leader));
    }

    /**
     * Decides on a start, or on another target of a reassignment under way. The old assignment as target ends it.
     *
     * @param name of the partition, for messages
     * @param state the stored record
     * @param target brokers in the end, the preferred leader first
     * @param living all registered brokers by id that are not proven dead
     * @return the next record, or why there is none
     */
    static Ruling start(
            String name, PartitionState state, List<Integer> target, Map<Integer, BrokerRegistration> living) {
        Optional<String> problem = problem(name, state, target, living);
        if (problem.isPresent()) {
            return Ruling.refused(problem.get());
        }
        if (target.equals(state.isReassigning() ? state.target() : state.assignment())) {
            return Ruling.noChange("the replicas are there or on their way already: partition=" + name + ", replicas="
                    + target + "; nothing was changed");
        }
        if (state.isReassigning() && target.equals(state.assignment())) {
            return cancel(name, state, living);
        }
        Set<Integer> holders = new LinkedHashSet<>(state.assignment());
        boolean isOrderOnly = target.size() == holders.size() && holders.containsAll(target);
        List<Integer> assignment = isOrderOnly ? target : state.assignment();
        holders.addAll(target);
        return kept(
                name,
                state,
                holders,
                living,
                leader -> state.withReplicas(assignment, isOrderOnly ? List.of() : target, leader));
    }

    /**
     * Decides on a cancel: the replicas are those of before.
     *
     * @param name of the partition, for messages
     * @param state the stored record
     * @param living all registered brokers by id that are not proven dead
     * @return the next record, or why there is none
     */
    static Ruling cancel(String name, PartitionState state, Map<Integer, BrokerRegistration> living) {
        if (!state.isReassigning()) {
            return Ruling.noChange("no reassignment is under way: partition=" + name + ", replicas="
                    + state.assignment() + "; nothing was changed");
        }
        return kept(
                name,
                state,
                new LinkedHashSet<>(state.assignment()),
                living,
                leader -> state.withReplicas(state.assignment(), List.of(), leader));
    }

    /** Makes the next record. */
    private interface Next {
        PartitionState with(Replica leader);
    }

    /** Takes others than the holders out, unless that would take the ISR below its minimum or leave nobody to lead. */
    private static Ruling kept(
            String name,
            PartitionState state,
            Set<Integer> holders,
            Map<Integer, BrokerRegistration> living,
            Next next) {
        long kept = state.isr().stream()
                .filter(member -> holders.contains(member.broker()))
                .count();
        if (kept < Math.min(state.effectiveMinIsr(), state.isr().size())) {
            return Ruling.refused("too few of the remaining replicas are in sync: partition=" + name + ", remaining="
                    + holders + ", isr=" + state.isr() + ", effectiveMinIsr=" + state.effectiveMinIsr()
                    + "; bring them back first, or choose other brokers");
        }
        if (state.leader().isNone() || holders.contains(state.leader().broker())) {
            return Ruling.write(next.with(state.leader()));
        }
        for (int broker : holders) {
            if (isReady(state, broker, living)) {
                return Ruling.write(next.with(new Replica(broker, state.isrIncarnation(broker))));
            }
        }
        return Ruling.refused("none of the remaining replicas can lead: partition=" + name + ", remaining=" + holders
                + ", isr=" + state.isr() + "; bring one of them back first, or choose other brokers");
    }

    private static Optional<String> problem(
            String name, PartitionState state, List<Integer> target, Map<Integer, BrokerRegistration> living) {
        if (target.isEmpty()) {
            return Optional.of("a partition needs a replica: partition=" + name + ", replicas=[]; name its brokers");
        }
        if (new HashSet<>(target).size() < target.size()) {
            return Optional.of(
                    "a broker is named twice: partition=" + name + ", replicas=" + target + "; name each broker once");
        }
        for (int broker : target) {
            BrokerRegistration registration = living.get(broker);
            boolean isRunning = registration != null && registration.isRunning();
            if (!isRunning && !state.isReplica(broker)) {
                return Optional.of("a new replica needs a running broker: partition=" + name + ", replicas=" + target
                        + ", broker=" + broker + ", runningBrokers=" + running(living)
                        + "; start it, or choose another one");
            }
        }
        return Optional.empty();
    }

    private static List<Integer> running(Map<Integer, BrokerRegistration> living) {
        return living.values().stream()
                .filter(BrokerRegistration::isRunning)
                .map(BrokerRegistration::broker)
                .sorted()
                .toList();
    }

    private static boolean isReady(PartitionState state, int broker, Map<Integer, BrokerRegistration> living) {
        BrokerRegistration registration = living.get(broker);
        return registration != null
                && registration.isRunning()
                && registration.incarnation() == state.isrIncarnation(broker);
    }
}

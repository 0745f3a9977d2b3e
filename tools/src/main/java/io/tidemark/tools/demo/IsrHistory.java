package io.tidemark.tools.demo;

import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The states of one partition, in the order in which they were seen in the coordination service. A watch may skip
 * states between two that it shows, so that counts are lower bounds. Not thread-safe.
 */
final class IsrHistory {
    private static final int STATES_MAX = 10_000;

    private final List<Seen> states = new ArrayList<>();
    private int shrinks;
    private int grows;

    /**
     * A state and when it was seen.
     *
     * @param state the state
     * @param atNs the time, in nanoseconds
     */
    record Seen(PartitionState state, long atNs) {}

    /**
     * A state was seen. One that is not newer than the last is left out.
     *
     * @param state the state
     * @param nowNs the time
     */
    void onState(PartitionState state, long nowNs) {
        if (!states.isEmpty()) {
            PartitionState last = last();
            if (state.partitionEpoch() <= last.partitionEpoch()) {
                return;
            }
            Set<Replica> before = new HashSet<>(last.isr());
            Set<Replica> after = new HashSet<>(state.isr());
            shrinks += after.containsAll(before) ? 0 : 1;
            grows += before.containsAll(after) ? 0 : 1;
        }
        if (states.size() == STATES_MAX) {
            states.remove(0);
        }
        states.add(new Seen(state, nowNs));
    }

    /**
     * Tells whether a state was seen at all.
     *
     * @return false before the first
     */
    boolean isEmpty() {
        return states.isEmpty();
    }

    /**
     * The latest state.
     *
     * @return the state; there must be one
     */
    PartitionState last() {
        return states.get(states.size() - 1).state();
    }

    /**
     * When a leader of a later epoch was seen first.
     *
     * @param leaderEpoch the epoch before
     * @return the time, or empty if no later epoch was seen
     */
    OptionalLong firstSeenAfterEpoch(int leaderEpoch) {
        return states.stream()
                .filter(seen -> seen.state().leaderEpoch() > leaderEpoch)
                .mapToLong(Seen::atNs)
                .findFirst();
    }

    /**
     * How often a member left the in-sync replicas, by (broker, incarnation).
     *
     * @return the number of changes that dropped one or more
     */
    int shrinks() {
        return shrinks;
    }

    /**
     * How often a member joined the in-sync replicas, by (broker, incarnation).
     *
     * @return the number of changes that added one or more
     */
    int grows() {
        return grows;
    }

    /**
     * All states in order, for messages.
     *
     * @return an unmodifiable view
     */
    List<Seen> states() {
        return Collections.unmodifiableList(states);
    }
}

package io.tidemark.controller;

import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Brings leadership back to preferred leaders, so that load is spread as it was placed.
 *
 * <p>At each look, a broker that is preferred by more partitions led by others than the settings allow gets them back,
 * those of which it is fit to lead: in the ISR, alive, running, and no reassignment under way. A broker counts only if
 * this very process was there at the look before: one that comes and goes gets nothing. A partition moves at most once
 * per look, and a look moves a limited number; the rest follows with the next ones.
 *
 * <p>Pure but for what it remembers of the last look. Owned by the controller's core.
 *
 * <p>Source: Kafka's auto.leader.rebalance.enable; KAFKA-9866, KAFKA-4360; CASES CP-11.
 */
final class PreferredLeaderBalance {
    /** Partitions that one look moves at most. */
    static final int MOVES_MAX = 256;

    private static final int PERCENT = 100;

    private final ControllerSettings settings;
    private final Set<Replica> seen = new HashSet<>();
    private boolean hasLooked;
    private long nextLookNs;

    /**
     * Begins without a look.
     *
     * @param settings whether, how far and how often
     */
    PreferredLeaderBalance(ControllerSettings settings) {
        this.settings = settings;
    }

    /**
     * Whether it is time to look.
     *
     * @param nowNs now
     * @return true if it is; the next look is due an interval later
     */
    boolean isDue(long nowNs) {
        if (!settings.isBalancing() || (hasLooked && nextLookNs - nowNs > 0)) {
            return false;
        }
        hasLooked = true;
        nextLookNs = nowNs + settings.balanceIntervalNs();
        return true;
    }

    /**
     * Looks at the balance.
     *
     * @param states the records by partition
     * @param living all registered brokers by id that are not proven dead
     * @return the records to write; none that would not be wanted if it alone were written
     */
    Map<PartitionId, PartitionState> look(
            Map<PartitionId, PartitionState> states, Map<Integer, BrokerRegistration> living) {
        Map<Integer, Integer> preferred = new LinkedHashMap<>();
        Map<Integer, List<PartitionId>> away = new LinkedHashMap<>();
        states.forEach((id, state) -> {
            int broker = state.assignment().get(0);
            preferred.merge(broker, 1, Integer::sum);
            if (state.leader().broker() != broker) {
                away.computeIfAbsent(broker, none -> new ArrayList<>()).add(id);
            }
        });
        Map<PartitionId, PartitionState> moves = new LinkedHashMap<>();
        away.forEach((broker, ids) -> {
            boolean isBeyond = (long) ids.size() * PERCENT
                    > (long) settings.imbalancePercent() * preferred.getOrDefault(broker, 0);
            if (isBeyond && isTrusted(living.get(broker))) {
                for (PartitionId id : ids) {
                    move(id, states, living)
                            .filter(next -> moves.size() < MOVES_MAX)
                            .ifPresent(next -> moves.put(id, next));
                }
            }
        });
        remember(living);
        return moves;
    }

    private static Optional<PartitionState> move(
            PartitionId id, Map<PartitionId, PartitionState> states, Map<Integer, BrokerRegistration> living) {
        PartitionState state = states.get(id);
        return state == null ? Optional.empty() : LeaderSelector.preferred(state, living);
    }

    private boolean isTrusted(@Nullable BrokerRegistration registration) {
        return registration != null && seen.contains(new Replica(registration.broker(), registration.incarnation()));
    }

    private void remember(Map<Integer, BrokerRegistration> living) {
        seen.clear();
        for (BrokerRegistration registration : living.values()) {
            if (registration.isRunning()) {
                seen.add(new Replica(registration.broker(), registration.incarnation()));
            }
        }
    }
}

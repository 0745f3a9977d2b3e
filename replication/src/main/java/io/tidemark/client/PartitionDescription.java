package io.tidemark.client;

import java.util.List;

/**
 * State of a partition as a broker knows it.
 *
 * @param partition from 0
 * @param leader id of the leading broker, −1 if there is none
 * @param leaderIncarnation process life of the leader, −1 if there is none
 * @param leaderEpoch term of the leader
 * @param partitionEpoch version of the state
 * @param isr ids of the in-sync replicas
 * @param elr ids of the replicas that are out of sync yet hold everything committed
 * @param assignment ids of all replicas, the preferred leader first
 * @param minIsr in-sync replicas without which acks ALL are refused
 * @param adding ids of replicas that a reassignment adds
 * @param removing ids of replicas that a reassignment removes
 */
public record PartitionDescription(
        int partition,
        int leader,
        long leaderIncarnation,
        int leaderEpoch,
        int partitionEpoch,
        List<Integer> isr,
        List<Integer> elr,
        List<Integer> assignment,
        int minIsr,
        List<Integer> adding,
        List<Integer> removing) {
    /**
     * Whether fewer replicas are in sync than are assigned.
     *
     * @return true if a copy is missing or behind
     */
    public boolean isUnderReplicated() {
        return isr.size() < assignment.size();
    }

    /**
     * Whether acks ALL are refused since too few replicas are in sync.
     *
     * @return true if the ISR is below its minimum
     */
    public boolean isBelowMinIsr() {
        return isr.size() < Math.min(minIsr, assignment.size());
    }

    /**
     * Whether a reassignment is under way.
     *
     * @return true if replicas are being added or removed
     */
    public boolean isReassigning() {
        return !adding.isEmpty() || !removing.isEmpty();
    }
}

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
        int minIsr) {}

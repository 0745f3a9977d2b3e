package io.tidemark.client;

import java.util.List;

/**
 * Where the replicas of a partition are to be.
 *
 * @param topic its topic
 * @param partition its number, from 0
 * @param replicas ids of the brokers, the preferred leader first
 */
public record PartitionMove(String topic, int partition, List<Integer> replicas) {
    /**
     * Copies the list.
     *
     * @param topic its topic
     * @param partition its number
     * @param replicas ids of the brokers
     */
    public PartitionMove {
        replicas = List.copyOf(replicas);
    }
}

package io.tidemark.controller;

import io.tidemark.partition.Durability;
import java.util.UUID;

/**
 * A topic as it is stored: what was decided when it was created.
 *
 * @param name the topic's name
 * @param topicId its id, never used for another topic
 * @param partitions number of partitions, at least 1
 * @param replicationFactor copies of each partition, at least 1
 * @param minIsr wanted minimum of in-sync replicas, at least 1
 * @param durability when a copy counts
 */
public record TopicState(
        String name, UUID topicId, int partitions, int replicationFactor, int minIsr, Durability durability) {
    /**
     * Checks the numbers.
     *
     * @param name the topic's name
     * @param topicId its id
     * @param partitions number of partitions
     * @param replicationFactor copies of each partition
     * @param minIsr wanted minimum of in-sync replicas
     * @param durability when a copy counts
     * @throws IllegalArgumentException if a number is below 1
     */
    public TopicState {
        if (partitions < 1 || replicationFactor < 1 || minIsr < 1) {
            throw new IllegalArgumentException("invalid topic: name=" + name + ", partitions=" + partitions
                    + ", replicationFactor=" + replicationFactor + ", minIsr=" + minIsr
                    + "; each must be at least 1");
        }
    }
}

package io.tidemark.controller;

import io.tidemark.partition.Durability;

/**
 * A wish for a new topic. {@link #DEFAULT} stands for the default of a number.
 *
 * @param name the topic's name
 * @param partitions number of partitions, 0 or -1 for the default
 * @param replicationFactor copies of each partition, 0 or -1 for the default
 * @param minIsr wanted minimum of in-sync replicas, 0 or -1 for the default
 * @param durability when a copy counts
 */
public record CreateTopic(String name, int partitions, int replicationFactor, int minIsr, Durability durability) {
    /** Stands for the default of a number. */
    public static final int DEFAULT = -1;
}

package io.tidemark.controller;

import io.tidemark.partition.Durability;
import java.util.List;

/**
 * A wish for a new topic. {@link #DEFAULT} stands for the default of a number.
 *
 * @param name the topic's name
 * @param partitions number of partitions, 0 or -1 for the default, which is that of the assignment if one is given
 * @param replicationFactor copies of each partition, 0 or -1 for the default, as above
 * @param minIsr wanted minimum of in-sync replicas, 0 or -1 for the default
 * @param durability when a copy counts
 * @param placement rule by which brokers are chosen; not used with an assignment
 * @param assignment brokers of each partition, the preferred leader first; empty if the controller is to choose
 * @param config what the topic keeps differently from the brokers' defaults
 */
public record CreateTopic(
        String name,
        int partitions,
        int replicationFactor,
        int minIsr,
        Durability durability,
        Placement placement,
        List<List<Integer>> assignment,
        TopicConfig config)
        implements AdminWish {
    /** Stands for the default of a number. */
    public static final int DEFAULT = -1;

    /**
     * Copies the lists.
     *
     * @param name the topic's name
     * @param partitions number of partitions
     * @param replicationFactor copies of each partition
     * @param minIsr wanted minimum of in-sync replicas
     * @param durability when a copy counts
     * @param placement rule by which brokers are chosen
     * @param assignment brokers of each partition
     * @param config what the topic keeps differently
     */
    public CreateTopic {
        assignment = assignment.stream().map(List::copyOf).toList();
    }

    /**
     * A topic whose replicas are spread over the brokers.
     *
     * @param name the topic's name
     * @param partitions number of partitions
     * @param replicationFactor copies of each partition
     * @param minIsr wanted minimum of in-sync replicas
     * @param durability when a copy counts
     */
    public CreateTopic(String name, int partitions, int replicationFactor, int minIsr, Durability durability) {
        this(name, partitions, replicationFactor, minIsr, durability, Placement.SPREAD, List.of(), TopicConfig.DEFAULT);
    }
}

package io.tidemark.controller;

import java.util.List;

/**
 * A wish for more partitions of a topic.
 *
 * @param topic the topic's name
 * @param partitions number of partitions that it is to have then
 * @param placement rule by which brokers are chosen; not used with an assignment
 * @param assignment brokers of each new partition, the preferred leader first; empty if the controller is to choose
 */
public record AddPartitions(String topic, int partitions, Placement placement, List<List<Integer>> assignment)
        implements AdminWish {
    /**
     * Copies the lists.
     *
     * @param topic the topic's name
     * @param partitions number of partitions
     * @param placement rule by which brokers are chosen
     * @param assignment brokers of each new partition
     */
    public AddPartitions {
        assignment = assignment.stream().map(List::copyOf).toList();
    }
}

package io.tidemark.controller;

import io.tidemark.partition.PartitionState;
import java.util.List;

/**
 * A topic to be stored with its new partitions: for a new topic all of them, for a topic that grows those that are
 * added.
 *
 * @param topic the topic as it is to be
 * @param firstPartition number of the first new partition
 * @param partitions the records of the new partitions, in order
 */
public record TopicChange(TopicState topic, int firstPartition, List<PartitionState> partitions) {
    /**
     * Copies the list.
     *
     * @param topic the topic
     * @param firstPartition number of the first new partition
     * @param partitions the records
     */
    public TopicChange {
        partitions = List.copyOf(partitions);
    }

    /**
     * Whether the topic does not exist yet.
     *
     * @return false if it grows
     */
    public boolean isNew() {
        return topic.revision() == 0;
    }
}

package io.tidemark.partition;

import java.util.UUID;

/**
 * Identity of a partition: topic ids are never used twice, so neither is this, even if a topic of the same name is
 * created again.
 *
 * @param topicId id of the topic
 * @param partition index within the topic, from 0
 */
public record PartitionId(UUID topicId, int partition) {
    /**
     * Checks the index.
     *
     * @param topicId id of the topic
     * @param partition index within the topic
     * @throws IllegalArgumentException if the index is negative
     */
    public PartitionId {
        if (partition < 0) {
            throw new IllegalArgumentException("partition index must not be negative: partition=" + partition);
        }
    }

    @Override
    public String toString() {
        return topicId + "/" + partition;
    }
}

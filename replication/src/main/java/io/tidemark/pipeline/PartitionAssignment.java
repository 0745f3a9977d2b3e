package io.tidemark.pipeline;

import io.tidemark.log.TopicPartition;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import org.jspecify.annotations.Nullable;

/**
 * A partition's state record on its way to the lane, which takes the role that the record gives to this broker.
 *
 * @param topicPartition name of the folder
 * @param id of the partition
 * @param state as stored
 * @param log of the replica; null if the lane was given it before, or if this broker is no replica
 * @param self this broker in its current incarnation
 */
public record PartitionAssignment(
        TopicPartition topicPartition,
        PartitionId id,
        PartitionState state,
        @Nullable LogHandle log,
        Replica self) {}

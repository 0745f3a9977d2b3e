package io.tidemark.controller;

import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.StateVersion;
import java.util.List;

/** Receiver of what a {@link ControllerCore} decides. Called from within its methods, on the same thread. */
public interface ControllerDecisions {
    /**
     * Asks for a conditional write of a partition's record, which must also check the controller's epoch in the same
     * transaction. At most one write per partition is outstanding; its end is told by one of
     * {@link ControllerCore#onWriteCommitted}, {@link ControllerCore#onWriteConflict} and
     * {@link ControllerCore#onWriteUnknown}.
     *
     * @param id the partition
     * @param expected the version that the record must have
     * @param state the record to write
     */
    void writePartition(PartitionId id, StateVersion expected, PartitionState state);

    /**
     * Asks for the creation of a topic with all its partitions in one transaction, which must also check the
     * controller's epoch. Its end is told by one of {@link ControllerCore#onTopicCreated},
     * {@link ControllerCore#onTopicExists} and {@link ControllerCore#onTopicFailed}.
     *
     * @param requestId the request that asked for it
     * @param topic the topic
     * @param partitions the records of its partitions, by index
     */
    void createTopic(long requestId, TopicState topic, List<PartitionState> partitions);

    /**
     * Tells that a record is now stored and newer than what was told before, so that the brokers and clients get it.
     *
     * @param id the partition
     * @param state the record
     * @param version its version
     */
    void publish(PartitionId id, PartitionState state, StateVersion version);

    /**
     * Answers a request for a topic. Called once per request, unless the controller resigns before.
     *
     * @param requestId the request
     * @param result how it ended
     */
    void replyCreateTopic(long requestId, CreateTopicResult result);
}

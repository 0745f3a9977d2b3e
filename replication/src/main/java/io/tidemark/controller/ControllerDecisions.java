package io.tidemark.controller;

import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.StateVersion;

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
     * Asks for a topic to be stored with its new partitions. The record of the topic is written in the last of as many
     * transactions as are needed, so that others see all of it or nothing; each checks the controller's epoch, and is
     * repeated until its outcome is certain. The end is told by {@link ControllerCore#onTopicStored} or
     * {@link ControllerCore#onTopicNotStored}.
     *
     * @param requestId the request that asked for it
     * @param change the topic and its new partitions
     */
    void storeTopic(long requestId, TopicChange change);

    /**
     * Asks for a topic to be deleted: its own record goes, and a tombstone comes, in one transaction that checks the
     * controller's epoch and is repeated until its outcome is certain. The end is told by
     * {@link ControllerCore#onTopicDeleted} or {@link ControllerCore#onTopicNotDeleted}. The records of its partitions
     * follow, whoever is controller then.
     *
     * @param requestId the request that asked for it
     * @param topic the topic
     */
    void deleteTopic(long requestId, TopicState topic);

    /**
     * Tells that a topic is configured anew, so that the brokers hear of it.
     *
     * @param topic the topic as it is now
     */
    void publishTopic(TopicState topic);

    /**
     * Tells that a topic is deleted for ever, so that the brokers and clients hear of it.
     *
     * @param topic the topic as it was
     */
    void publishDeletion(TopicState topic);

    /**
     * Tells that a record is now stored and newer than what was told before, so that the brokers and clients get it.
     *
     * @param id the partition
     * @param state the record
     * @param version its version
     */
    void publish(PartitionId id, PartitionState state, StateVersion version);

    /**
     * Answers a request. Called once per request, unless the controller resigns before.
     *
     * @param requestId the request
     * @param result how it ended
     */
    void reply(long requestId, AdminResult result);
}

package io.tidemark.pipeline;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.log.Log;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.sbe.ConsumeRequestDecoder;
import io.tidemark.wire.sbe.FetchRequestDecoder;
import java.util.List;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What passes through the three stages: a slot of the ring, or the lane's one event for what comes from its own
 * sockets. The first part is set by whoever made the event, the second by a stage for those after it. Owned by its
 * producer until it is published, then by the stage that handles it.
 */
final class ReplicationEvent {
    /** Kind of the event. */
    EventType type = EventType.NONE;
    /** Partition that it concerns; found by the append stage for ring events. */
    @Nullable
    LanePartition partition;
    /** Connection that a request came on. */
    @Nullable
    InboundConnection source;
    /** Of the request. */
    long correlationId;
    /** Epoch that the request names, -1 for any. */
    int leaderEpoch;
    /** What a produce request waits for. */
    int acks;
    /** When a produce request times out. */
    long deadlineNs;
    /** Holds batches, during this event only. */
    @Nullable
    DirectBuffer buffer;
    /** Where the batches start. */
    int index;
    /** Bytes of the batches. */
    int length;
    /** Of the leader, in a fetch reply. */
    long highWatermark;
    /** Of the leader, in a fetch reply. */
    long logStartOffset;
    /** Of the leader, in a fetch reply that diverges. */
    int divergingEpoch;
    /** Of the leader, in a fetch reply that diverges. */
    long divergingEndOffset;
    /** A fetch request, checked. */
    @Nullable
    FetchRequestDecoder fetchRequest;
    /** A read, checked. */
    @Nullable
    ConsumeRequestDecoder consumeRequest;
    /** A record to apply. */
    @Nullable
    PartitionAssignment assignment;
    /** Partition of an ISR result, or one to be released. */
    @Nullable
    PartitionId partitionId;
    /** Record that the later stages enter. */
    @Nullable
    PartitionState state;
    /** Record that was proposed. */
    @Nullable
    PartitionState proposed;
    /** What became of the proposal. */
    @Nullable
    IsrOutcome outcome;
    /** All registered brokers. */
    @Nullable
    List<BrokerRegistration> brokers;
    /** This broker, or a dead process. */
    @Nullable
    Replica replica;
    /** Cluster id, or reason of a fence. */
    @Nullable
    String text;
    /** Reply to send. */
    byte @Nullable [] bytes;

    /** A log with work for its owner. */
    @Nullable
    Log log;
    /** To be run when a partition was released. */
    @Nullable
    Runnable released;
    /** Connection that the reply goes to. */
    long connectionId;
    /** Why a partition failed. */
    @Nullable
    Throwable cause;

    /** Result so far. */
    ErrorCode code = ErrorCode.NONE;
    /** Text for the client, null for the code's own. */
    @Nullable
    String message;
    /** First offset of the appended batch, or the log start. */
    long baseOffset;
    /** End of the appended batch, or the end for clients. */
    long nextOffset;
    /** Role that the record gives. */
    PartitionRole role = PartitionRole.NONE;
    /** Whether the log grew. */
    boolean appended;
    /** Whether the request was answered or is parked. */
    boolean replied;
    /** Whether the role or its epoch changed. */
    boolean roleChanged;
    /** Whether the record is newer than the one before. */
    boolean stateChanged;

    /** Makes the event as good as new; references are given up, so that nothing is kept alive by a free slot. */
    void clear() {
        type = EventType.NONE;
        partition = null;
        source = null;
        buffer = null;
        fetchRequest = null;
        consumeRequest = null;
        assignment = null;
        partitionId = null;
        state = null;
        proposed = null;
        outcome = null;
        brokers = null;
        replica = null;
        text = null;
        log = null;
        released = null;
        bytes = null;
        cause = null;
        code = ErrorCode.NONE;
        message = null;
        role = PartitionRole.NONE;
        appended = false;
        replied = false;
        roleChanged = false;
        stateChanged = false;
    }

    /**
     * Marks the event as failed, unless it is already.
     *
     * @param newCode of the reply
     * @param newMessage for the reply, null for the code's own text
     */
    void fail(ErrorCode newCode, @Nullable String newMessage) {
        if (code == ErrorCode.NONE) {
            code = newCode;
            message = newMessage;
        }
    }
}

package io.tidemark.conductor;

import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;

/**
 * What other agents ask of the conductor. Any thread; never blocks: each call leaves a command behind and returns. What
 * must be answered is answered through the caller's own proxy.
 */
public interface ConductorProxy {
    /**
     * Asks for a conditional write of a partition's state by its leader. Answered by
     * {@link io.tidemark.pipeline.LaneProxy#isrResult}.
     *
     * @param id of the partition
     * @param proposed state to write; its partition epoch is one above that of the state it was made from
     */
    void proposeIsr(PartitionId id, PartitionState proposed);

    /**
     * Hands over a request that the lane does not answer itself. Answered by
     * {@link io.tidemark.pipeline.LaneProxy#reply}.
     *
     * @param connectionId of the connection that it came on
     * @param templateId kind of the message
     * @param header SBE message header and message, owned by the conductor from now on
     */
    void forward(long connectionId, int templateId, byte[] header);

    /**
     * Tells that a connection between this broker and another, for fetches or for the controller's messages, was closed
     * by the other side or by the network, so that the other's process may be dead and its port is worth a probe.
     *
     * @param broker at the other end
     * @param incarnation of it, as its Hello or HelloReply said
     */
    void connectionLost(int broker, long incarnation);

    /**
     * Tells that a partition's replica on this broker works no more until its log was recovered.
     *
     * @param id of the partition
     * @param cause of the failure
     */
    void partitionFailed(PartitionId id, Throwable cause);

    /**
     * Tells that the lane fenced itself: it answers every request with an error and does nothing else any more.
     *
     * @param cause of the failure
     */
    void laneFailed(Throwable cause);
}

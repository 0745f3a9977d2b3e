package io.tidemark.fetch;

import org.agrona.DirectBuffer;

/**
 * Takes what a follower's fetches bring. Called on the lane's thread, for partitions that are followed in the epoch
 * that the answer was given in; all other answers are dropped before.
 */
public interface ReplicaSink {
    /**
     * Batches came.
     *
     * @param partition that they belong to
     * @param buffer that holds them, valid during this call
     * @param index where they start
     * @param length bytes
     * @param highWatermark of the leader
     * @param logStartOffset of the leader
     * @return true if all were appended; false makes the partition back off
     */
    boolean onData(
            FollowedPartition partition,
            DirectBuffer buffer,
            int index,
            int length,
            long highWatermark,
            long logStartOffset);

    /**
     * The log left the leader's. What else the answer says is void.
     *
     * @param partition to truncate
     * @param epoch largest epoch of the leader that is not above the one asked about
     * @param endOffset where that epoch ends at the leader
     * @return true if the log was truncated; false makes the partition back off
     */
    boolean onDiverged(FollowedPartition partition, int epoch, long endOffset);

    /**
     * The leader does not have the offset asked for.
     *
     * @param partition that is behind the leader's log start
     * @param leaderLogStartOffset where the leader's log starts
     * @return true if the log starts there now; false makes the partition back off
     */
    boolean onOutOfRange(FollowedPartition partition, long leaderLogStartOffset);

    /**
     * The leader's high watermark or log start came without data.
     *
     * @param partition that they belong to
     * @param highWatermark of the leader
     * @param logStartOffset of the leader
     */
    void onNews(FollowedPartition partition, long highWatermark, long logStartOffset);

    /** Everything that one read of a socket brought has been handed over: the batch of events ends. */
    void onBatchEnd();

    /**
     * A connection to a leader that had answered was closed by the other side or the network.
     *
     * @param broker id of the leader
     * @param incarnation that its HelloReply named
     */
    void onLeaderLost(int broker, long incarnation);

    /**
     * A leader refuses this broker, for a reason that an operator should know.
     *
     * @param broker id of the leader
     * @param text what was refused, and why
     */
    void onRefused(int broker, String text);

    /**
     * Something went wrong that nobody expects.
     *
     * @param cause of the failure
     */
    void onFailure(Throwable cause);

    /**
     * Time of this batch of events.
     *
     * @return nanoseconds of a monotonic clock
     */
    long nowNs();
}

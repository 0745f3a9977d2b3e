package io.tidemark.pipeline;

/**
 * The state of a partition as the lane last published it, for checkpoints, descriptions and tests. Written by the
 * lane at the end of a batch of events; read by any thread. The values are read one by one and may stem from two
 * batches.
 */
public final class PartitionGauge {
    private volatile long highWatermark = -1;
    private volatile long logEndOffset = -1;
    private volatile int leaderEpoch = -1;
    private volatile PartitionRole role = PartitionRole.NONE;

    /** Creates a gauge of a partition that has no role yet. */
    public PartitionGauge() {}

    /**
     * Exclusive end of what is known to be committed.
     *
     * @return the offset, -1 before the partition had a role
     */
    public long highWatermark() {
        return highWatermark;
    }

    /**
     * Offset of the next record.
     *
     * @return the offset, -1 before the partition had a role
     */
    public long logEndOffset() {
        return logEndOffset;
    }

    /**
     * Epoch in which the role is held.
     *
     * @return the epoch, -1 before the partition had a role
     */
    public int leaderEpoch() {
        return leaderEpoch;
    }

    /**
     * Role of this broker.
     *
     * @return the role
     */
    public PartitionRole role() {
        return role;
    }

    /**
     * Publishes what changed. The lane's thread.
     *
     * @param newRole of this broker
     * @param newLeaderEpoch of the role
     * @param newHighWatermark exclusive end of what is committed
     * @param newLogEndOffset of the log
     */
    void publish(PartitionRole newRole, int newLeaderEpoch, long newHighWatermark, long newLogEndOffset) {
        if (logEndOffset != newLogEndOffset) {
            logEndOffset = newLogEndOffset;
        }
        if (highWatermark != newHighWatermark) {
            highWatermark = newHighWatermark;
        }
        if (leaderEpoch != newLeaderEpoch) {
            leaderEpoch = newLeaderEpoch;
        }
        if (role != newRole) {
            role = newRole;
        }
    }
}

package io.tidemark.partition;

/** Receiver of what a {@link PartitionLeader} decides. Called from within its methods, on the same thread. */
public interface LeaderDecisions {
    /**
     * Asks for a conditional write of the state record. At most one proposal of a leader is outstanding.
     *
     * @param proposed the wanted record; its partition epoch is that of the stored record plus one
     */
    void proposeIsr(PartitionState proposed);

    /**
     * Tells that records were committed.
     *
     * @param highWatermark the new exclusive end of what is committed, higher than any told before in this epoch
     */
    void highWatermarkAdvanced(long highWatermark);
}

package io.tidemark.partition;

/**
 * The leader epochs of a local log, asked while a follower looks for the point up to which it and its leader agree.
 *
 * <p>An epoch that began here without a record says nothing about the log. It must give way to the next batch that a
 * leader sends, even if that carries a lower epoch: a broker that led for a moment and wrote nothing may later follow
 * one that still has records of an older epoch.
 */
public interface EpochHistory {
    /** Stands for "no epoch": the log holds no batch, or none of so low an epoch. */
    int NO_EPOCH = -1;

    /**
     * The epoch of the last batch.
     *
     * @return the epoch, {@link #NO_EPOCH} if the log is empty
     */
    int lastBatchEpoch();

    /**
     * The end of an epoch.
     *
     * @param epoch the epoch asked for
     * @return the largest epoch that is not above it, with its end
     */
    EpochEnd endOffsetForEpoch(int epoch);
}

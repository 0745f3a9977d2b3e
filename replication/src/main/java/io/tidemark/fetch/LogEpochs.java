package io.tidemark.fetch;

import io.tidemark.log.Log;
import io.tidemark.partition.EpochEnd;
import io.tidemark.partition.EpochHistory;

/**
 * A log's epochs for the decisions of the follower.
 *
 * @param log to ask
 */
public record LogEpochs(Log log) implements EpochHistory {
    @Override
    public int lastBatchEpoch() {
        return lastBatchEpoch(log);
    }

    @Override
    public EpochEnd endOffsetForEpoch(int epoch) {
        io.tidemark.log.EpochEnd end = log.endOffsetForEpoch(epoch);
        return new EpochEnd(end.epoch(), end.endOffset());
    }

    /**
     * Epoch of a log's last batch. The latest epoch of a log may have begun without a batch; the one before it has
     * some, since an epoch that begins where another did takes its place.
     *
     * @param log to ask
     * @return the epoch, -1 if the log is empty
     */
    static int lastBatchEpoch(Log log) {
        int latest = log.latestEpoch();
        if (latest == Log.NO_EPOCH || log.logStartOffset() == log.logEndOffset()) {
            return NO_EPOCH;
        }
        io.tidemark.log.EpochEnd before = log.endOffsetForEpoch(latest - 1);
        return before.endOffset() < log.logEndOffset() ? latest : before.epoch();
    }
}

package io.tidemark.log;

import java.nio.file.Path;
import org.agrona.DirectBuffer;

/** One log. */
@SuppressWarnings("DoNotCallSuggester")
public final class Log implements AutoCloseable {
    /** No offset. */
    public static final long NO_OFFSET = -1;
    /** No epoch. */
    public static final int NO_EPOCH = -1;

    private Log() {}

    private static UnsupportedOperationException later() {
        return new UnsupportedOperationException("lands within the hour");
    }

    /**
     * Opens a log alone.
     *
     * @param dir folder
     * @param config settings
     * @return the log
     */
    public static Log open(Path dir, LogConfig config) {
        throw later();
    }

    /**
     * Start.
     *
     * @return first offset kept
     */
    public long logStartOffset() {
        throw later();
    }

    /**
     * End.
     *
     * @return next offset
     */
    public long logEndOffset() {
        throw later();
    }

    /**
     * Flushed.
     *
     * @return end of what was forced
     */
    public long flushedOffset() {
        throw later();
    }

    /**
     * Latest epoch.
     *
     * @return epoch or NO_EPOCH
     */
    public int latestEpoch() {
        throw later();
    }

    /**
     * Failed.
     *
     * @return whether the log failed for good
     */
    public boolean isFailed() {
        throw later();
    }

    /**
     * Appends as leader.
     *
     * @param batch holds exactly one batch
     * @param index of it
     * @param length of it
     * @param leaderEpoch epoch
     * @return base offset
     */
    public long append(DirectBuffer batch, int index, int length, int leaderEpoch) {
        throw later();
    }

    /**
     * Appends as follower.
     *
     * @param batches whole batches
     * @param index of the first
     * @param length of all
     * @param maxEpoch greatest allowed
     * @return new LEO
     */
    public long appendReplicated(DirectBuffer batches, int index, int length, int maxEpoch) {
        throw later();
    }

    /**
     * Starts an epoch.
     *
     * @param leaderEpoch epoch
     */
    public void startEpoch(int leaderEpoch) {
        throw later();
    }

    /**
     * End of an epoch.
     *
     * @param epoch asked
     * @return known epoch and end
     */
    public EpochEnd endOffsetForEpoch(int epoch) {
        throw later();
    }

    /**
     * Truncates.
     *
     * @param offset target
     * @return new LEO
     */
    public long truncateTo(long offset) {
        throw later();
    }

    /**
     * Empties.
     *
     * @param offset start
     */
    public void truncateFullyAndStartAt(long offset) {
        throw later();
    }

    /** Forces. */
    public void flush() {
        throw later();
    }

    /**
     * Reads.
     *
     * @param fromOffset from
     * @param maxBytes bytes
     * @param limitOffset exclusive
     * @param into lease
     * @return false when nothing
     */
    public boolean read(long fromOffset, int maxBytes, long limitOffset, LogSlice into) {
        throw later();
    }

    /**
     * Walks.
     *
     * @param fromOffset from
     * @param toOffset to
     * @param handler of each batch
     */
    public void forEachBatch(long fromOffset, long toOffset, BatchHandler handler) {
        throw later();
    }

    @Override
    public void close() {
        throw later();
    }
}

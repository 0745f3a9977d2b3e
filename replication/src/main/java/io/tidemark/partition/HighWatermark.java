package io.tidemark.partition;

/**
 * The high watermark of a leader: the exclusive end of what is committed.
 *
 * <p>It lies between log start and log end and never goes back while its leader's epoch lasts. At the beginning of an
 * epoch it is what this replica knew as a follower, which may be less than what the last leader committed; that is why
 * clients are shown no end offset before it has reached the epoch's start offset.
 *
 * <p>Owned by the progress stage. Does not allocate.
 *
 * <p>Source: KIP-207 (end offsets after an election); KAFKA-3978 (clamping).
 */
final class HighWatermark {
    private long value;
    private long epochStartOffset;
    private long logStartOffset;
    private long logEndOffset;

    /**
     * Begins an epoch: the log end becomes the epoch's start, the value stays what it was, clamped to the log.
     *
     * @param newLogStartOffset first offset of the log
     * @param newLogEndOffset exclusive end of the log
     * @param local what this replica knew to be committed
     */
    void begin(long newLogStartOffset, long newLogEndOffset, long local) {
        checkLog(newLogStartOffset, newLogEndOffset);
        logStartOffset = newLogStartOffset;
        logEndOffset = newLogEndOffset;
        epochStartOffset = newLogEndOffset;
        value = Math.max(newLogStartOffset, Math.min(local, newLogEndOffset));
    }

    /**
     * Takes the ends of the log. A leader never truncates, so that a lower log end than the known one is old news.
     *
     * @param newLogStartOffset first offset of the log
     * @param newLogEndOffset exclusive end of the log
     * @return true if the start raised the value
     */
    boolean onLog(long newLogStartOffset, long newLogEndOffset) {
        long end = Math.max(logEndOffset, newLogEndOffset);
        checkLog(newLogStartOffset, end);
        logStartOffset = newLogStartOffset;
        logEndOffset = end;
        boolean raised = value < logStartOffset;
        value = Math.max(value, logStartOffset);
        return raised;
    }

    /**
     * Raises the value to what all members of the maximal ISR have, never beyond the log end.
     *
     * @param acknowledged exclusive end of what all have, -1 if unknown
     * @return true if the value moved
     */
    boolean advanceTo(long acknowledged) {
        long target = Math.min(acknowledged, logEndOffset);
        if (target <= value) {
            return false;
        }
        value = target;
        return true;
    }

    /**
     * The exclusive end of what is committed.
     *
     * @return an offset from the log start to the log end
     */
    long value() {
        return value;
    }

    /**
     * The log end with which the epoch began.
     *
     * @return an offset
     */
    long epochStartOffset() {
        return epochStartOffset;
    }

    /**
     * The exclusive end of the log.
     *
     * @return an offset
     */
    long logEndOffset() {
        return logEndOffset;
    }

    /**
     * What a follower must have to join the ISR: all that was committed, before or by this leader.
     *
     * @return an offset
     */
    long joinOffset() {
        return Math.max(value, epochStartOffset);
    }

    /**
     * Tells whether clients may be shown the value as the end of the partition.
     *
     * @return true once it has reached the start of the epoch
     */
    boolean isVisible() {
        return value >= epochStartOffset;
    }

    private static void checkLog(long start, long end) {
        if (start < 0 || end < start) {
            throw new IllegalArgumentException(
                    "log offsets are out of order: logStartOffset=" + start + ", logEndOffset=" + end);
        }
    }
}

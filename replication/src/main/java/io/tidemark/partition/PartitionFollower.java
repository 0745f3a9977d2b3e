package io.tidemark.partition;

/**
 * A follower's decisions: where its log must be cut to agree with its leader, and how far its own high watermark goes.
 *
 * <p>Rules:
 *
 * <ol>
 *   <li>A log is cut only to a point computed from the answer of the leader of the current epoch, never to a high
 *       watermark: everything below the true high watermark is on this leader, so that the common prefix contains it.
 *   <li>The leader answers a diverging fetch with (e, end): its largest epoch not above the follower's last one, and
 *       where that ends. The follower keeps what is below {@code end} <em>and</em> below the end of its own largest
 *       epoch not above e, and asks again. Each round removes at least one epoch, so that rounds are bounded by epochs.
 *   <li>The high watermark moves only by answers of the current epoch that carry no divergence, after their records
 *       were appended. One that comes with a divergence would expose the tail that is about to be cut.
 *   <li>It is never below the log start nor above the log end, and a start that moves takes it along.
 * </ol>
 *
 * <p>Owned by the progress stage; not thread-safe. Does not allocate but in {@link #truncationFor}.
 *
 * <p>Source: KIP-101, KIP-279 (several rounds), KIP-320 (fenced question), KAFKA-14704 (rule 3), KAFKA-9491 (rule 4).
 */
public final class PartitionFollower {
    private final PartitionId id;
    private int leaderEpoch = EpochHistory.NO_EPOCH;
    private long logStartOffset;
    private long logEndOffset;
    private long highWatermark;

    /**
     * Makes a follower that follows nobody yet.
     *
     * @param id the partition
     */
    public PartitionFollower(PartitionId id) {
        this.id = id;
    }

    /**
     * Begins to follow the leader of an epoch, also if it is the leader of the epoch before: whatever epochs were
     * missed, the first fetch of each one asks about divergence.
     *
     * @param state the record that names the leader
     * @param newLogStartOffset first offset of the local log
     * @param newLogEndOffset exclusive end of the local log
     * @param localHighWatermark what is known to be committed; a hint that is clamped to the log
     * @throws IllegalArgumentException if the log's offsets are out of order
     * @throws IllegalStateException if the epoch is not higher than the one before
     */
    public void begin(PartitionState state, long newLogStartOffset, long newLogEndOffset, long localHighWatermark) {
        if (state.leaderEpoch() <= leaderEpoch) {
            throw new IllegalStateException("a follower enters an epoch once, in order: partition=" + id
                    + ", leaderEpoch=" + state.leaderEpoch() + ", current=" + leaderEpoch);
        }
        checkLog(newLogStartOffset, newLogEndOffset);
        leaderEpoch = state.leaderEpoch();
        logStartOffset = newLogStartOffset;
        logEndOffset = newLogEndOffset;
        highWatermark = clamp(localHighWatermark);
    }

    /**
     * Tells whether an answer belongs to the current epoch. Answers to questions of another epoch are dropped.
     *
     * @param answeredEpoch the leader epoch in the answer
     * @return true if it may be used
     */
    public boolean accepts(int answeredEpoch) {
        return answeredEpoch == leaderEpoch;
    }

    /**
     * Takes note of appended records.
     *
     * @param newLogEndOffset exclusive end of the local log, not below the one before
     * @throws IllegalArgumentException if the end went back; only {@link #onTruncated} may do that
     */
    public void onAppended(long newLogEndOffset) {
        if (newLogEndOffset < logEndOffset) {
            throw new IllegalArgumentException("an append cannot lower the log end: partition=" + id + ", logEndOffset="
                    + newLogEndOffset + ", before=" + logEndOffset);
        }
        logEndOffset = newLogEndOffset;
    }

    /**
     * Takes note that the log was cut, or was emptied and starts elsewhere because the leader's log starts above it.
     *
     * @param newLogStartOffset first offset of the local log
     * @param newLogEndOffset exclusive end of the local log
     * @throws IllegalArgumentException if the offsets are out of order
     */
    public void onTruncated(long newLogStartOffset, long newLogEndOffset) {
        checkLog(newLogStartOffset, newLogEndOffset);
        logStartOffset = newLogStartOffset;
        logEndOffset = newLogEndOffset;
        highWatermark = clamp(highWatermark);
    }

    /**
     * Takes the high watermark of an answer of the current epoch that carried no divergence, after its records were
     * appended.
     *
     * @param leaderHighWatermark the leader's high watermark, below 0 if it is unknown
     * @param newLogStartOffset first offset of the local log, which may have moved with the leader's
     * @return the local high watermark; it never goes back here
     * @throws IllegalArgumentException if the log start lies beyond the log end
     */
    public long onLeaderHighWatermark(long leaderHighWatermark, long newLogStartOffset) {
        checkLog(newLogStartOffset, logEndOffset);
        logStartOffset = newLogStartOffset;
        highWatermark = clamp(Math.max(highWatermark, leaderHighWatermark));
        return highWatermark;
    }

    /**
     * Finds where the log must be cut after the leader answered that it diverges. The caller cuts, tells
     * {@link #onTruncated} and asks again.
     *
     * @param divergingEpoch the leader's largest epoch that is not above the one asked about,
     *     {@link EpochHistory#NO_EPOCH} if it has none
     * @param divergingEndOffset where that epoch ends in the leader's log
     * @param local the local log's epochs
     * @return the offset to cut at: within the local log; its end if there is nothing to cut
     */
    public long truncationFor(int divergingEpoch, long divergingEndOffset, EpochHistory local) {
        EpochEnd own = local.endOffsetForEpoch(divergingEpoch);
        long common = Math.min(divergingEndOffset, own.endOffset());
        return Math.max(logStartOffset, Math.min(common, logEndOffset));
    }

    /**
     * The epoch that this follower is in.
     *
     * @return the leader epoch, {@link EpochHistory#NO_EPOCH} before the first {@link #begin}
     */
    public int leaderEpoch() {
        return leaderEpoch;
    }

    /**
     * The exclusive end of what is known here to be committed.
     *
     * @return an offset from the log start to the log end
     */
    public long highWatermark() {
        return highWatermark;
    }

    private long clamp(long offset) {
        return Math.max(logStartOffset, Math.min(offset, logEndOffset));
    }

    private void checkLog(long start, long end) {
        if (start < 0 || end < start) {
            throw new IllegalArgumentException("log offsets are out of order: partition=" + id + ", logStartOffset="
                    + start + ", logEndOffset=" + end);
        }
    }
}

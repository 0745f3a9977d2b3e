package io.tidemark.fetch;

import io.tidemark.log.EpochEnd;
import io.tidemark.partition.PartitionId;
import io.tidemark.wire.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * One partition in a follower's fetch session. It is <em>armed</em> from the request that mentions it until an answer
 * that carries data or an error; then it is quiet until it is mentioned again, because the follower's position has
 * changed or must be asked for. Owned by the progress stage.
 */
final class FetchEntry {
    /** Session that it belongs to. */
    final FetchSession session;
    /** Partition asked for. */
    final PartitionId id;
    /** The partition here, null if this broker does not have it. */
    @Nullable
    ServedPartition partition;
    /** Epoch that the follower asks in. */
    int leaderEpoch;
    /** Offset that it wants next. */
    long fetchOffset;
    /** Epoch of its last batch. */
    int lastFetchedEpoch;
    /** Whether it waits for an answer. */
    boolean armed;
    /** Whether it stands in the list of those with something to say. */
    boolean ready;
    /** Whether it stands in the list of those with a new high watermark. */
    boolean hasNews;
    /** What was found when it was judged. */
    ErrorCode code = ErrorCode.NONE;
    /** Answer to a diverging fetch. */
    int divergingEpoch = -1;
    /** Answer to a diverging fetch. */
    long divergingEndOffset = -1;
    /** Bytes for it in the reply that is being made. */
    int payloadLength;
    /** High watermark last sent. */
    long sentHighWatermark = -1;
    /** Log start last sent. */
    long sentLogStartOffset = -1;

    /**
     * Creates an entry that waits for nothing.
     *
     * @param session that it belongs to
     * @param id of the partition
     */
    FetchEntry(FetchSession session, PartitionId id) {
        this.session = session;
        this.id = id;
    }

    /**
     * Sets what is answered, with nothing about a divergence.
     *
     * @param newCode NONE if there may be data
     */
    void answer(ErrorCode newCode) {
        code = newCode;
        divergingEpoch = -1;
        divergingEndOffset = -1;
    }

    /**
     * Sets the answer that the follower's log is no prefix of this one.
     *
     * @param end the largest epoch here that is not above the follower's last one, and where it ends
     */
    void answerDiverged(EpochEnd end) {
        code = ErrorCode.DIVERGED;
        divergingEpoch = end.epoch();
        divergingEndOffset = end.endOffset();
    }

    /**
     * Forgets what was sent about high watermark and log start: a follower that asks again may not have taken it, since
     * it was in another epoch by then, or the answer was an error.
     */
    void forgetSent() {
        sentHighWatermark = -1;
        sentLogStartOffset = -1;
    }
}

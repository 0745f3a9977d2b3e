package io.tidemark.fetch;

import org.jspecify.annotations.Nullable;

/**
 * A client's read that waits for the high watermark or for the end of its wait. Pooled; owned by the progress stage.
 */
final class ParkedConsume {
    /** Who waits, null in the pool. */
    @Nullable
    Requester requester;
    /** Of the request. */
    long correlationId;
    /** Epoch that it names, -1 for any. */
    int leaderEpoch;
    /** Offset that it wants. */
    long fetchOffset;
    /** Payload that it allows. */
    int maxBytes;
    /** When it is answered in any case. */
    long deadlineNs;
}

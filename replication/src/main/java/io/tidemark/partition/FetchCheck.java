package io.tidemark.partition;

/** What a leader makes of a follower's fetch. Only {@link #OK} changes any state. */
public enum FetchCheck {
    /** The fetch counts as an acknowledgement of everything below its offset. */
    OK,
    /** The follower asks in an older epoch, or it is an older incarnation than one already known: it is fenced. */
    STALE_EPOCH,
    /** The follower knows a newer epoch than this leader: it must ask again later. */
    UNKNOWN_EPOCH,
    /** The broker is neither assigned nor being added, or it is the leader itself. */
    NOT_REPLICA,
    /** The offset lies beyond the leader's log end: the follower's log diverges, and its fetch acknowledges nothing. */
    BEYOND_LOG_END
}

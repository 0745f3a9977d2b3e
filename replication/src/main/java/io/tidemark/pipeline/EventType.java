package io.tidemark.pipeline;

/** Kinds of {@link ReplicationEvent}. */
enum EventType {
    /** No event. */
    NONE,
    /** A client's produce request, from a socket of the lane. */
    PRODUCE,
    /** A follower's fetch request, from a socket of the lane. */
    FETCH,
    /** A client's read, from a socket of the lane. */
    CONSUME,
    /** A client's question for offsets, from a socket of the lane. */
    OFFSETS,
    /** Batches that a leader sent to this follower. */
    REPLICA_DATA,
    /** A leader's answer that this follower's log diverges. */
    REPLICA_DIVERGED,
    /** A leader's answer that its log starts above this follower's end. */
    REPLICA_RESTART,
    /** A leader's high watermark without data. */
    REPLICA_NEWS,
    /** A log failed: its partition is fenced. */
    PARTITION_FAILED,
    /** A state record, from the conductor. */
    APPLY_STATE,
    /** What became of a proposed ISR, from the conductor. */
    ISR_RESULT,
    /** The registered brokers, from the conductor. */
    BROKERS,
    /** Proof that a process is dead, from the conductor. */
    PEER_DEAD,
    /** This broker's registration, from the conductor. */
    REGISTERED,
    /** The session was lost, from the conductor. */
    FENCE,
    /** A log wants its owner to roll or to let go of its active segment, from maintenance. */
    LOG_WORK,
    /** This broker is no replica of a partition any more, from the conductor. */
    RELEASE,
    /** The conductor's answer to a forwarded request. */
    REPLY
}

package io.tidemark.pipeline;

/** What this broker does for a partition now. */
public enum PartitionRole {
    /** Nothing: fenced, failed, no replica, or the leader is not known. */
    NONE,
    /** Appends and serves. */
    LEADER,
    /** Fetches from the leader. */
    FOLLOWER
}

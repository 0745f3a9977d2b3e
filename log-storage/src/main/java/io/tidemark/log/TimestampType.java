package io.tidemark.log;

/** Whose time the timestamps of records are. */
public enum TimestampType {
    /** The producer's: each record has its own. */
    CREATE_TIME,
    /** The leader's: every record of a batch has the time at which the batch was appended. */
    APPEND_TIME
}

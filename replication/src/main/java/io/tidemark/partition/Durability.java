package io.tidemark.partition;

/** What a topic demands of a replica before its copy of a record counts. */
public enum Durability {
    /** The record is in the replica's log; the operating system may not have written it to the disk yet. */
    REPLICATED,
    /** The record was forced to the replica's disk. Refused when a topic is created in this version. */
    FSYNCED
}

package io.tidemark.controller;

/**
 * What became of a wish about one partition.
 *
 * @param topic the topic's name
 * @param partition the partition's number, or {@link PartitionChanges#ALL_PARTITIONS}
 * @param outcome how it ended
 * @param message what, where, what to do; empty if it is done
 */
public record PartitionResult(String topic, int partition, Outcome outcome, String message) {
    /** How it ended. */
    public enum Outcome {
        /** The record says so now. */
        DONE,
        /** The record said so before; nothing was written. */
        NO_CHANGE,
        /** It cannot be met as things are; nothing was written. */
        REFUSED,
        /** There is no such topic or partition. */
        UNKNOWN,
        /** Another wish about this partition is under way; this one may be repeated soon. */
        BUSY
    }
}

package io.tidemark.controller;

import io.tidemark.partition.PartitionState;
import org.jspecify.annotations.Nullable;

/**
 * What is decided on a wish about one partition, from its record as it is now.
 *
 * @param next the record to write, null if there is nothing to write
 * @param outcome how it ends; DONE with a record to write: once that is stored
 * @param message what, where, what to do; empty with a record to write
 */
record Ruling(@Nullable PartitionState next, PartitionResult.Outcome outcome, String message) {
    /**
     * The record is to be written.
     *
     * @param next the record
     * @return the ruling
     */
    static Ruling write(PartitionState next) {
        return new Ruling(next, PartitionResult.Outcome.DONE, "");
    }

    /**
     * There is nothing to do.
     *
     * @param message what, where, what to do
     * @return the ruling
     */
    static Ruling noChange(String message) {
        return new Ruling(null, PartitionResult.Outcome.NO_CHANGE, message);
    }

    /**
     * It cannot be done as things are.
     *
     * @param message what, where, what to do
     * @return the ruling
     */
    static Ruling refused(String message) {
        return new Ruling(null, PartitionResult.Outcome.REFUSED, message);
    }
}

package io.tidemark.client;

import io.tidemark.wire.ErrorCode;

/**
 * What became of a request about one partition.
 *
 * @param topic its topic
 * @param partition its number; -1 if the topic as a whole is meant
 * @param code {@link ErrorCode#NONE} if it is done, {@link ErrorCode#NO_CHANGE} if it was so before, else why not
 * @param message what, where and what to do; empty if it is done
 */
public record PartitionOutcome(String topic, int partition, ErrorCode code, String message) {
    /**
     * Whether the partition is as the request wants it.
     *
     * @return true if it was done, now or before
     */
    public boolean isMet() {
        return code == ErrorCode.NONE || code == ErrorCode.NO_CHANGE;
    }

    /**
     * Whether something was done.
     *
     * @return true if the partition was not so before
     */
    public boolean isChanged() {
        return code == ErrorCode.NONE;
    }
}

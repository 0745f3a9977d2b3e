package io.tidemark.fetch;

/**
 * Settings of replication traffic. Immutable.
 *
 * @param maxWaitMs how long a follower lets its fetch be parked
 * @param maxBytes payload that a follower asks for at once; a first batch that is larger comes whole
 * @param connectTimeoutNs longest time that connecting to a leader may take
 * @param replyTimeoutNs how long after {@code maxWaitMs} a missing reply means that the connection is dead
 * @param backOffMinNs first pause before a leader is connected again, doubled with each failure
 * @param backOffMaxNs longest such pause
 * @param partitionBackOffNs pause before a partition whose fetch failed is asked for again
 */
public record FetchConfig(
        int maxWaitMs,
        int maxBytes,
        long connectTimeoutNs,
        long replyTimeoutNs,
        long backOffMinNs,
        long backOffMaxNs,
        long partitionBackOffNs) {
    private static final long MILLISECOND_NS = 1_000_000L;

    /**
     * Checks the values.
     *
     * @param maxWaitMs how long a follower lets its fetch be parked
     * @param maxBytes payload that a follower asks for at once
     * @param connectTimeoutNs longest time that connecting to a leader may take
     * @param replyTimeoutNs how long after {@code maxWaitMs} a missing reply means that the connection is dead
     * @param backOffMinNs first pause before a leader is connected again
     * @param backOffMaxNs longest such pause
     * @param partitionBackOffNs pause before a partition whose fetch failed is asked for again
     */
    public FetchConfig {
        if (maxWaitMs < 0
                || maxBytes <= 0
                || connectTimeoutNs <= 0
                || replyTimeoutNs <= 0
                || backOffMinNs <= 0
                || backOffMaxNs < backOffMinNs
                || partitionBackOffNs <= 0) {
            throw new IllegalArgumentException("bad fetch settings: maxWaitMs=" + maxWaitMs + ", maxBytes=" + maxBytes
                    + ", connectTimeoutNs=" + connectTimeoutNs + ", replyTimeoutNs=" + replyTimeoutNs
                    + ", backOffMinNs=" + backOffMinNs + ", backOffMaxNs=" + backOffMaxNs + ", partitionBackOffNs="
                    + partitionBackOffNs + "; times and sizes are above 0, and the least pause is not above the"
                    + " longest");
        }
    }

    /**
     * Defaults: waits of 500 ms, replies of 1 MiB, pauses of 20 ms to 1 s.
     *
     * @return the defaults
     */
    public static FetchConfig defaults() {
        return new FetchConfig(
                500,
                1024 * 1024,
                2000 * MILLISECOND_NS,
                5000 * MILLISECOND_NS,
                20 * MILLISECOND_NS,
                1000 * MILLISECOND_NS,
                100 * MILLISECOND_NS);
    }
}

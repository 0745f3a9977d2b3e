package io.tidemark.conductor;

import java.util.random.RandomGenerator;

/**
 * Waiting times between attempts: they double from a least to a greatest one, and each is drawn from the upper half of
 * its range, so that brokers that failed together do not come back together. Owned by one agent.
 */
final class Backoff {
    private final long minNs;
    private final long maxNs;
    private final RandomGenerator random;
    private long currentNs;

    /**
     * Starts at the least time.
     *
     * @param minNs least time, above 1
     * @param maxNs greatest time, at least {@code minNs}
     * @param random where the spread comes from
     */
    Backoff(long minNs, long maxNs, RandomGenerator random) {
        this.minNs = minNs;
        this.maxNs = maxNs;
        this.random = random;
        this.currentNs = minNs;
    }

    /**
     * The time to wait before the next attempt.
     *
     * @return between half of the current range and all of it
     */
    long nextNs() {
        long waitNs = currentNs / 2 + random.nextLong(currentNs / 2 + 1);
        currentNs = Math.min(maxNs, currentNs * 2);
        return waitNs;
    }

    /** Begins anew, after a success. */
    void reset() {
        currentNs = minNs;
    }
}

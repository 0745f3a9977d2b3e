package io.tidemark.coordination;

import java.time.Duration;

/**
 * What a back end can take. Sizes are checked before anything is sent, so that a request which is too large does no
 * harm to the connection.
 *
 * @param maxValueBytes largest value
 * @param maxKeyBytes largest key, in bytes of UTF-8
 * @param maxTxnOps most operations of one transaction
 * @param maxTxnBytes largest sum of the keys and values of one transaction
 * @param minTtl shortest time to live of a session; shorter wishes are raised to it
 * @param maxTtl longest time to live of a session; longer wishes are lowered to it
 */
public record Limits(
        int maxValueBytes, int maxKeyBytes, int maxTxnOps, int maxTxnBytes, Duration minTtl, Duration maxTtl) {
    /** What every back end takes. {@link Txn.Builder#build} checks these; a back end may not offer less. */
    public static final Limits PORTABLE =
            new Limits(512 * 1024, 512, 100, 768 * 1024, Duration.ofSeconds(2), Duration.ofSeconds(40));

    /**
     * Checks that the limits make sense.
     *
     * @param maxValueBytes largest value
     * @param maxKeyBytes largest key
     * @param maxTxnOps most operations of one transaction
     * @param maxTxnBytes largest sum of the keys and values of one transaction
     * @param minTtl shortest time to live
     * @param maxTtl longest time to live
     * @throws IllegalArgumentException if a limit is not positive, or the shortest time is above the longest
     */
    public Limits {
        if (maxValueBytes <= 0 || maxKeyBytes <= 0 || maxTxnOps <= 0 || maxTxnBytes <= 0) {
            throw new IllegalArgumentException("limits must be positive: maxValueBytes=" + maxValueBytes
                    + ", maxKeyBytes=" + maxKeyBytes + ", maxTxnOps=" + maxTxnOps + ", maxTxnBytes=" + maxTxnBytes);
        }
        if (minTtl.isZero() || minTtl.isNegative() || minTtl.compareTo(maxTtl) > 0) {
            throw new IllegalArgumentException(
                    "limits need 0 < minTtl <= maxTtl: minTtl=" + minTtl + ", maxTtl=" + maxTtl);
        }
    }

    /**
     * Brings a wish for a time to live into the range.
     *
     * @param ttl the wish
     * @return the nearest time in {@code [minTtl, maxTtl]}
     * @throws IllegalArgumentException if the wish is not positive
     */
    public Duration clampTtl(Duration ttl) {
        if (ttl.isZero() || ttl.isNegative()) {
            throw new IllegalArgumentException("the time to live must be positive: ttl=" + ttl);
        }
        if (ttl.compareTo(minTtl) < 0) {
            return minTtl;
        }
        return ttl.compareTo(maxTtl) > 0 ? maxTtl : ttl;
    }

    /**
     * Checks the length of a key.
     *
     * @param key the key
     * @throws TooLargeException if the key is longer than {@code maxKeyBytes}
     */
    public void check(Key key) {
        int sizeBytes = key.sizeBytes();
        if (sizeBytes > maxKeyBytes) {
            throw new TooLargeException("key is too long: sizeBytes=" + sizeBytes + ", maxKeyBytes=" + maxKeyBytes
                    + ", key=" + key.path().substring(0, Math.min(64, key.path().length())) + "...");
        }
    }

    /**
     * Checks a transaction as a whole.
     *
     * @param txn the transaction
     * @throws TooLargeException if the number of operations, a key, a value or the sum of all is above its limit
     */
    public void check(Txn txn) {
        if (txn.ops().size() > maxTxnOps) {
            throw new TooLargeException("transaction has too many operations: count="
                    + txn.ops().size() + ", maxTxnOps=" + maxTxnOps + "; split it");
        }
        long sumBytes = 0;
        for (TxnOp op : txn.ops()) {
            check(op.key());
            int valueBytes = op.valueSizeBytes();
            if (valueBytes > maxValueBytes) {
                throw new TooLargeException("value is too large: key=" + op.key() + ", sizeBytes=" + valueBytes
                        + ", maxValueBytes=" + maxValueBytes);
            }
            sumBytes += (long) op.key().sizeBytes() + valueBytes;
        }
        if (sumBytes > maxTxnBytes) {
            throw new TooLargeException(
                    "transaction is too large: sizeBytes=" + sumBytes + ", maxTxnBytes=" + maxTxnBytes + "; split it");
        }
    }
}

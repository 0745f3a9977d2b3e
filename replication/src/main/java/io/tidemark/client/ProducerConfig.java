package io.tidemark.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Configuration of a {@link Producer}. Immutable; made by {@link #builder()}.
 *
 * @param acks when an append counts as done; default ALL
 * @param deliveryTimeout time from a send until the record has failed for want of an answer, retries included;
 *     default 2 min
 * @param linger time that a batch waits for more records before it may be sent; default none, since batches fill
 *     anyway while five are under way
 * @param batchBytes size at which a batch is full, and the largest record with its overhead; default 64 KiB
 * @param bufferBytes memory for records that are not completed yet; default 32 MiB
 * @param blockTimeout longest time that a send waits for memory, or for the first metadata of a topic; default 60 s
 * @param idempotent whether repeated batches are stored once; needs acks ALL, and is off with other acks; default true
 */
public record ProducerConfig(
        Acks acks,
        Duration deliveryTimeout,
        Duration linger,
        int batchBytes,
        long bufferBytes,
        Duration blockTimeout,
        boolean idempotent) {
    /**
     * A builder that holds the defaults.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Collects values; {@link #build()} checks them. Not thread-safe. */
    public static final class Builder {
        private Acks acks = Acks.ALL;
        private Duration deliveryTimeout = Duration.ofMinutes(2);
        private Duration linger = Duration.ZERO;
        private int batchBytes = 64 * 1024;
        private long bufferBytes = 32L * 1024 * 1024;
        private Duration blockTimeout = Duration.ofSeconds(60);
        private boolean idempotent = true;

        private Builder() {}

        /**
         * Sets acks: when an append counts as done; default ALL.
         *
         * @param value the new value
         * @return this
         */
        public Builder acks(Acks value) {
            acks = value;
            return this;
        }

        /**
         * Sets deliveryTimeout: time from a send until the record has failed for want of an answer, retries included;
         * default 2 min.
         *
         * @param value the new value
         * @return this
         */
        public Builder deliveryTimeout(Duration value) {
            deliveryTimeout = value;
            return this;
        }

        /**
         * Sets linger: time that a batch waits for more records before it may be sent; default none, since batches
         * fill anyway while five are under way.
         *
         * @param value the new value
         * @return this
         */
        public Builder linger(Duration value) {
            linger = value;
            return this;
        }

        /**
         * Sets batchBytes: size at which a batch is full, and the largest record with its overhead; default 64 KiB.
         *
         * @param value the new value
         * @return this
         */
        public Builder batchBytes(int value) {
            batchBytes = value;
            return this;
        }

        /**
         * Sets bufferBytes: memory for records that are not completed yet; default 32 MiB.
         *
         * @param value the new value
         * @return this
         */
        public Builder bufferBytes(long value) {
            bufferBytes = value;
            return this;
        }

        /**
         * Sets blockTimeout: longest time that a send waits for memory, or for the first metadata of a topic; default
         * 60 s.
         *
         * @param value the new value
         * @return this
         */
        public Builder blockTimeout(Duration value) {
            blockTimeout = value;
            return this;
        }

        /**
         * Sets idempotent: whether repeated batches are stored once; needs acks ALL, and is off with other acks;
         * default true.
         *
         * @param value the new value
         * @return this
         */
        public Builder idempotent(boolean value) {
            idempotent = value;
            return this;
        }

        /**
         * Checks all values.
         *
         * @return the configuration
         * @throws IllegalArgumentException naming every value that is not allowed
         */
        public ProducerConfig build() {
            List<String> problems = new ArrayList<>();
            if (deliveryTimeout.isNegative()) {
                problems.add("deliveryTimeout=" + deliveryTimeout + ", allowed: zero or more");
            }
            if (linger.isNegative()) {
                problems.add("linger=" + linger + ", allowed: zero or more");
            }
            if (batchBytes < 1024 || batchBytes > 8 * 1024 * 1024) {
                problems.add("batchBytes=" + batchBytes + ", allowed: 1 KiB to 8 MiB");
            }
            if (bufferBytes < batchBytes) {
                problems.add("bufferBytes=" + bufferBytes + ", allowed: batchBytes or more");
            }
            if (blockTimeout.isNegative()) {
                problems.add("blockTimeout=" + blockTimeout + ", allowed: zero or more");
            }
            if (!problems.isEmpty()) {
                throw new IllegalArgumentException("ProducerConfig: " + String.join("; ", problems));
            }
            return new ProducerConfig(acks, deliveryTimeout, linger, batchBytes, bufferBytes, blockTimeout, idempotent);
        }
    }
}

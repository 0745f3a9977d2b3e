package io.tidemark.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Configuration of a {@link Consumer}. Immutable; made by {@link #builder()}.
 *
 * @param fetchMaxBytes bytes asked for at once per partition; a larger single batch is read all the same; default 1 MiB
 * @param fetchMaxWait time that a broker holds a request at the end of a partition before it answers without records;
 *     default 500 ms
 */
public record ConsumerConfig(int fetchMaxBytes, Duration fetchMaxWait) {
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
        private int fetchMaxBytes = 1024 * 1024;
        private Duration fetchMaxWait = Duration.ofMillis(500);

        private Builder() {}

        /**
         * Sets fetchMaxBytes: bytes asked for at once per partition; a larger single batch is read all the same;
         * default 1 MiB.
         *
         * @param value the new value
         * @return this
         */
        public Builder fetchMaxBytes(int value) {
            fetchMaxBytes = value;
            return this;
        }

        /**
         * Sets fetchMaxWait: time that a broker holds a request at the end of a partition before it answers without
         * records; default 500 ms.
         *
         * @param value the new value
         * @return this
         */
        public Builder fetchMaxWait(Duration value) {
            fetchMaxWait = value;
            return this;
        }

        /**
         * Checks all values.
         *
         * @return the configuration
         * @throws IllegalArgumentException naming every value that is not allowed
         */
        public ConsumerConfig build() {
            List<String> problems = new ArrayList<>();
            if (fetchMaxBytes < 1024 || fetchMaxBytes > 8 * 1024 * 1024) {
                problems.add("fetchMaxBytes=" + fetchMaxBytes + ", allowed: 1 KiB to 8 MiB");
            }
            if (fetchMaxWait.isNegative() || fetchMaxWait.toSeconds() > 60) {
                problems.add("fetchMaxWait=" + fetchMaxWait + ", allowed: zero to one minute");
            }
            if (!problems.isEmpty()) {
                throw new IllegalArgumentException("ConsumerConfig: " + String.join("; ", problems));
            }
            return new ConsumerConfig(fetchMaxBytes, fetchMaxWait);
        }
    }
}

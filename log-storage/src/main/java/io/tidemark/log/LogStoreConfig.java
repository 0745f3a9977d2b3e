package io.tidemark.log;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Settings of a data folder. {@link #builder()} checks all of them together and names every problem at once.
 *
 * @param mappingsMax most mappings of closed segments that are kept for readers, 1 to {@value #MAPPINGS_MAX}; default
 *     1024; Linux allows a process 65 530 mappings by default; read when a closed segment is mapped
 * @param checkpointInterval least time between two writings of the recovery points that only grew, 0 or more; default
 *     5 s; read by {@link LogStore#maintain()}. A recovery point that is behind costs time at the next start after a
 *     crash, never data.
 */
public record LogStoreConfig(int mappingsMax, Duration checkpointInterval) {
    /** Greatest number of kept mappings. */
    public static final int MAPPINGS_MAX = 60_000;

    /**
     * Checks all settings.
     *
     * @param mappingsMax see the record
     * @param checkpointInterval see the record
     * @throws IllegalArgumentException when any is out of its range; the message names all of them
     */
    public LogStoreConfig {
        final List<String> problems = new ArrayList<>();
        if (mappingsMax < 1 || mappingsMax > MAPPINGS_MAX) {
            problems.add("mappingsMax=" + mappingsMax + " is outside 1 to " + MAPPINGS_MAX);
        }
        if (checkpointInterval.isNegative() || checkpointInterval.compareTo(Duration.ofDays(1)) > 0) {
            problems.add("checkpointInterval=" + checkpointInterval + " is outside PT0S to PT24H");
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException("invalid store configuration: " + String.join("; ", problems));
        }
    }

    /**
     * The defaults.
     *
     * @return a configuration
     */
    public static LogStoreConfig defaults() {
        return builder().build();
    }

    /**
     * A builder that holds the defaults.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Collects settings; not thread-safe. */
    public static final class Builder {
        private int mappingsMax = 1024;
        private Duration checkpointInterval = Duration.ofSeconds(5);

        private Builder() {}

        /**
         * Most mappings of closed segments.
         *
         * @param count see {@link LogStoreConfig}
         * @return this
         */
        public Builder mappingsMax(int count) {
            this.mappingsMax = count;
            return this;
        }

        /**
         * Least time between two writings of the recovery points.
         *
         * @param interval see {@link LogStoreConfig}
         * @return this
         */
        public Builder checkpointInterval(Duration interval) {
            this.checkpointInterval = interval;
            return this;
        }

        /**
         * Checks everything.
         *
         * @return the configuration
         * @throws IllegalArgumentException when any setting is out of its range; the message names all of them
         */
        public LogStoreConfig build() {
            return new LogStoreConfig(mappingsMax, checkpointInterval);
        }
    }
}

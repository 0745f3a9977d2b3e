package io.tidemark.log;

import io.tidemark.log.format.BatchDescriptor;
import io.tidemark.log.retention.RetentionRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Settings of one log. {@link #builder()} checks all of them together and names every problem at once.
 *
 * @param segmentBytes greatest size of a segment file, {@value #SEGMENT_BYTES_MIN} to {@value #SEGMENT_BYTES_MAX};
 *     default 1 GiB; read when a segment is made. Small ones make retention finer and recovery shorter, large ones
 *     need fewer files.
 * @param indexIntervalBytes bytes of batches between two entries of the offset index, 1 or more; default 4 KiB; read
 *     at each append
 * @param indexBytes greatest size of an index file, {@value #INDEX_BYTES_MIN} or more; default 10 MiB; a full index
 *     rolls the segment
 * @param batchBytesMax greatest size of a batch, header included, at most {@code segmentBytes}; default 1 MiB; read
 *     at each append
 * @param extentBytes most bytes that are preallocated ahead of the writer at once, a multiple of
 *     {@value #EXTENT_BYTES_MIN}; default 8 MiB; the first extent of a segment is {@value #EXTENT_BYTES_MIN} bytes
 *     and each one after it doubles
 * @param timestampType whose time the records have; default {@link TimestampType#CREATE_TIME}; read at each append as
 *     leader: with {@link TimestampType#APPEND_TIME} the log stamps the batch with its own clock and sums it again
 * @param segmentAge after how long a segment with records is not appended to any more, 1 ms or more; default 168 h;
 *     read by maintenance. Only whole segments are deleted, so this makes retention by age finer in logs that are slow.
 * @param retentionAge how long records are kept after this node stored them, 0 or more; default 168 h; {@link #FOREVER}
 *     keeps them; read by maintenance. Timestamps of records do not count, because they come from clients.
 * @param retentionBytes how many bytes are kept at least when there are more, 0 or more; default {@link #UNLIMITED};
 *     read by maintenance
 * @param durability how batches are written; default {@link LogDurability#PAGE_CACHE}; read when the log is opened
 * @param flushRecords after how many records maintenance forces the log, 1 or more; default {@link #UNLIMITED}: the
 *     page cache decides; read by maintenance
 * @param flushInterval after how long maintenance forces what was appended, 1 ms or more; default {@link #FOREVER}:
 *     the page cache decides; read by maintenance
 */
public record LogConfig(
        int segmentBytes,
        int indexIntervalBytes,
        int indexBytes,
        int batchBytesMax,
        int extentBytes,
        TimestampType timestampType,
        Duration segmentAge,
        Duration retentionAge,
        long retentionBytes,
        LogDurability durability,
        long flushRecords,
        Duration flushInterval) {
    /** Stands for a time that never comes. */
    public static final Duration FOREVER = Duration.ofMillis(Long.MAX_VALUE);
    /** Stands for no limit. */
    public static final long UNLIMITED = Long.MAX_VALUE;
    /** Least size of a segment file. */
    public static final int SEGMENT_BYTES_MIN = 1024;
    /** Greatest size of a segment file: positions are 32-bit, and a whole number of pages must fit. */
    public static final int SEGMENT_BYTES_MAX = Integer.MAX_VALUE - 0xffff;
    /** Least size of an index file: two entries of the time index, the last of which is kept for the roll. */
    public static final int INDEX_BYTES_MIN = 24;
    /** Size of the first extent of a segment. */
    public static final int EXTENT_BYTES_MIN = 64 * 1024;
    /** Greatest extent. */
    public static final int EXTENT_BYTES_MAX = 1 << 30;

    /**
     * Checks all settings.
     *
     * @param segmentBytes see the record
     * @param indexIntervalBytes see the record
     * @param indexBytes see the record
     * @param batchBytesMax see the record
     * @param extentBytes see the record
     * @param timestampType see the record
     * @param segmentAge see the record
     * @param retentionAge see the record
     * @param retentionBytes see the record
     * @param durability see the record
     * @param flushRecords see the record
     * @param flushInterval see the record
     * @throws IllegalArgumentException when any is out of its range; the message names all of them
     */
    public LogConfig {
        final List<String> problems = new ArrayList<>();
        check(problems, "segmentBytes", segmentBytes, SEGMENT_BYTES_MIN, SEGMENT_BYTES_MAX);
        check(problems, "indexIntervalBytes", indexIntervalBytes, 1, Integer.MAX_VALUE);
        check(problems, "indexBytes", indexBytes, INDEX_BYTES_MIN, Integer.MAX_VALUE);
        check(problems, "batchBytesMax", batchBytesMax, BatchDescriptor.HEADER_LENGTH, Integer.MAX_VALUE);
        check(problems, "extentBytes", extentBytes, EXTENT_BYTES_MIN, EXTENT_BYTES_MAX);
        check(problems, "segmentAge", segmentAge, Duration.ofMillis(1));
        check(problems, "retentionAge", retentionAge, Duration.ZERO);
        check(problems, "retentionBytes", retentionBytes, 0, UNLIMITED);
        check(problems, "flushRecords", flushRecords, 1, UNLIMITED);
        check(problems, "flushInterval", flushInterval, Duration.ofMillis(1));
        if (batchBytesMax > segmentBytes) {
            problems.add("batchBytesMax=" + batchBytesMax + " is more than segmentBytes=" + segmentBytes);
        }
        if (extentBytes % EXTENT_BYTES_MIN != 0) {
            problems.add("extentBytes=" + extentBytes + " is no multiple of " + EXTENT_BYTES_MIN);
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException("invalid log configuration: " + String.join("; ", problems));
        }
    }

    private static void check(List<String> problems, String name, long value, long least, long greatest) {
        if (value < least || value > greatest) {
            problems.add(name + "=" + value + " is outside " + least + " to " + greatest);
        }
    }

    private static void check(List<String> problems, String name, Duration value, Duration least) {
        if (value.compareTo(least) < 0 || value.compareTo(FOREVER) > 0) {
            problems.add(name + "=" + value + " is outside " + least + " to " + FOREVER);
        }
    }

    /**
     * What is to be kept.
     *
     * @return the rules of retention
     */
    RetentionRules retention() {
        return new RetentionRules(retentionAge.toMillis(), retentionBytes);
    }

    /**
     * The defaults.
     *
     * @return a configuration
     */
    public static LogConfig defaults() {
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
        private int segmentBytes = 1 << 30;
        private int indexIntervalBytes = 4096;
        private int indexBytes = 10 << 20;
        private int batchBytesMax = 1 << 20;
        private int extentBytes = 8 << 20;
        private TimestampType timestampType = TimestampType.CREATE_TIME;
        private Duration segmentAge = Duration.ofDays(7);
        private Duration retentionAge = Duration.ofDays(7);
        private long retentionBytes = UNLIMITED;
        private LogDurability durability = LogDurability.PAGE_CACHE;
        private long flushRecords = UNLIMITED;
        private Duration flushInterval = FOREVER;

        private Builder() {}

        /**
         * Greatest size of a segment file.
         *
         * @param bytes see {@link LogConfig}
         * @return this
         */
        public Builder segmentBytes(int bytes) {
            this.segmentBytes = bytes;
            return this;
        }

        /**
         * Bytes of batches between two index entries.
         *
         * @param bytes see {@link LogConfig}
         * @return this
         */
        public Builder indexIntervalBytes(int bytes) {
            this.indexIntervalBytes = bytes;
            return this;
        }

        /**
         * Greatest size of an index file.
         *
         * @param bytes see {@link LogConfig}
         * @return this
         */
        public Builder indexBytes(int bytes) {
            this.indexBytes = bytes;
            return this;
        }

        /**
         * Greatest size of a batch.
         *
         * @param bytes see {@link LogConfig}
         * @return this
         */
        public Builder batchBytesMax(int bytes) {
            this.batchBytesMax = bytes;
            return this;
        }

        /**
         * Most bytes preallocated at once.
         *
         * @param bytes see {@link LogConfig}
         * @return this
         */
        public Builder extentBytes(int bytes) {
            this.extentBytes = bytes;
            return this;
        }

        /**
         * Whose time the records have.
         *
         * @param type see {@link LogConfig}
         * @return this
         */
        public Builder timestampType(TimestampType type) {
            this.timestampType = type;
            return this;
        }

        /**
         * After how long a segment is not appended to any more.
         *
         * @param age see {@link LogConfig}
         * @return this
         */
        public Builder segmentAge(Duration age) {
            this.segmentAge = age;
            return this;
        }

        /**
         * How long records are kept.
         *
         * @param age see {@link LogConfig}
         * @return this
         */
        public Builder retentionAge(Duration age) {
            this.retentionAge = age;
            return this;
        }

        /**
         * How many bytes are kept at least.
         *
         * @param bytes see {@link LogConfig}
         * @return this
         */
        public Builder retentionBytes(long bytes) {
            this.retentionBytes = bytes;
            return this;
        }

        /**
         * How batches are written.
         *
         * @param value see {@link LogConfig}
         * @return this
         */
        public Builder durability(LogDurability value) {
            this.durability = value;
            return this;
        }

        /**
         * After how many records the log is forced.
         *
         * @param count see {@link LogConfig}
         * @return this
         */
        public Builder flushRecords(long count) {
            this.flushRecords = count;
            return this;
        }

        /**
         * After how long what was appended is forced.
         *
         * @param interval see {@link LogConfig}
         * @return this
         */
        public Builder flushInterval(Duration interval) {
            this.flushInterval = interval;
            return this;
        }

        /**
         * Checks everything.
         *
         * @return the configuration
         * @throws IllegalArgumentException when any setting is out of its range; the message names all of them
         */
        public LogConfig build() {
            return new LogConfig(
                    segmentBytes,
                    indexIntervalBytes,
                    indexBytes,
                    batchBytesMax,
                    extentBytes,
                    timestampType,
                    segmentAge,
                    retentionAge,
                    retentionBytes,
                    durability,
                    flushRecords,
                    flushInterval);
        }
    }
}

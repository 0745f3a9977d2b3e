package io.tidemark.log;

import io.tidemark.log.io.FileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Settings of a data folder. {@link #builder()} checks all of them together and names every problem at once.
 *
 * @param mappingsMax most mappings of closed segments that are kept for readers, 1 to {@value #MAPPINGS_MAX}; default
 *     1024; Linux allows a process 65 530 mappings by default; read when a closed segment is mapped
 * @param writersMax how many logs keep their active segment mapped and open at most while nobody appends to them, 1 to
 *     {@value #MAPPINGS_MAX}; default 1024; read by {@link LogStore#maintain()}. Each costs a mapping and a file
 *     descriptor; an append to a log without them takes some tens of microseconds longer.
 * @param checkpointInterval least time between two writings of the recovery points that only grew, 0 or more; default
 *     5 s; read by {@link LogStore#maintain()}. A recovery point that is behind costs time at the next start after a
 *     crash, never data.
 * @param retentionInterval time between two looks for what may be deleted, 0 or more; default 30 s; read by
 *     {@link LogStore#maintain()}
 * @param bytesMax most bytes of batches in all open logs together; default {@link LogConfig#UNLIMITED}; above it the
 *     oldest closed segments go that may be deleted, whichever log they belong to; read by {@link LogStore#maintain()}
 * @param reserveBytes free space of the disk that logs do not use: what would take from it is refused with
 *     {@link DiskFullException}, 0 or more; default {@link #RESERVE_BY_DISK}: a twentieth of the disk, at most 1 GiB;
 *     read when a log needs more blocks
 */
public record LogStoreConfig(
        int mappingsMax,
        int writersMax,
        Duration checkpointInterval,
        Duration retentionInterval,
        long bytesMax,
        long reserveBytes) {
    /** The reserve follows from the size of the disk. */
    public static final long RESERVE_BY_DISK = -1;
    /** Greatest number of kept mappings. */
    public static final int MAPPINGS_MAX = 60_000;

    private static final long RESERVE_MAX = 1L << 30;
    private static final int RESERVE_PART = 20;
    private static final Duration INTERVAL_MAX = Duration.ofDays(1);

    /**
     * Checks all settings.
     *
     * @param mappingsMax see the record
     * @param writersMax see the record
     * @param checkpointInterval see the record
     * @param retentionInterval see the record
     * @param bytesMax see the record
     * @param reserveBytes see the record
     * @throws IllegalArgumentException when any is out of its range; the message names all of them
     */
    public LogStoreConfig {
        final List<String> problems = new ArrayList<>();
        check(problems, "mappingsMax", mappingsMax, 1, MAPPINGS_MAX);
        check(problems, "writersMax", writersMax, 1, MAPPINGS_MAX);
        check(problems, "checkpointInterval", checkpointInterval);
        check(problems, "retentionInterval", retentionInterval);
        check(problems, "bytesMax", bytesMax, 0, Long.MAX_VALUE);
        check(problems, "reserveBytes", reserveBytes, RESERVE_BY_DISK, Long.MAX_VALUE);
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException("invalid store configuration: " + String.join("; ", problems));
        }
    }

    private static void check(List<String> problems, String name, long value, long least, long greatest) {
        if (value < least || value > greatest) {
            problems.add(name + "=" + value + " is outside " + least + " to " + greatest);
        }
    }

    private static void check(List<String> problems, String name, Duration value) {
        if (value.isNegative() || value.compareTo(INTERVAL_MAX) > 0) {
            problems.add(name + "=" + value + " is outside PT0S to " + INTERVAL_MAX);
        }
    }

    /**
     * The reserve on a disk.
     *
     * @param fileSystem of the disk
     * @param directory on the disk
     * @return bytes
     * @throws IOException when the size of the disk cannot be had
     */
    long reserveOn(FileSystem fileSystem, Path directory) throws IOException {
        return reserveBytes == RESERVE_BY_DISK
                ? Math.min(RESERVE_MAX, fileSystem.totalBytes(directory) / RESERVE_PART)
                : reserveBytes;
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
        private int writersMax = 1024;
        private Duration checkpointInterval = Duration.ofSeconds(5);
        private Duration retentionInterval = Duration.ofSeconds(30);
        private long bytesMax = LogConfig.UNLIMITED;
        private long reserveBytes = RESERVE_BY_DISK;

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
         * Most logs that keep their active segment open while idle.
         *
         * @param count see {@link LogStoreConfig}
         * @return this
         */
        public Builder writersMax(int count) {
            this.writersMax = count;
            return this;
        }

        /**
         * Time between two looks for what may be deleted.
         *
         * @param interval see {@link LogStoreConfig}
         * @return this
         */
        public Builder retentionInterval(Duration interval) {
            this.retentionInterval = interval;
            return this;
        }

        /**
         * Most bytes in all logs together.
         *
         * @param bytes see {@link LogStoreConfig}
         * @return this
         */
        public Builder bytesMax(long bytes) {
            this.bytesMax = bytes;
            return this;
        }

        /**
         * Free space that logs do not use.
         *
         * @param bytes see {@link LogStoreConfig}
         * @return this
         */
        public Builder reserveBytes(long bytes) {
            this.reserveBytes = bytes;
            return this;
        }

        /**
         * Checks everything.
         *
         * @return the configuration
         * @throws IllegalArgumentException when any setting is out of its range; the message names all of them
         */
        public LogStoreConfig build() {
            return new LogStoreConfig(
                    mappingsMax, writersMax, checkpointInterval, retentionInterval, bytesMax, reserveBytes);
        }
    }
}

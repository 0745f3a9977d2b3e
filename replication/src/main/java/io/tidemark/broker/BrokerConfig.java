package io.tidemark.broker;

import io.tidemark.coordination.CoordinationSecurity;
import io.tidemark.coordination.Coordinations;
import io.tidemark.log.LogConfig;
import io.tidemark.log.LogStoreConfig;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.function.UnaryOperator;

/**
 * How a broker runs. Immutable; made by {@link #builder} or from {@link #from properties}.
 *
 * @param brokerId the number by which the cluster knows this broker, 0 to 2147483647; unique in the cluster
 * @param dataDirectory the folder of the logs; belongs to this broker alone, and is created if it is missing
 * @param coordination URI of the coordination service, such as {@code zk://h1:2181,h2:2181/chroot} or {@code local:}
 * @param coordinationSecurity who the broker is at the coordination service, and how it encrypts; nobody and not at all
 *     unless set
 * @param host the address to listen on; {@code 127.0.0.1} unless set
 * @param advertisedHost the address under which others reach this broker; {@code host} unless set
 * @param port the port to listen on, 0 to 65535; 0 (the default) takes any free one
 * @param rack the failure zone of this machine, at most 255 characters; empty (the default) when there are none
 * @param sessionTtl how long the cluster waits for a silent broker before others take over, 200 ms to 10 min; 6 s
 *     unless set; the coordination service may raise or lower it
 * @param replicaLagMax how long a follower may stay behind before it leaves the in-sync replicas, 1 s to 1 h and at
 *     least {@code sessionTtl}; 10 s unless set
 * @param minIsr the fewest in-sync replicas that a new topic demands when its creator says nothing, 1 to 100; 2 unless
 *     set
 * @param deleteTopicEnable whether topics may be deleted; true unless set; when false a deletion is refused, also one
 *     that is asked for below {@code /admin/delete_topics}; read by the controller
 * @param segmentBytes size of a log segment, 4 KiB to 2147418112 bytes; 1 GiB unless set
 * @param indexIntervalBytes bytes of log between two index entries, 1 to 1 GiB; 4096 unless set
 * @param batchBytesMax largest record batch that is accepted, 1 KiB to 15 MiB and at most {@code segmentBytes}; 1 MiB
 *     unless set
 * @param retentionAge how long records are kept, 0 or more; 168 h unless set; {@link LogConfig#FOREVER} keeps them
 * @param retentionBytes how many bytes of a partition are kept at least when there are more, 0 or more; no limit unless
 *     set
 * @param dataBytesMax most bytes of all logs of this broker; above it the oldest segments go, 0 or more; no limit
 *     unless set
 * @param reserveBytes free space of the disk that is left alone: appends that would take from it are refused, 0 or
 *     more; a twentieth of the disk and at most 1 GiB unless set
 * @param flushInterval after how long what was appended is forced to the disk, 1 ms or more; left to the system unless
 *     set
 * @param startTimeout how long a start may take, 1 s to 1 h; 60 s unless set
 * @param closeTimeout how long a close waits for each of its steps, 100 ms to 10 min; 10 s unless set
 * @param controller how the broker decides while it is the controller
 */
public record BrokerConfig(
        int brokerId,
        Path dataDirectory,
        String coordination,
        CoordinationSecurity coordinationSecurity,
        String host,
        String advertisedHost,
        int port,
        String rack,
        Duration sessionTtl,
        Duration replicaLagMax,
        int minIsr,
        boolean deleteTopicEnable,
        int segmentBytes,
        int indexIntervalBytes,
        int batchBytesMax,
        Duration retentionAge,
        long retentionBytes,
        long dataBytesMax,
        long reserveBytes,
        Duration flushInterval,
        Duration startTimeout,
        Duration closeTimeout,
        ControllerConfig controller) {
    private static final int RACK_LENGTH_MAX = 255;
    private static final int KIB = 1024;
    private static final int MIB = 1024 * KIB;
    private static final int GIB = 1024 * MIB;

    /**
     * Checks the values.
     *
     * @param brokerId the number of the broker
     * @param dataDirectory the folder of the logs
     * @param coordination URI of the coordination service
     * @param coordinationSecurity who the broker is there, and how it encrypts
     * @param host the address to listen on
     * @param advertisedHost the address for others
     * @param port the port to listen on
     * @param rack the failure zone
     * @param sessionTtl how long a silent broker is waited for
     * @param replicaLagMax how long a follower may stay behind
     * @param minIsr the fewest in-sync replicas of a new topic
     * @param deleteTopicEnable whether topics may be deleted
     * @param segmentBytes size of a segment
     * @param indexIntervalBytes bytes of log between two index entries
     * @param batchBytesMax largest record batch
     * @param retentionAge how long records are kept
     * @param retentionBytes how many bytes of a partition are kept
     * @param dataBytesMax most bytes of all logs
     * @param reserveBytes free space that is left alone
     * @param flushInterval after how long what was appended is forced
     * @param startTimeout how long a start may take
     * @param closeTimeout how long each step of a close may take
     * @param controller how the broker decides while it is the controller
     * @throws IllegalArgumentException if values are out of range or do not fit together; the message lists all of them
     */
    public BrokerConfig {
        Objects.requireNonNull(dataDirectory, "dataDirectory");
        Objects.requireNonNull(coordinationSecurity, "coordinationSecurity");
        List<String> problems = new ArrayList<>();
        checkRange(problems, "brokerId", brokerId, 0, Integer.MAX_VALUE);
        if (dataDirectory.toString().isEmpty()) {
            problems.add("dataDirectory must be set");
        }
        checkCoordination(problems, coordination);
        checkHosts(problems, host, advertisedHost);
        checkRange(problems, "port", port, 0, 65535);
        if (rack.length() > RACK_LENGTH_MAX) {
            problems.add("rack must have at most " + RACK_LENGTH_MAX + " characters: length=" + rack.length());
        }
        checkDuration(problems, "sessionTtl", sessionTtl, Duration.ofMillis(200), Duration.ofMinutes(10));
        checkDuration(problems, "replicaLagMax", replicaLagMax, Duration.ofSeconds(1), Duration.ofHours(1));
        if (replicaLagMax.compareTo(sessionTtl) < 0) {
            problems.add(
                    "replicaLagMax must not be below sessionTtl, else followers leave the in-sync replicas for pauses"
                            + " that their session survives: replicaLagMax=" + replicaLagMax + ", sessionTtl="
                            + sessionTtl);
        }
        checkRange(problems, "minIsr", minIsr, 1, 100);
        checkRange(problems, "segmentBytes", segmentBytes, 4 * KIB, LogConfig.SEGMENT_BYTES_MAX);
        checkRange(problems, "indexIntervalBytes", indexIntervalBytes, 1, GIB);
        checkRange(problems, "batchBytesMax", batchBytesMax, KIB, 15 * MIB);
        if (batchBytesMax > segmentBytes) {
            problems.add("batchBytesMax must not exceed segmentBytes: batchBytesMax=" + batchBytesMax
                    + ", segmentBytes=" + segmentBytes);
        }
        checkDuration(problems, "retentionAge", retentionAge, Duration.ZERO, LogConfig.FOREVER);
        checkRange(problems, "retentionBytes", retentionBytes, 0, LogConfig.UNLIMITED);
        checkRange(problems, "dataBytesMax", dataBytesMax, 0, LogConfig.UNLIMITED);
        checkRange(problems, "reserveBytes", reserveBytes, LogStoreConfig.RESERVE_BY_DISK, Long.MAX_VALUE);
        checkDuration(problems, "flushInterval", flushInterval, Duration.ofMillis(1), LogConfig.FOREVER);
        checkDuration(problems, "startTimeout", startTimeout, Duration.ofSeconds(1), Duration.ofHours(1));
        checkDuration(problems, "closeTimeout", closeTimeout, Duration.ofMillis(100), Duration.ofMinutes(10));
        controller.check(problems);
        throwIfAny(problems);
    }

    /**
     * Begins a configuration.
     *
     * @return a builder with the defaults
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Makes a configuration from text, as it stands in a file. Keys: {@code broker.id}, {@code data.directory},
     * {@code coordination}, those of {@link CoordinationSecurity#from} with {@code coordination.} before them (such as
     * {@code coordination.credentials.file} and {@code coordination.tls.trust.file}), {@code host},
     * {@code advertised.host}, {@code port}, {@code rack}, {@code session.ttl.ms}, {@code replica.lag.max.ms},
     * {@code min.isr}, {@code delete.topic.enable}, {@code segment.bytes}, {@code index.interval.bytes},
     * {@code batch.bytes.max},
     * {@code retention.ms} and {@code retention.bytes} (-1 for no limit), {@code data.bytes.max},
     * {@code reserve.bytes}, {@code flush.interval.ms}, {@code start.timeout.ms}, {@code close.timeout.ms},
     * {@code auto.leader.rebalance.enable}, {@code leader.imbalance.percent}, {@code leader.rebalance.interval.ms}.
     *
     * @param properties the values by key; absent ones have their defaults
     * @return the configuration
     * @throws IllegalArgumentException if a key is unknown, a value is not a number, values are out of range, or the
     *     file of the credentials cannot be used; the message lists all of them
     */
    public static BrokerConfig from(Properties properties) {
        return BrokerProperties.parse(properties).build();
    }

    /**
     * Adds a problem if a number is out of its range.
     *
     * @param problems list to add to
     * @param name of the value
     * @param value the value
     * @param from least one
     * @param last greatest one
     */
    static void checkRange(List<String> problems, String name, long value, long from, long last) {
        if (value < from || value > last) {
            problems.add(name + " must lie between " + from + " and " + last + ": " + name + "=" + value);
        }
    }

    /**
     * Adds a problem if a time is out of its range.
     *
     * @param problems list to add to
     * @param name of the value
     * @param value the value
     * @param from least one
     * @param last greatest one
     */
    static void checkDuration(List<String> problems, String name, Duration value, Duration from, Duration last) {
        if (value.compareTo(from) < 0 || value.compareTo(last) > 0) {
            problems.add(name + " must lie between " + from + " and " + last + ": " + name + "=" + value);
        }
    }

    private static void checkCoordination(List<String> problems, String coordination) {
        String hint = "; give a URI such as zk://127.0.0.1:2181/tidemark or local:";
        if (coordination.isBlank()) {
            problems.add("coordination must be set" + hint);
            return;
        }
        try {
            URI uri = Coordinations.parse(coordination);
            if (uri.getRawAuthority() != null && uri.getRawAuthority().indexOf('@') >= 0) {
                // What stands there may be a password, so it is not shown.
                problems.add("coordination must not hold a user: remove what stands before the '@', and give it by"
                        + " coordinationSecurity or coordination.credentials.file");
            } else if (uri.getScheme() == null) {
                problems.add("coordination has no scheme: coordination=" + coordination + hint);
            }
        } catch (IllegalArgumentException notAUri) {
            problems.add("coordination is no URI: " + notAUri.getMessage());
        }
    }

    private static void checkHosts(List<String> problems, String host, String advertisedHost) {
        if (host.isBlank()) {
            problems.add("host must not be blank; use 127.0.0.1 or 0.0.0.0");
        }
        if (advertisedHost.isBlank()) {
            problems.add("advertisedHost must not be blank");
        } else if (advertisedHost.equals("0.0.0.0") || advertisedHost.equals("::")) {
            problems.add("advertisedHost must be an address that others can connect to: advertisedHost="
                    + advertisedHost + "; set it beside host=" + host);
        }
    }

    /**
     * Fails with all problems in one line.
     *
     * @param problems what is wrong, may be empty
     * @throws IllegalArgumentException if there are any
     */
    static void throwIfAny(List<String> problems) {
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException("invalid broker configuration: " + String.join("; ", problems));
        }
    }

    /** Collects the values. Not thread-safe. */
    public static final class Builder {
        private int brokerId = -1;
        private Path dataDirectory = Path.of("");
        private String coordination = "";
        private CoordinationSecurity coordinationSecurity = CoordinationSecurity.none();
        private String host = "127.0.0.1";
        private String advertisedHost = "";
        private int port;
        private String rack = "";
        private Duration sessionTtl = Duration.ofSeconds(6);
        private Duration replicaLagMax = Duration.ofSeconds(10);
        private int minIsr = 2;
        private boolean deleteTopicEnable = true;
        private int segmentBytes = GIB;
        private int indexIntervalBytes = 4 * KIB;
        private int batchBytesMax = MIB;
        private Duration retentionAge = Duration.ofDays(7);
        private long retentionBytes = LogConfig.UNLIMITED;
        private long dataBytesMax = LogConfig.UNLIMITED;
        private long reserveBytes = LogStoreConfig.RESERVE_BY_DISK;
        private Duration flushInterval = LogConfig.FOREVER;
        private Duration startTimeout = Duration.ofSeconds(60);
        private Duration closeTimeout = Duration.ofSeconds(10);
        private ControllerConfig controller = ControllerConfig.DEFAULT;

        private Builder() {}

        /**
         * Sets the number of this broker. Has no default.
         *
         * @param value 0 to 2147483647, unique in the cluster
         * @return this
         */
        public Builder brokerId(int value) {
            brokerId = value;
            return this;
        }

        /**
         * Sets the folder of the logs. Has no default.
         *
         * @param value a folder for this broker alone
         * @return this
         */
        public Builder dataDirectory(Path value) {
            dataDirectory = value;
            return this;
        }

        /**
         * Sets the coordination service. Has no default.
         *
         * @param value its URI
         * @return this
         */
        public Builder coordination(String value) {
            coordination = value;
            return this;
        }

        /**
         * Sets who the broker is at the coordination service, and how it encrypts.
         *
         * @param value credentials and certificates
         * @return this
         */
        public Builder coordinationSecurity(CoordinationSecurity value) {
            coordinationSecurity = value;
            return this;
        }

        /**
         * Sets the address to listen on.
         *
         * @param value a name or an address of this machine
         * @return this
         */
        public Builder host(String value) {
            host = value;
            return this;
        }

        /**
         * Sets the address under which others reach this broker.
         *
         * @param value a name or an address; needed when {@code host} is a wildcard
         * @return this
         */
        public Builder advertisedHost(String value) {
            advertisedHost = value;
            return this;
        }

        /**
         * Sets the port to listen on.
         *
         * @param value 0 to 65535; 0 takes any free one
         * @return this
         */
        public Builder port(int value) {
            port = value;
            return this;
        }

        /**
         * Sets the failure zone of this machine.
         *
         * @param value its name, or empty
         * @return this
         */
        public Builder rack(String value) {
            rack = value;
            return this;
        }

        /**
         * Sets how long the cluster waits for a silent broker.
         *
         * @param value 200 ms to 10 min
         * @return this
         */
        public Builder sessionTtl(Duration value) {
            sessionTtl = value;
            return this;
        }

        /**
         * Sets how long a follower may stay behind.
         *
         * @param value 1 s to 1 h, at least the session's time to live
         * @return this
         */
        public Builder replicaLagMax(Duration value) {
            replicaLagMax = value;
            return this;
        }

        /**
         * Whether topics may be deleted.
         *
         * @param value see {@link BrokerConfig}
         * @return this
         */
        public Builder deleteTopicEnable(boolean value) {
            deleteTopicEnable = value;
            return this;
        }

        /**
         * Sets the fewest in-sync replicas of a new topic whose creator says nothing.
         *
         * @param value 1 to 100
         * @return this
         */
        public Builder minIsr(int value) {
            minIsr = value;
            return this;
        }

        /**
         * Sets the size of a log segment.
         *
         * @param value 4 KiB to 2147418112 bytes
         * @return this
         */
        public Builder segmentBytes(int value) {
            segmentBytes = value;
            return this;
        }

        /**
         * Sets the bytes of log between two index entries.
         *
         * @param value 1 byte to 1 GiB
         * @return this
         */
        public Builder indexIntervalBytes(int value) {
            indexIntervalBytes = value;
            return this;
        }

        /**
         * Sets the largest record batch.
         *
         * @param value 1 KiB to 15 MiB
         * @return this
         */
        public Builder batchBytesMax(int value) {
            batchBytesMax = value;
            return this;
        }

        /**
         * Sets how long records are kept.
         *
         * @param value 0 or more; {@link LogConfig#FOREVER} keeps them
         * @return this
         */
        public Builder retentionAge(Duration value) {
            retentionAge = value;
            return this;
        }

        /**
         * Sets how many bytes of a partition are kept at least.
         *
         * @param value 0 or more; {@link LogConfig#UNLIMITED} for no limit
         * @return this
         */
        public Builder retentionBytes(long value) {
            retentionBytes = value;
            return this;
        }

        /**
         * Sets the most bytes of all logs of this broker.
         *
         * @param value 0 or more; {@link LogConfig#UNLIMITED} for no limit
         * @return this
         */
        public Builder dataBytesMax(long value) {
            dataBytesMax = value;
            return this;
        }

        /**
         * Sets the free space of the disk that is left alone.
         *
         * @param value 0 or more; {@link LogStoreConfig#RESERVE_BY_DISK} to derive it from the disk
         * @return this
         */
        public Builder reserveBytes(long value) {
            reserveBytes = value;
            return this;
        }

        /**
         * Sets after how long what was appended is forced to the disk.
         *
         * @param value 1 ms or more; {@link LogConfig#FOREVER} leaves it to the system
         * @return this
         */
        public Builder flushInterval(Duration value) {
            flushInterval = value;
            return this;
        }

        /**
         * Sets how long a start may take.
         *
         * @param value 1 s to 1 h
         * @return this
         */
        public Builder startTimeout(Duration value) {
            startTimeout = value;
            return this;
        }

        /**
         * Sets how long a close waits for each of its steps.
         *
         * @param value 100 ms to 10 min
         * @return this
         */
        public Builder closeTimeout(Duration value) {
            closeTimeout = value;
            return this;
        }

        /**
         * Changes how the broker decides while it is the controller.
         *
         * @param change makes the wanted settings of those so far
         * @return this
         */
        public Builder controller(UnaryOperator<ControllerConfig> change) {
            controller = change.apply(controller);
            return this;
        }

        /**
         * Checks the values and makes the configuration. Touches no disk and no network.
         *
         * @return the configuration
         * @throws IllegalArgumentException if values are missing, out of range or do not fit together; the message
         *     lists all of them
         */
        public BrokerConfig build() {
            return new BrokerConfig(
                    brokerId,
                    dataDirectory,
                    coordination,
                    coordinationSecurity,
                    host,
                    advertisedHost.isEmpty() ? host : advertisedHost,
                    port,
                    rack,
                    sessionTtl,
                    replicaLagMax,
                    minIsr,
                    deleteTopicEnable,
                    segmentBytes,
                    indexIntervalBytes,
                    batchBytesMax,
                    retentionAge,
                    retentionBytes,
                    dataBytesMax,
                    reserveBytes,
                    flushInterval,
                    startTimeout,
                    closeTimeout,
                    controller);
        }
    }
}

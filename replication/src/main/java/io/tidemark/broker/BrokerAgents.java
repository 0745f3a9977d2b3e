package io.tidemark.broker;

import io.tidemark.conductor.ConductorAgent;
import io.tidemark.conductor.ConductorContext;
import io.tidemark.conductor.MaintenanceAgent;
import io.tidemark.coordination.Coordination;
import io.tidemark.log.LogConfig;
import io.tidemark.log.LogStore;
import io.tidemark.log.LogStoreConfig;
import io.tidemark.log.StorageException;
import io.tidemark.pipeline.LaneAgent;
import io.tidemark.pipeline.LaneConfig;
import io.tidemark.pipeline.LaneContext;
import io.tidemark.pipeline.LaneCounters;
import io.tidemark.transport.TransportFactory;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;

/**
 * The agents of one broker, wired to each other; who steps them, and on which threads, is the business of their owner.
 * None of them has been started when this is made. Used by one thread at a time.
 */
final class BrokerAgents {
    private final LaneCounters laneCounters = new LaneCounters();
    private final LogStore store;
    private final MaintenanceAgent maintenance;
    private final ConductorAgent conductor;
    private final LaneAgent lane;

    /**
     * What a broker takes from its surroundings.
     *
     * @param nanoClock monotonic time
     * @param random randomness for ids and pauses
     * @param transports opens the network of each agent
     * @param stores opens the data folder
     */
    record Seams(
            NanoClock nanoClock,
            EpochClock epochClock,
            RandomGenerator random,
            TransportFactory transports,
            Stores stores) {}

    /** Opens data folders. */
    @FunctionalInterface
    interface Stores {
        /**
         * Opens a data folder, or makes it.
         *
         * @param directory the folder
         * @param config its settings
         * @return the open folder
         * @throws StorageException if the folder is in use or cannot be read or written
         */
        LogStore open(Path directory, LogStoreConfig config);
    }

    /**
     * Makes the agents.
     *
     * @param config how the broker runs
     * @param store its data folder, see {@link #openStore}
     * @param coordination its coordination client
     * @param seams its surroundings
     */
    BrokerAgents(BrokerConfig config, LogStore store, Coordination coordination, Seams seams) {
        this.store = store;
        maintenance = new MaintenanceAgent(
                threadName(config, "maintenance"), config.brokerId(), store, logConfig(config), seams.nanoClock());
        conductor = new ConductorAgent(new ConductorContext(
                threadName(config, "conductor"),
                new ConductorContext.Identity(
                        config.brokerId(),
                        config.advertisedHost(),
                        config.rack(),
                        store.identity().directoryId().toString(),
                        config.dataDirectory(),
                        config.sessionTtl(),
                        // The other half is left for the end of the session.
                        config.closeTimeout().dividedBy(2),
                        config.minIsr(),
                        config.deleteTopicEnable()),
                coordination,
                seams.transports(),
                maintenance,
                seams.nanoClock(),
                seams.epochClock(),
                seams.random(),
                config.controller().settings(),
                laneCounters::snapshot));
        lane = new LaneAgent(new LaneContext(
                LaneConfig.of(
                        config.brokerId(),
                        config.host(),
                        config.port(),
                        config.replicaLagMax().toNanos()),
                seams.transports(),
                seams.nanoClock(),
                conductor,
                conductor::image,
                conductor::isLeaseValid,
                laneCounters));
        store.onOwnerWork(lane.proxy()::logWork);
    }

    /**
     * Opens a broker's data folder.
     *
     * @param config how the broker runs
     * @param seams its surroundings
     * @return the open folder
     * @throws BrokerStartException if the folder cannot be opened or belongs to another broker; it is closed then
     */
    static LogStore openStore(BrokerConfig config, Seams seams) {
        LogStore opened;
        try {
            opened = seams.stores()
                    .open(
                            config.dataDirectory(),
                            LogStoreConfig.builder()
                                    .bytesMax(config.dataBytesMax())
                                    .reserveBytes(config.reserveBytes())
                                    .build());
        } catch (StorageException failed) {
            throw new BrokerStartException(
                    "data folder cannot be opened: dataDirectory=" + config.dataDirectory() + ": "
                            + failed.getMessage(),
                    failed);
        }
        OptionalInt owner = opened.identity().nodeId();
        if (owner.isPresent() && owner.getAsInt() != config.brokerId()) {
            opened.close();
            throw new BrokerStartException("data folder belongs to another broker: dataDirectory="
                    + config.dataDirectory() + ", folderBrokerId=" + owner.getAsInt() + ", brokerId="
                    + config.brokerId() + "; start broker " + owner.getAsInt() + " with it, or give broker "
                    + config.brokerId() + " a folder of its own");
        }
        return opened;
    }

    /**
     * What a part of a broker is called.
     *
     * @param config how the broker runs
     * @param part the part
     * @return the name of its thread
     */
    static String threadName(BrokerConfig config, String part) {
        return "tidemark-" + config.brokerId() + "-" + part;
    }

    private static LogConfig logConfig(BrokerConfig config) {
        return LogConfig.builder()
                .segmentBytes(config.segmentBytes())
                .indexIntervalBytes(config.indexIntervalBytes())
                .batchBytesMax(config.batchBytesMax())
                .retentionAge(config.retentionAge())
                .retentionBytes(config.retentionBytes())
                .flushInterval(config.flushInterval())
                .build();
    }

    /**
     * The data folder.
     *
     * @return the open folder
     */
    LogStore store() {
        return store;
    }

    /**
     * The agent that may wait for the disk.
     *
     * @return the agent
     */
    MaintenanceAgent maintenance() {
        return maintenance;
    }

    /**
     * The agent that talks to the coordination service.
     *
     * @return the agent
     */
    ConductorAgent conductor() {
        return conductor;
    }

    /**
     * The agent of the data path. The conductor is told of it by {@link ConductorAgent#attach} once it listens.
     *
     * @return the agent
     */
    LaneAgent lane() {
        return lane;
    }

    /**
     * What the broker has counted. Any thread.
     *
     * @return values by name
     */
    Map<String, Long> counters() {
        return conductor.counters();
    }
}

package io.tidemark.conductor;

import io.tidemark.controller.ControllerSettings;
import io.tidemark.coordination.Coordination;
import io.tidemark.transport.TransportFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;

/**
 * What a conductor is made with. Immutable.
 *
 * @param name of the agent and its thread
 * @param identity what the broker says of itself
 * @param coordination the service; not closed by the conductor
 * @param transports opens the conductor's network, on its thread
 * @param maintenance does the disk work
 * @param nanoClock the time
 * @param epochClock the time of day, noted where people read it
 * @param random chooses placements and ids, and spreads attempts
 * @param controller how it decides as controller where there is a choice
 * @param counters what the lane has counted
 */
public record ConductorContext(
        String name,
        Identity identity,
        Coordination coordination,
        TransportFactory transports,
        MaintenanceAgent maintenance,
        NanoClock nanoClock,
        EpochClock epochClock,
        RandomGenerator random,
        ControllerSettings controller,
        Supplier<Map<String, Long>> counters) {
    /**
     * What a broker says of itself, but for what its start finds out.
     *
     * @param brokerId its id
     * @param host the address that it advertises
     * @param rack its failure zone, may be empty
     * @param storageId names its data folder
     * @param dataDirectory the folder, for messages
     * @param sessionTtl the wished time to live of its sessions
     * @param leaveTimeout how long the others may take to take over before it closes
     * @param minIsrDefault minimum of in-sync replicas of topics whose creator names none
     * @param isDeletionAllowed whether topics may be deleted
     */
    public record Identity(
            int brokerId,
            String host,
            String rack,
            String storageId,
            Path dataDirectory,
            Duration sessionTtl,
            Duration leaveTimeout,
            int minIsrDefault,
            boolean isDeletionAllowed) {}
}

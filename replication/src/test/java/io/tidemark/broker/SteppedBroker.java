package io.tidemark.broker;

import io.tidemark.conductor.ConductorAgent;
import io.tidemark.conductor.MaintenanceAgent;
import io.tidemark.coordination.Coordination;
import io.tidemark.log.LogStore;
import io.tidemark.log.io.FileSystem;
import io.tidemark.pipeline.LaneAgent;
import io.tidemark.transport.TransportFactory;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;

/** A broker without threads: the production's agents, wired as the production wires them, for somebody to step. */
public final class SteppedBroker {
    private final BrokerAgents agents;

    /** What it is given instead of the machine's. */
    public record Surroundings(
            NanoClock nanoClock,
            EpochClock epochClock,
            RandomGenerator random,
            TransportFactory transports,
            FileSystem fileSystem) {}

    /**
     * Opens the data folder and makes the agents; starts none.
     *
     * @throws BrokerStartException if the folder cannot be opened
     */
    public SteppedBroker(BrokerConfig config, Coordination coordination, Surroundings given) {
        BrokerAgents.Seams seams = new BrokerAgents.Seams(
                given.nanoClock(),
                given.epochClock(),
                given.random(),
                given.transports(),
                (directory, store) ->
                        LogStore.open(directory, store, given.fileSystem(), given.epochClock(), given.nanoClock()));
        agents = new BrokerAgents(config, BrokerAgents.openStore(config, seams), coordination, seams);
    }

    public LogStore store() {
        return agents.store();
    }

    public MaintenanceAgent maintenance() {
        return agents.maintenance();
    }

    public ConductorAgent conductor() {
        return agents.conductor();
    }

    public LaneAgent lane() {
        return agents.lane();
    }

    public Map<String, Long> counters() {
        return agents.counters();
    }

    /**
     * Whether the conductor gave up for good. Production tells it to operators in its log only; the field is read here
     * so that a simulated operator can act.
     */
    public boolean hasConductorFailed() {
        try {
            Field failed = ConductorAgent.class.getDeclaredField("isFailed");
            failed.setAccessible(true);
            return failed.getBoolean(conductor());
        } catch (ReflectiveOperationException gone) {
            throw new IllegalStateException("the conductor has no such field any more", gone);
        }
    }
}

package io.tidemark.broker;

import io.tidemark.conductor.ConductorAgent;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Coordinations;
import io.tidemark.log.JvmFlags;
import io.tidemark.log.LogStore;
import io.tidemark.pipeline.LaneAgent;
import io.tidemark.pipeline.LaneIdle;
import io.tidemark.transport.TransportException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of one broker, in the order in which they start; they end in the reverse order, as far as they were
 * started. Used by one thread at a time: the one that starts the broker, then the one that closes it.
 */
final class BrokerParts {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerParts.class);

    private final BrokerConfig config;
    private final NanoClock nanoClock = SystemSeams.nanoClock();
    private @Nullable Coordination ownCoordination;
    private @Nullable LogStore store;
    private @Nullable BrokerAgents agents;
    private @Nullable AgentThread laneThread;
    private @Nullable AgentThread conductorThread;
    private @Nullable AgentThread maintenanceThread;

    /**
     * Begins with nothing started.
     *
     * @param config how the broker runs
     */
    BrokerParts(BrokerConfig config) {
        this.config = config;
    }

    /**
     * Starts everything, and waits until the broker serves.
     *
     * @param shared the coordination client of the caller, if there is one
     * @return the port that the lane is bound to
     * @throws BrokerStartException if a part cannot start; what was started is left for {@link #close}
     */
    int start(Optional<Coordination> shared) {
        long deadlineNs = nanoClock.nanoTime() + config.startTimeout().toNanos();
        requireJvmFlags();
        BrokerAgents.Seams seams = SystemSeams.ofBroker();
        LogStore opened = BrokerAgents.openStore(config, seams);
        store = opened;
        Coordination coordination = shared.orElseGet(this::openCoordination);
        BrokerAgents made = new BrokerAgents(config, opened, coordination, seams);
        agents = made;
        startMaintenance(made);
        ConductorAgent conductor = made.conductor();
        int port = startLane(made, deadlineNs);
        conductorThread = AgentThread.start(
                threadName("conductor"),
                conductor,
                new ParkIdle(count -> {
                    if (count <= 0) {
                        conductor.park();
                    }
                }),
                thrown -> conductor.fail("the conductor has failed: " + thrown, thrown));
        awaitStarted(conductor, deadlineNs);
        return port;
    }

    /**
     * What the broker has counted.
     *
     * @return values by name, a copy
     */
    Map<String, Long> counters() {
        BrokerAgents current = agents;
        return current == null ? Map.of() : current.counters();
    }

    /**
     * Ends everything in good order. What fails is logged, and the rest ends nevertheless.
     *
     * @param isClean whether the logs are to be marked as cleanly stopped
     */
    void close(boolean isClean) {
        BrokerAgents made = agents;
        if (made != null) {
            if (isClean && conductorThread != null) {
                step("leave the cluster", made.conductor()::resign);
            }
            made.lane().proxy().stop();
        }
        stop(laneThread);
        stop(conductorThread);
        stop(maintenanceThread);
        LogStore opened = store;
        if (opened != null && isClean) {
            if (made != null && maintenanceThread != null) {
                step("note the high watermarks", () -> done(made.maintenance()::checkpoint));
            }
            step("close the logs", () -> done(opened::close));
        } else if (opened != null) {
            step("abandon the logs", () -> done(opened::abandon));
        }
        Coordination coordination = ownCoordination;
        if (coordination != null) {
            step("close the coordination client", () -> done(coordination::close));
        }
    }

    private void requireJvmFlags() {
        try {
            JvmFlags.require();
        } catch (IllegalStateException missing) {
            throw new BrokerStartException(String.valueOf(missing.getMessage()), missing);
        }
    }

    private Coordination openCoordination() {
        try {
            Coordination opened = Coordinations.open(
                    config.coordination(),
                    config.coordinationSecurity()
                            .applyTo(CoordinationConfig.builder().clientName(threadName("coordination")))
                            .build());
            ownCoordination = opened;
            return opened;
        } catch (IllegalArgumentException | CoordinationException refused) {
            throw new BrokerStartException(String.valueOf(refused.getMessage()), refused);
        }
    }

    private void startMaintenance(BrokerAgents made) {
        ThreadParker parker = new ThreadParker();
        made.maintenance().wakeUp(parker::wakeUp);
        maintenanceThread = AgentThread.start(
                threadName("maintenance"),
                made.maintenance(),
                new ParkIdle(parker::idle),
                made.conductor()::maintenanceFailed);
    }

    private int startLane(BrokerAgents made, long deadlineNs) {
        LaneAgent agent = made.lane();
        ConductorAgent owner = made.conductor();
        CompletableFuture<InetSocketAddress> address = agent.address();
        laneThread = AgentThread.start(threadName("lane-0"), agent, new LaneIdle(agent), thrown -> {
            // A lane that cannot listen says so by its address.
            if (!address.isCompletedExceptionally()) {
                owner.laneFailed(thrown);
            }
        });
        int port = await(address, deadlineNs, "the lane did not start in time").getPort();
        owner.attach(agent.proxy(), port);
        return port;
    }

    private void awaitStarted(ConductorAgent started, long deadlineNs) {
        await(
                started.started().toCompletableFuture(),
                deadlineNs,
                "broker could not register in time: brokerId=" + config.brokerId() + ", coordination="
                        + withoutUserInfo(config.coordination()) + ", waited=" + config.startTimeout()
                        + "; check that the coordination service is up and can be reached from here");
    }

    private <T> T await(Future<T> future, long deadlineNs, String timeoutText) {
        try {
            return future.get(Math.max(1, deadlineNs - nanoClock.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            BrokerAgents current = agents;
            String last = current == null ? "" : current.conductor().lastFailure();
            throw new BrokerStartException(timeoutText + (last.isEmpty() ? "" : "; last failure: " + last), late);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause() == null ? failed : failed.getCause();
            String text = cause instanceof TransportException || cause instanceof IllegalStateException
                    ? String.valueOf(cause.getMessage())
                    : "broker could not start: brokerId=" + config.brokerId() + ": " + cause;
            throw new BrokerStartException(text, cause);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new BrokerStartException("the start was interrupted: brokerId=" + config.brokerId(), interrupted);
        }
    }

    private void stop(@Nullable AgentThread thread) {
        if (thread != null) {
            step("stop a thread", () -> done(() -> thread.stop(config.closeTimeout())));
        }
    }

    private String threadName(String part) {
        return BrokerAgents.threadName(config, part);
    }

    /** What a step of the close does; it may end later. */
    private interface Step {
        CompletionStage<?> run();
    }

    private static CompletionStage<?> done(Runnable action) {
        action.run();
        return CompletableFuture.completedStage(null);
    }

    private void step(String what, Step step) {
        Duration timeout = config.closeTimeout();
        try {
            var unused = step.run().toCompletableFuture().get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException | RuntimeException failed) {
            LOG.warn("broker {} could not {} as it closed: {}", config.brokerId(), what, String.valueOf(failed));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            LOG.warn("broker {} was interrupted as it tried to {}", config.brokerId(), what);
        }
    }

    private static String withoutUserInfo(String uri) {
        int at = uri.lastIndexOf('@');
        int slashes = uri.indexOf("//");
        return at < 0 || slashes < 0 || slashes > at ? uri : uri.substring(0, slashes + 2) + uri.substring(at + 1);
    }
}

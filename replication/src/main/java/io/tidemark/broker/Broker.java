package io.tidemark.broker;

import io.tidemark.coordination.Coordination;
import java.util.Map;
import java.util.Optional;

/**
 * One broker of a cluster, running inside this JVM: it keeps replicas of partitions in its data folder, serves them on
 * its port, and takes part in the election of the controller.
 *
 * <p><b>Threading:</b> any thread. {@link #close} must not be called from a callback of the coordination client that
 * was passed in.
 */
public final class Broker implements AutoCloseable {
    private Broker() {}

    /**
     * Starts a broker with a coordination client of its own, found by the scheme of {@link BrokerConfig#coordination},
     * and waits until it is registered and has applied the state of the cluster.
     *
     * @param config how it runs
     * @return the broker, serving; to be closed by the caller
     * @throws BrokerStartException if it cannot start; one line says what, where and what to do, and nothing is left
     */
    public static Broker start(BrokerConfig config) {
        JvmFlags.check();
        return launch(config, Optional.empty());
    }

    /**
     * Starts a broker with a coordination client that belongs to the caller; it is never closed here.
     *
     * @param config how it runs; its {@code coordination} is not opened
     * @param shared the client, which must stay open longer than the broker
     * @return the broker, serving; to be closed by the caller
     * @throws BrokerStartException if it cannot start; one line says what, where and what to do, and nothing is left
     */
    public static Broker start(BrokerConfig config, Coordination shared) {
        JvmFlags.check();
        return launch(config, Optional.of(shared));
    }

    private static Broker launch(BrokerConfig config, Optional<Coordination> shared) {
        throw new BrokerStartException("the parts of a broker are not joined yet: brokerId=" + config.brokerId()
                + ", sharedCoordination=" + shared.isPresent());
    }

    /**
     * The number of this broker.
     *
     * @return its id
     */
    public int brokerId() {
        return -1;
    }

    /**
     * Where clients reach this broker.
     *
     * @return {@code host:port}, with the real port
     */
    public String address() {
        return "";
    }

    /**
     * What this broker has counted since its start, by name, such as {@code isr.shrinks} or {@code records.appended}.
     *
     * @return the counters, a copy
     */
    public Map<String, Long> counters() {
        return Map.of();
    }

    /**
     * Stops in good order: fails what is pending, gives up its registration and the controller's office, flushes the
     * logs and marks the folder as cleanly stopped. Idempotent; each step is bounded by
     * {@link BrokerConfig#closeTimeout}.
     */
    @Override
    public void close() {
        abort();
    }

    /**
     * Stops as if the process had died: connections are reset, nothing is flushed or marked, and the registration stays
     * until its session runs out. For tests and demonstrations. Idempotent.
     */
    public void abort() {}
}

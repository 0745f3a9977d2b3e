package io.tidemark.broker;

import io.tidemark.coordination.Coordination;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One broker of a cluster, running inside this JVM: it keeps replicas of partitions in its data folder, serves them on
 * its port, and takes part in the election of the controller.
 *
 * <p><b>Threading:</b> any thread. {@link #close} must not be called from a callback of the coordination client that
 * was passed in.
 */
public final class Broker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Broker.class);

    private final BrokerConfig config;
    private final BrokerParts parts;
    private final int port;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private Broker(BrokerConfig config, BrokerParts parts, int port) {
        this.config = config;
        this.parts = parts;
        this.port = port;
    }

    /**
     * Starts a broker with a coordination client of its own, found by the scheme of {@link BrokerConfig#coordination},
     * and waits until it is registered and has applied the state of the cluster.
     *
     * @param config how it runs
     * @return the broker, serving; to be closed by the caller
     * @throws BrokerStartException if it cannot start; one line says what, where and what to do, and nothing is left
     */
    public static Broker start(BrokerConfig config) {
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
        return launch(config, Optional.of(shared));
    }

    private static Broker launch(BrokerConfig config, Optional<Coordination> shared) {
        BrokerParts parts = new BrokerParts(config);
        try {
            Broker broker = new Broker(config, parts, parts.start(shared));
            LOG.info(
                    "broker {} serves: version={}, address={}, dataDirectory={}",
                    config.brokerId(),
                    version(),
                    broker.address(),
                    config.dataDirectory());
            return broker;
        } catch (BrokerStartException failed) {
            parts.close(true);
            throw failed;
        } catch (RuntimeException | Error failed) {
            parts.close(true);
            throw new BrokerStartException(
                    "broker could not start: brokerId=" + config.brokerId() + ": " + failed, failed);
        }
    }

    private static String version() {
        String version = Broker.class.getPackage().getImplementationVersion();
        return version == null ? "unpackaged" : version;
    }

    /**
     * The number of this broker.
     *
     * @return its id
     */
    public int brokerId() {
        return config.brokerId();
    }

    /**
     * Where clients reach this broker.
     *
     * @return {@code host:port}, with the real port
     */
    public String address() {
        return config.advertisedHost() + ":" + port;
    }

    /**
     * What this broker has counted since its start, by name, such as {@code isr.shrinks} or {@code records.appended}.
     *
     * @return the counters, a copy
     */
    public Map<String, Long> counters() {
        return parts.counters();
    }

    /**
     * Stops in good order: others take over what this broker leads, and drop it from the ISRs, while it still serves;
     * then it fails what is pending, gives up the controller's office and its registration, flushes the logs and marks
     * the folder as cleanly stopped. What nobody can take over within half of {@link BrokerConfig#closeTimeout} is left
     * as it is. Idempotent; each step is bounded by {@link BrokerConfig#closeTimeout}, also when the coordination
     * service is away.
     */
    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            parts.close(true);
            LOG.info("broker {} is closed", config.brokerId());
        }
    }

    /**
     * Stops as if the process had died: connections break, nothing is flushed or marked, and the registration stays
     * until its session ends. With a coordination client of the caller that is when the caller ends the session or the
     * client; a client of the broker's own is closed here, and the session with it. For tests and demonstrations.
     * Idempotent.
     */
    public void abort() {
        if (isClosed.compareAndSet(false, true)) {
            parts.close(false);
            LOG.info("broker {} was aborted", config.brokerId());
        }
    }
}

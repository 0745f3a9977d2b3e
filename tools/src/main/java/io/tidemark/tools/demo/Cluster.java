package io.tidemark.tools.demo;

import io.tidemark.coordination.Coordination;
import java.nio.file.Path;
import java.util.List;

/**
 * The brokers of a run, numbered from 1, and their coordination service. Owned by the demo's thread, but for
 * {@link #destroy}.
 */
interface Cluster extends AutoCloseable {
    /** Starts the coordination service and all brokers, and waits until they serve. */
    void start();

    /**
     * The numbers of the brokers.
     *
     * @return 1 to the count
     */
    List<Integer> brokers();

    /**
     * Where clients reach the brokers.
     *
     * @return {@code host:port}, separated by commas
     */
    String addresses();

    /**
     * A client of the coordination service, at the place that the brokers use.
     *
     * @return a new client, to be closed by the caller
     */
    Coordination openCoordination();

    /**
     * Ends a broker as a crash would, at once.
     *
     * @param broker its number
     */
    void kill(int broker);

    /**
     * Starts a killed broker again, on the same folder and port, and waits until it serves.
     *
     * @param broker its number
     */
    void restart(int broker);

    /**
     * Where a broker keeps its partitions.
     *
     * @param broker its number
     * @return the data folder
     */
    Path dataFolder(int broker);

    /**
     * What the brokers said last, for messages.
     *
     * @return some lines; empty if all of them run
     */
    String evidence();

    /** Closes all brokers in good order and waits for their end. */
    void closeBrokers();

    /**
     * Ends everything at once, and nothing can be started any more. Any thread, also while another thread is inside
     * another method.
     */
    void destroy();

    /** Ends everything, and removes from the coordination service what was made there. Idempotent. */
    @Override
    void close();
}

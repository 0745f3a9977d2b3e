package io.tidemark.tools.demo;

import io.tidemark.coordination.Coordination;
import io.tidemark.tools.system.ChildProcess;
import java.util.function.Function;

/** Where in which coordination service a run keeps its keys. */
interface CoordinationPlace extends AutoCloseable {
    /**
     * Makes the place ready.
     *
     * @param starter starts a child that ends with the run
     */
    void start(Function<ChildProcess.Command, ChildProcess> starter);

    /**
     * What brokers are told.
     *
     * @return the URI; known after {@link #start}
     */
    String uri();

    /**
     * Opens a client.
     *
     * @return a new client, to be closed by the caller
     */
    Coordination open();

    /** Removes what the run made there. Idempotent. */
    @Override
    void close();
}

package io.tidemark.tools.demo;

import io.tidemark.coordination.Coordination;
import io.tidemark.tools.system.ChildProcess;
import java.util.Map;

/** Where in which coordination service a run keeps its keys. */
interface CoordinationPlace extends AutoCloseable {
    /** Starts children that end with the run. */
    interface Starter {
        /**
         * Starts a JVM.
         *
         * @param command what to start
         * @return the running child
         */
        ChildProcess start(ChildProcess.Command command);

        /**
         * Starts another program.
         *
         * @param program what to start
         * @return the running child
         */
        ChildProcess start(ChildProcess.Program program);
    }

    /**
     * Makes the place ready.
     *
     * @param starter starts children
     */
    void start(Starter starter);

    /**
     * What brokers are told.
     *
     * @return the URI; known after {@link #start}
     */
    String uri();

    /**
     * What brokers are told beside it.
     *
     * @return settings of {@code CoordinationSecurity}
     */
    Map<String, String> security();

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

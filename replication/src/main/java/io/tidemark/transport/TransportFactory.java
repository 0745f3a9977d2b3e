package io.tidemark.transport;

/** Opens transports, so that an agent gets its network without knowing which kind it is. */
@FunctionalInterface
public interface TransportFactory {
    /**
     * Opens a transport for the calling thread, which becomes its owner. Agents call this in {@code onStart}.
     *
     * @param name of the owner, for messages
     * @return the transport, to be closed by its owner
     */
    Transport open(String name);
}

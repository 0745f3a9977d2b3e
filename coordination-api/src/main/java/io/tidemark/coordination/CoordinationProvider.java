package io.tidemark.coordination;

import java.net.URI;

/** A back end, found by {@link java.util.ServiceLoader}. Has a public constructor without parameters and no state. */
public interface CoordinationProvider {
    /**
     * The scheme of the URIs which this back end opens.
     *
     * @return such as {@code zk}, {@code etcd} or {@code local}; in lower case
     */
    String scheme();

    /**
     * Opens a client. Dials nobody, and leaves no thread behind when it fails; the connection is made in the background
     * or by the first call. Only a back end that keeps its data in this process reads its folder here.
     *
     * @param uri where the service is; its scheme is {@link #scheme}
     * @param config how to use it
     * @return the client, to be closed by the caller
     * @throws IllegalArgumentException if the URI is not understood, or the configuration asks for what this back end
     *     does not have
     * @throws CoordinationException if a folder of this process cannot be opened
     */
    Coordination open(URI uri, CoordinationConfig config);
}

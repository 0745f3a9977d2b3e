package io.tidemark.coordination.local;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.CoordinationProvider;
import java.net.URI;

/** Opens {@code local:}, a store in memory that belongs to the one client and ends with it. */
public final class LocalCoordinationProvider implements CoordinationProvider {
    private static final String MEMORY = "memory";

    /** Made by {@link java.util.ServiceLoader}. */
    public LocalCoordinationProvider() {}

    @Override
    public String scheme() {
        return "local";
    }

    @Override
    public Coordination open(URI uri, CoordinationConfig config) {
        if (!MEMORY.equals(uri.getSchemeSpecificPart())) {
            throw new IllegalArgumentException("a local: store in a folder is not supported: uri=" + uri
                    + "; use local: for a store in memory, or a coordination server");
        }
        LocalStore store = LocalStore.create();
        return store.connect(config, store::close);
    }
}

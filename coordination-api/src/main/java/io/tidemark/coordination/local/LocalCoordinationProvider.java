package io.tidemark.coordination.local;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.CoordinationProvider;
import java.net.URI;
import java.nio.file.Path;

/**
 * Opens {@code local:}, a store in memory that belongs to the one client and ends with it, and {@code local:/folder},
 * a store in a folder that only this client has open. Unlike other back ends it reads the folder at once, so that a
 * folder which is in use or damaged is told to whoever starts.
 */
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
        LocalStore store =
                MEMORY.equals(uri.getSchemeSpecificPart()) ? LocalStore.create() : LocalStore.open(folder(uri));
        boolean connected = false;
        try {
            Coordination client = store.connect(config, store::close);
            connected = true;
            return client;
        } finally {
            if (!connected) {
                store.close();
            }
        }
    }

    private static Path folder(URI uri) {
        String path = uri.getPath();
        if (path == null
                || !path.startsWith("/")
                || path.equals("/")
                || uri.getRawAuthority() != null
                || uri.getRawQuery() != null
                || uri.getRawFragment() != null) {
            throw new IllegalArgumentException("a local: store is in memory or in a folder with an absolute path: uri="
                    + uri + "; write local: or such as local:/var/lib/tidemark/coordination");
        }
        return Path.of(path);
    }
}

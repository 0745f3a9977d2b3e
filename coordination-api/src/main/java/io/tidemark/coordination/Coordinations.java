package io.tidemark.coordination;

import java.net.URI;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;

/** Opens a {@link Coordination} by the scheme of a URI. */
public final class Coordinations {
    private Coordinations() {}

    /**
     * Opens a client with the back end that serves the scheme. Does no input or output.
     *
     * @param uri where the service is, such as {@code zk://h1:2181,h2:2181/chroot} or {@code local:}
     * @param config how to use it
     * @return the client, to be closed by the caller
     * @throws IllegalArgumentException if no back end on the class path or module path serves the scheme, or the back
     *     end does not understand the URI
     */
    public static Coordination open(URI uri, CoordinationConfig config) {
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        Set<String> known = new TreeSet<>();
        for (CoordinationProvider provider : ServiceLoader.load(CoordinationProvider.class, loader())) {
            if (provider.scheme().equals(scheme)) {
                return provider.open(uri, config);
            }
            known.add(provider.scheme());
        }
        throw new IllegalArgumentException("no coordination back end serves this scheme: scheme=" + scheme + ", uri="
                + withoutUserInfo(uri) + ", known=" + known + "; use a known scheme or add the back end's artifact");
    }

    /** Our own loader: the caller's context loader may be one of a container that does not see the back ends. */
    private static ClassLoader loader() {
        return Coordinations.class.getClassLoader();
    }

    private static String withoutUserInfo(URI uri) {
        String text = uri.toString();
        int at = text.lastIndexOf('@');
        int slashes = text.indexOf("//");
        return at < 0 || slashes < 0 || slashes > at ? text : text.substring(0, slashes + 2) + text.substring(at + 1);
    }
}

package io.tidemark.coordination;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;

/** Opens a {@link Coordination} by the scheme of a URI. */
public final class Coordinations {
    private Coordinations() {}

    /**
     * Opens a client from the text of a URI. A scheme alone, such as {@code local:}, stands for {@code
     * local:memory}: it has no form as a {@link URI}.
     *
     * @param uri where the service is
     * @param config how to use it
     * @return the client, to be closed by the caller
     * @throws IllegalArgumentException if the text is no URI, no back end serves the scheme, or the back end does not
     *     understand the URI
     */
    public static Coordination open(String uri, CoordinationConfig config) {
        return open(parse(uri), config);
    }

    /**
     * Reads the text of a URI as {@link #open(String, CoordinationConfig)} does.
     *
     * @param uri the text
     * @return the URI
     * @throws IllegalArgumentException if the text is no URI
     */
    public static URI parse(String uri) {
        try {
            return new URI(uri.equals("local:") ? "local:memory" : uri);
        } catch (URISyntaxException malformed) {
            throw new IllegalArgumentException("not a coordination URI: " + malformed.getReason()
                    + "; write such as zk://host:2181/chroot or local:");
        }
    }

    /**
     * Opens a client with the back end that serves the scheme. Does no input or output.
     *
     * @param uri where the service is, such as {@code zk://h1:2181,h2:2181/chroot} or
     *     {@code local:memory}
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

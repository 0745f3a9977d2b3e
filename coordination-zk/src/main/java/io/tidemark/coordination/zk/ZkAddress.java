package io.tidemark.coordination.zk;

import io.tidemark.coordination.Key;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/**
 * Where an ensemble is, and below which node of it the keys live. Immutable.
 *
 * @param servers {@code host:port} pairs, separated by commas, as ZooKeeper's client takes them
 * @param serverCount their number
 * @param chroot the node above all keys, such as {@code /tidemark}; empty for the top
 */
record ZkAddress(String servers, int serverCount, String chroot) {
    private static final int DEFAULT_PORT = 2181;
    private static final int PORT_MAX = 65_535;
    private static final int CHROOT_LENGTH_MAX = 256;
    private static final int SERVERS_MAX = 64;

    /**
     * Reads an address such as {@code zk://h1:2181,h2:2181/chroot}. The port may be left out.
     *
     * @param uri the address
     * @return its parts
     * @throws IllegalArgumentException if the URI is not understood; user-info is refused and never repeated
     */
    static ZkAddress parse(URI uri) {
        String authority = uri.getRawAuthority();
        if (authority == null || authority.isEmpty()) {
            throw new IllegalArgumentException(
                    "ZooKeeper address names no server; use zk://host:2181,host:2181/chroot");
        }
        if (authority.indexOf('@') >= 0) {
            throw new IllegalArgumentException("ZooKeeper address holds credentials, which do not belong into a URI;"
                    + " remove what stands before the '@'");
        }
        if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
            throw new IllegalArgumentException("ZooKeeper address has a query or fragment, which it does not know: uri="
                    + uri + "; use zk://host:2181,host:2181/chroot");
        }
        List<String> servers = new ArrayList<>();
        for (String server : authority.split(",", -1)) {
            servers.add(withPort(server, uri));
        }
        if (servers.size() > SERVERS_MAX) {
            throw new IllegalArgumentException(
                    "ZooKeeper address names too many servers: count=" + servers.size() + ", max=" + SERVERS_MAX);
        }
        return new ZkAddress(String.join(",", servers), servers.size(), chroot(uri));
    }

    private static String withPort(String server, URI uri) {
        int colon = server.startsWith("[") ? server.indexOf(':', server.indexOf(']') + 1) : server.indexOf(':');
        String host = colon < 0 ? server : server.substring(0, colon);
        String port = colon < 0 ? Integer.toString(DEFAULT_PORT) : server.substring(colon + 1);
        if (host.isEmpty() || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > PORT_MAX) {
            throw new IllegalArgumentException(
                    "ZooKeeper address has a bad server: server=" + server + ", uri=" + uri + "; use host:port");
        }
        return host + ":" + port;
    }

    private static String chroot(URI uri) {
        String path = uri.getPath();
        if (path == null || path.isEmpty() || path.equals("/")) {
            return "";
        }
        if (path.length() > CHROOT_LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "ZooKeeper chroot is too long: length=" + path.length() + ", max=" + CHROOT_LENGTH_MAX);
        }
        return Key.of(path).path();
    }
}

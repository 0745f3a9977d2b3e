package io.tidemark.coordination.etcd;

import io.tidemark.coordination.Key;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Where the members of a cluster are, and what stands before each key. Immutable.
 *
 * @param members the members in the order in which they are tried, at least one
 * @param prefix such as {@code /tidemark}; empty for none
 */
record EtcdAddress(List<Member> members, String prefix) {
    private static final int DEFAULT_PORT = 2379;
    private static final int PORT_MAX = 65_535;
    private static final int PREFIX_LENGTH_MAX = 256;
    private static final int MEMBERS_MAX = 64;
    private static final String FORM = "use etcd://host:2379,host:2379/prefix";

    /**
     * The address of one member for clients.
     *
     * @param host name or number, an IPv6 number in brackets
     * @param port its port
     */
    record Member(String host, int port) {
        /** {@return the name or number as the resolver takes it} */
        String plainHost() {
            return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        }

        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    /**
     * Keeps a copy of the members.
     *
     * @param members the members
     * @param prefix what stands before each key
     */
    EtcdAddress {
        members = List.copyOf(members);
    }

    /**
     * Reads an address such as {@code etcd://h1:2379,h2:2379/prefix}. The port may be left out.
     *
     * @param uri the address
     * @return its parts
     * @throws IllegalArgumentException if the URI is not understood; user-info is refused and never repeated
     */
    static EtcdAddress parse(URI uri) {
        String authority = uri.getRawAuthority();
        if (authority == null || authority.isEmpty()) {
            throw new IllegalArgumentException("etcd address names no member; " + FORM);
        }
        if (authority.indexOf('@') >= 0) {
            throw new IllegalArgumentException("etcd address holds credentials, which do not belong into a URI;"
                    + " remove what stands before the '@' and give them by the configuration");
        }
        if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
            throw new IllegalArgumentException(
                    "etcd address has a query or fragment, which it does not know: uri=" + uri + "; " + FORM);
        }
        List<Member> members = new ArrayList<>();
        for (String member : authority.split(",", -1)) {
            members.add(member(member, uri));
        }
        if (members.size() > MEMBERS_MAX) {
            throw new IllegalArgumentException(
                    "etcd address names too many members: count=" + members.size() + ", max=" + MEMBERS_MAX);
        }
        return new EtcdAddress(members, prefix(uri));
    }

    private static Member member(String text, URI uri) {
        int colon = text.indexOf(':', text.startsWith("[") ? text.indexOf(']') + 1 : 0);
        String host = colon < 0 ? text : text.substring(0, colon);
        String port = colon < 0 ? Integer.toString(DEFAULT_PORT) : text.substring(colon + 1);
        if (host.isEmpty() || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > PORT_MAX) {
            throw new IllegalArgumentException(
                    "etcd address has a bad member: member=" + text + ", uri=" + uri + "; use host:port");
        }
        return new Member(host, Integer.parseInt(port));
    }

    private static String prefix(URI uri) {
        String path = uri.getPath();
        if (path == null || path.isEmpty() || path.equals("/")) {
            return "";
        }
        if (path.length() > PREFIX_LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "etcd prefix is too long: length=" + path.length() + ", max=" + PREFIX_LENGTH_MAX);
        }
        return Key.of(path).path();
    }

    /** {@return the members as text, for messages} */
    String servers() {
        return members.stream().map(Member::toString).collect(Collectors.joining(","));
    }
}

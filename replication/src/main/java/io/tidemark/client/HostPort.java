package io.tidemark.client;

import java.util.ArrayList;
import java.util.List;

/**
 * Address of a broker.
 *
 * @param host name or address; IPv6 addresses stand in brackets when written
 * @param port 1 to 65535
 */
record HostPort(String host, int port) {
    private static final int PORT_MAX = 65_535;

    /**
     * Reads a list of addresses.
     *
     * @param text host:port, separated by commas
     * @return one or more
     * @throws IllegalArgumentException naming the part that is no address
     */
    static List<HostPort> parse(String text) {
        final List<HostPort> addresses = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            final String address = part.strip();
            final int colon = address.lastIndexOf(':');
            if (colon <= 0) {
                throw malformed(text, address);
            }
            String host = address.substring(0, colon);
            if (host.startsWith("[") && host.endsWith("]")) {
                host = host.substring(1, host.length() - 1);
            }
            try {
                final int port = Integer.parseInt(address.substring(colon + 1));
                if (port < 1 || port > PORT_MAX || host.isBlank()) {
                    throw malformed(text, address);
                }
                addresses.add(new HostPort(host, port));
            } catch (NumberFormatException e) {
                throw malformed(text, address);
            }
        }
        return addresses;
    }

    private static IllegalArgumentException malformed(String text, String address) {
        return new IllegalArgumentException("not an address: address=" + address + ", target=" + text
                + "; name brokers as host:port, separated by commas, or give a coordination URI such as"
                + " zk://host:2181/chroot");
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}

package io.tidemark.client;

import io.tidemark.transport.Transport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All links of a client, by address. Owned by the client's thread. */
final class BrokerLinks {
    private final Map<HostPort, BrokerLink> links = new LinkedHashMap<>();
    private final List<HostPort> bootstrap;
    private final Transport transport;
    private final long connectTimeoutNs;
    private int turn;

    /**
     * Links to nowhere yet.
     *
     * @param bootstrap addresses that the client was given
     * @param transport of the client
     * @param connectTimeoutNs longest time for connecting and the greeting together
     */
    BrokerLinks(List<HostPort> bootstrap, Transport transport, long connectTimeoutNs) {
        this.bootstrap = bootstrap;
        this.transport = transport;
        this.connectTimeoutNs = connectTimeoutNs;
    }

    /**
     * The link to an address.
     *
     * @param address of a broker
     * @return made if there was none
     */
    BrokerLink link(HostPort address) {
        return links.computeIfAbsent(address, missing -> new BrokerLink(missing, transport, connectTimeoutNs));
    }

    /**
     * A link that is ready, in turn over all brokers that are known, so that one that is wrong or slow is not asked
     * again and again. Connects those that are not ready.
     *
     * @param view what is known
     * @param nowNs now
     * @return a ready link, or null if there is none yet
     */
    @Nullable
    BrokerLink any(ClusterView view, long nowNs) {
        final List<HostPort> candidates = new ArrayList<>(view.addresses());
        for (HostPort address : bootstrap) {
            if (!candidates.contains(address)) {
                candidates.add(address);
            }
        }
        turn++;
        BrokerLink ready = null;
        for (int i = 0; i < candidates.size(); i++) {
            final BrokerLink link = link(candidates.get(Math.floorMod(turn + i, candidates.size())));
            if (link.readyOrConnect(nowNs) && ready == null) {
                ready = link;
            }
        }
        return ready;
    }

    /** Writes what was sent. */
    void flush() {
        links.values().forEach(BrokerLink::flush);
    }

    /**
     * Drops links whose requests wait beyond their deadlines.
     *
     * @param nowNs now
     */
    void checkDeadlines(long nowNs) {
        links.values().forEach(link -> link.checkDeadlines(nowNs));
    }

    /**
     * Closes all connections.
     *
     * @param why for messages
     */
    void dropAll(String why) {
        links.values().forEach(link -> link.drop(why));
    }

    /**
     * Why no broker could be reached.
     *
     * @return address and last failure of each link
     */
    String failures() {
        final StringBuilder text = new StringBuilder();
        links.values()
                .forEach(link -> text.append(text.isEmpty() ? "" : ", ")
                        .append(link.address())
                        .append(": ")
                        .append(link.lastFailure()));
        return text.toString();
    }
}

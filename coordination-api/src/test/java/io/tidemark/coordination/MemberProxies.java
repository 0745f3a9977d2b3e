package io.tidemark.coordination;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Gives each client of an ensemble proxies of its own, one for each member. For fixtures of any back end. */
public final class MemberProxies implements AutoCloseable {
    private final Map<Coordination, List<TcpProxy>> proxies = new ConcurrentHashMap<>();

    /** Begins without a client. */
    public MemberProxies() {}

    /**
     * Opens a client that knows members by its own proxies.
     *
     * @param ports the ports of the members
     * @param opener opens a client by the addresses of the proxies, separated by commas
     */
    public Coordination open(List<Integer> ports, Function<String, Coordination> opener) {
        List<TcpProxy> own = new ArrayList<>();
        ports.forEach(port -> own.add(TcpProxy.to(port)));
        Coordination client = opener.apply(
                own.stream().map(proxy -> "127.0.0.1:" + proxy.port()).collect(Collectors.joining(",")));
        proxies.put(client, own);
        return client;
    }

    /** The proxies of a client, in the order of its members. */
    public List<TcpProxy> of(Coordination client) {
        return proxies.getOrDefault(client, List.of());
    }

    @Override
    public void close() {
        proxies.values().forEach(own -> own.forEach(TcpProxy::close));
    }
}

package io.tidemark.coordination.etcd;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.CoordinationFixture;
import io.tidemark.coordination.Coordinations;
import io.tidemark.coordination.Session;
import io.tidemark.coordination.TcpProxy;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** A prefix of its own on a real server, and each client behind a proxy of its own. */
final class EtcdFixture implements CoordinationFixture {
    private static final Duration TTL = Duration.ofSeconds(5);
    private static final Duration EXPIRY_SLACK = Duration.ofSeconds(6);
    private static final long PASS_NS = Duration.ofMillis(2).toNanos();

    private final Map<Coordination, TcpProxy> clients = new ConcurrentHashMap<>();
    private final EtcdServer server;
    private final String prefix;

    /** Uses a server, which stays open, below a prefix that nobody has used. */
    EtcdFixture(EtcdServer server, String prefix) {
        this.server = server;
        this.prefix = prefix;
    }

    @Override
    public Coordination openClient(CoordinationConfig.Builder config) {
        TcpProxy proxy = TcpProxy.to(server.port());
        URI uri = URI.create("etcd://127.0.0.1:" + proxy.port() + prefix);
        Coordination client =
                Coordinations.open(uri, config.clientName("contract").build());
        clients.put(client, proxy);
        return client;
    }

    @Override
    public Duration ttl() {
        return TTL;
    }

    @Override
    public Duration expirySlack() {
        return EXPIRY_SLACK;
    }

    @Override
    public void cutOff(Coordination client) {
        proxy(client).cut();
    }

    @Override
    public void heal(Coordination client) {
        proxy(client).heal();
    }

    private TcpProxy proxy(Coordination client) {
        TcpProxy proxy = clients.get(client);
        if (proxy == null) {
            throw new IllegalArgumentException("not a client of this fixture: client=" + client);
        }
        return proxy;
    }

    @Override
    public void expire(Session session) {
        server.revoke(session.id());
    }

    @Override
    public void passTime() {
        LockSupport.parkNanos(PASS_NS);
    }

    @Override
    public long nowNs() {
        return System.nanoTime();
    }

    @Override
    public void close() {
        clients.keySet().forEach(Coordination::close);
        clients.values().forEach(TcpProxy::close);
    }
}

package io.tidemark.coordination.zk;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.CoordinationFixture;
import io.tidemark.coordination.Coordinations;
import io.tidemark.coordination.Session;
import io.tidemark.coordination.TcpProxy;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** A real server, and each client behind a proxy of its own. */
final class ZkFixture implements CoordinationFixture {
    private static final Duration TTL = Duration.ofSeconds(5);
    private static final Duration EXPIRY_SLACK = Duration.ofSeconds(3);
    private static final long PASS_NS = Duration.ofMillis(2).toNanos();

    private final Map<Coordination, TcpProxy> clients = new ConcurrentHashMap<>();
    private final EmbeddedZooKeeper server;

    /** Starts the server with its data in a folder. */
    ZkFixture(Path folder) {
        server = EmbeddedZooKeeper.start(folder);
    }

    @Override
    public Coordination openClient(CoordinationConfig.Builder config) {
        TcpProxy proxy = TcpProxy.to(server.port());
        URI uri = URI.create("zk://127.0.0.1:" + proxy.port() + "/contract");
        Coordination client = Coordinations.open(uri, config.build());
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
        server.expireSession(session.id());
    }

    @Override
    public void stopService() {
        server.stop();
    }

    @Override
    public void startService() {
        server.start();
    }

    @Override
    public void dropNextRequest(Coordination client) {
        proxy(client).partition();
    }

    @Override
    public void dropNextReply(Coordination client) {
        proxy(client).holdReplies();
    }

    @Override
    public void compactHistory() {
        // A ZooKeeper keeps no history: it tells nobody what changed while a watch was lost.
        server.requireRunning();
    }

    @Override
    public Optional<Coordination> openIntruder() {
        ZkAdmin.guard(server.servers(), "/contract/guarded");
        return Optional.of(openClient(CoordinationConfig.builder()));
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
        server.close();
    }
}

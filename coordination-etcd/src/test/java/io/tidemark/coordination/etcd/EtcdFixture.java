package io.tidemark.coordination.etcd;

import io.tidemark.coordination.Await;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.CoordinationFixture;
import io.tidemark.coordination.Coordinations;
import io.tidemark.coordination.Credentials;
import io.tidemark.coordination.Secret;
import io.tidemark.coordination.Session;
import io.tidemark.coordination.TcpProxy;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A prefix of its own on a real server, and each client behind a proxy of its own. */
final class EtcdFixture implements CoordinationFixture {
    private static final Duration TTL = Duration.ofSeconds(5);
    private static final Duration EXPIRY_SLACK = Duration.ofSeconds(6);
    /** More than the acknowledgements of the answer before. */
    private static final long WRITE_BYTES_MIN = 100;

    private static final long PASS_NS = Duration.ofMillis(2).toNanos();

    private final Map<Coordination, TcpProxy> clients = new ConcurrentHashMap<>();
    private final Set<Coordination> losing = ConcurrentHashMap.newKeySet();
    private final EtcdServers servers;
    private final EtcdServer server;
    private final String prefix;
    private final Path guardedFolder;
    private @Nullable EtcdServer guarded;

    /** Uses one of the servers, and gives it back in the end; one with users gets a folder. */
    EtcdFixture(EtcdServers servers, Path guardedFolder) {
        this.servers = servers;
        this.server = servers.take();
        this.prefix = servers.newPrefix();
        this.guardedFolder = guardedFolder;
    }

    @Override
    public Coordination openClient(CoordinationConfig.Builder config) {
        TcpProxy proxy = TcpProxy.to(server.port());
        URI uri = URI.create("etcd://127.0.0.1:" + proxy.port() + prefix);
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
        TcpProxy proxy = proxy(client);
        if (losing.remove(client)) {
            // A write that was not sent yet would rightly not count as lost.
            Await.until(() -> "a request is lost", () -> proxy.lostRequestBytes() >= WRITE_BYTES_MIN);
        }
        proxy.cut();
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
    public void stopService() {
        server.kill();
    }

    @Override
    public void startService() {
        server.restart();
    }

    @Override
    public void dropNextRequest(Coordination client) {
        losing.add(client);
        proxy(client).loseRequests();
    }

    @Override
    public void dropNextReply(Coordination client) {
        proxy(client).holdReplies();
    }

    @Override
    public void compactHistory() {
        server.compact();
    }

    @Override
    public Optional<Coordination> openIntruder() {
        EtcdServer own = EtcdServer.start(guardedFolder);
        guarded = own;
        own.enableUsers("member", "known-to-members", "/contract/open");
        CoordinationConfig known = CoordinationConfig.builder()
                .credentials(Credentials.password("member", Secret.of("known-to-members")))
                .build();
        Coordination intruder = Coordinations.open(own.uri("/contract"), known);
        clients.put(intruder, TcpProxy.to(own.port()));
        return Optional.of(intruder);
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
        EtcdServer own = guarded;
        if (own != null) {
            own.close();
        }
        servers.giveBack(server);
    }
}

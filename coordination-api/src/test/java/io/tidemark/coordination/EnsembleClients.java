package io.tidemark.coordination;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Runs a case of {@link CoordinationContract} on a service of three members, which serves many cases, each below a
 * directory of its own. Not thread-safe.
 */
public final class EnsembleClients implements CoordinationFixture {
    private static final Duration TTL = Duration.ofSeconds(5);
    private static final Duration EXPIRY_SLACK = Duration.ofSeconds(6);
    private static final long PASS_NS = Duration.ofMillis(2).toNanos();

    private final EnsembleFixture ensemble;
    private final String dir;
    private final List<Coordination> clients = new ArrayList<>();
    private final Set<Coordination> cutOff = ConcurrentHashMap.newKeySet();
    private final Set<Coordination> losing = ConcurrentHashMap.newKeySet();

    /**
     * Prepares a case.
     *
     * @param ensemble the service, which stays open
     * @param dir above all keys of the case, such as {@code /case-7}; nobody has used it
     */
    public EnsembleClients(EnsembleFixture ensemble, String dir) {
        this.ensemble = ensemble;
        this.dir = dir;
    }

    @Override
    public Coordination openClient(CoordinationConfig.Builder config) {
        return keep(ensemble.openClient(dir, config));
    }

    private Coordination keep(Coordination client) {
        clients.add(client);
        return client;
    }

    private void onEach(Coordination client, Consumer<TcpProxy> fault) {
        List<TcpProxy> ways = ensemble.proxies(client);
        if (ways.isEmpty()) {
            throw new IllegalArgumentException("not a client of this fixture: client=" + client);
        }
        ways.forEach(fault);
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
        if (losing.remove(client)) {
            // A write that was not sent yet would rightly not count as lost.
            Await.until(() -> "a request is lost", () -> lostRequestBytes(client) >= ensemble.requestBytesMin());
        }
        cutOff.add(client);
        onEach(client, TcpProxy::cut);
    }

    private long lostRequestBytes(Coordination client) {
        return ensemble.proxies(client).stream()
                .mapToLong(TcpProxy::lostRequestBytes)
                .sum();
    }

    @Override
    public void heal(Coordination client) {
        cutOff.remove(client);
        onEach(client, TcpProxy::heal);
    }

    @Override
    public void expire(Session session) {
        ensemble.expire(session);
    }

    // The leader and one more stand still, and connections break as they do when servers die.
    @Override
    public void stopService() {
        int leader = ensemble.leader();
        ensemble.pause(leader);
        ensemble.pause((leader + 1) % EnsembleFixture.MEMBERS);
        clients.forEach(client -> onEach(client, TcpProxy::cut));
    }

    @Override
    public void startService() {
        ensemble.repair();
        clients.stream().filter(client -> !cutOff.contains(client)).forEach(client -> onEach(client, TcpProxy::heal));
    }

    @Override
    public void dropNextRequest(Coordination client) {
        losing.add(client);
        onEach(client, TcpProxy::loseRequests);
    }

    @Override
    public void dropNextReply(Coordination client) {
        onEach(client, TcpProxy::holdReplies);
    }

    @Override
    public void compactHistory() {
        ensemble.compactHistory();
    }

    @Override
    public Optional<Coordination> openIntruder() {
        return Optional.of(keep(ensemble.openIntruder(dir)));
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
        clients.forEach(Coordination::close);
        clients.forEach(client -> onEach(client, TcpProxy::close));
        ensemble.repair();
    }
}

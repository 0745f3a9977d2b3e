package io.tidemark.coordination.local;

import io.tidemark.coordination.Await;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.CoordinationFixture;
import io.tidemark.coordination.Session;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** The back end of this process under the contract, on a virtual clock or in real time, in memory or in a folder. */
final class LocalFixture implements CoordinationFixture {
    private final List<Coordination> clients = new CopyOnWriteArrayList<>();
    private final LocalStore store;
    private final LongSupplier clock;
    private final Duration ttl;
    private final Runnable passTime;
    private boolean stopped;

    private LocalFixture(LocalStore store, LongSupplier clock, Duration ttl, Runnable passTime) {
        this.store = store;
        this.clock = clock;
        this.ttl = ttl;
        this.passTime = passTime;
    }

    /** In memory; time stands still but for passTime. */
    static LocalFixture virtual() {
        VirtualClock clock = new VirtualClock();
        return virtual(LocalStore.create(clock), clock);
    }

    /** In a folder; time stands still but for passTime. */
    static LocalFixture durable(StoreFolder folder) {
        VirtualClock clock = new VirtualClock();
        LocalStore.DurableLimits limits = new LocalStore.DurableLimits(1L << 28, 16 * 1024);
        return virtual(LocalStore.open(clock, false, folder, limits), clock);
    }

    private static LocalFixture virtual(LocalStore store, VirtualClock clock) {
        return new LocalFixture(store, clock, Duration.ofSeconds(6), () -> {
            clock.advance(Duration.ofMillis(50));
            store.tick();
            // In a folder, renewals are confirmed by the journal's thread: the clock must not run away from it.
            CompletableFuture<Boolean> caughtUp = new CompletableFuture<>();
            store.locked(after -> after.add(() -> caughtUp.complete(true)));
            Await.value(caughtUp);
            // Lets the callback threads of the clients have their turn.
            LockSupport.parkNanos(100_000);
        });
    }

    /** Time passes by itself. */
    static LocalFixture realTime() {
        LongSupplier clock = CoordinationConfig.defaults().nanoClock();
        return new LocalFixture(
                LocalStore.create(), clock, Duration.ofSeconds(2), () -> LockSupport.parkNanos(1_000_000));
    }

    @Override
    public Coordination openClient(CoordinationConfig.Builder config) {
        Coordination client = store.connect(config.build());
        clients.add(client);
        if (stopped) {
            store.faults().disconnect(client);
        }
        return client;
    }

    @Override
    public void stopService() {
        stopped = true;
        clients.forEach(store.faults()::disconnect);
    }

    @Override
    public void startService() {
        stopped = false;
        clients.forEach(store.faults()::heal);
    }

    @Override
    public void dropNextRequest(Coordination client) {
        store.faults().dropNextRequest(client);
    }

    @Override
    public void dropNextReply(Coordination client) {
        store.faults().dropNextReply(client);
    }

    @Override
    public void compactHistory() {
        clients.forEach(store.faults()::forceResync);
    }

    @Override
    public Optional<Coordination> openIntruder() {
        return Optional.empty();
    }

    @Override
    public Duration ttl() {
        return ttl;
    }

    @Override
    public Duration expirySlack() {
        return ttl.dividedBy(2);
    }

    @Override
    public void cutOff(Coordination client) {
        store.faults().partition(client);
    }

    @Override
    public void heal(Coordination client) {
        store.faults().heal(client);
    }

    @Override
    public void expire(Session session) {
        store.faults().expireSession(session);
    }

    @Override
    public void passTime() {
        passTime.run();
    }

    @Override
    public long nowNs() {
        return clock.getAsLong();
    }

    @Override
    public void close() {
        clients.forEach(Coordination::close);
        store.close();
    }
}

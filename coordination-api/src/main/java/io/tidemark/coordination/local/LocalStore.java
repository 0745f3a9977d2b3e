package io.tidemark.coordination.local;

import io.tidemark.coordination.Change;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.spi.SystemSeam;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A coordination service in memory, shared by the clients that {@link #connect} to it. Any thread.
 *
 * <p>With {@link #create()} time passes by itself: a daemon thread, begun with the first session and ended by
 * {@link #close}, renews and expires sessions. With {@link #create(LongSupplier)} the owner moves a virtual clock
 * and calls {@link #tick} after each move; there is no thread then, and all happens in the calls of the owner. The
 * clients' configurations should name the same clock.
 */
public final class LocalStore implements AutoCloseable {
    /** A step comes this many times within the shortest time to live. */
    private static final int TICKS_PER_TTL = 12;
    /** How soon a step looks for calls that passed their deadline. */
    private static final long HUNG_CALL_TICK_NS = Duration.ofMillis(10).toNanos();

    /** Guards all state of the store and of its clients: one writer at a time is what makes transactions atomic. */
    private final ReentrantLock lock = new ReentrantLock();

    private final StoreState state = new StoreState();
    private final Map<Long, Lease> leases = new HashMap<>();
    private final List<LocalCoordination> clients = new ArrayList<>();
    private final LocalFaults faults = new LocalFaults(this);
    private final LongSupplier clock;
    private final @Nullable StoreTimer timer;
    private long lastSessionId;
    private boolean closed;

    /**
     * What the store knows of a session.
     *
     * @param ttlNs the time to live granted
     * @param deadlineNs when the session ends unless it is renewed, by the store's clock
     */
    private record Lease(long ttlNs, long deadlineNs) {}

    private LocalStore(LongSupplier clock, boolean ownThread) {
        this.clock = clock;
        this.timer = ownThread ? new StoreTimer("coordination-local-timer", this::tick, this::nextTickNs) : null;
    }

    /**
     * Makes an empty store on the machine's clock.
     *
     * @return the store, to be closed by the caller
     */
    public static LocalStore create() {
        return new LocalStore(SystemSeam.nanoClock(), true);
    }

    /**
     * Makes an empty store on a virtual clock.
     *
     * @param nanoClock gives nanoseconds from an arbitrary origin; {@link #tick} is to be called when it has moved
     * @return the store, to be closed by the caller
     */
    public static LocalStore create(LongSupplier nanoClock) {
        return new LocalStore(nanoClock, false);
    }

    /**
     * Makes a client of this store.
     *
     * @param config how to use it
     * @return the client, to be closed by the caller
     * @throws IllegalStateException if the store is closed
     */
    public Coordination connect(CoordinationConfig config) {
        return connect(config, () -> {});
    }

    /**
     * Makes a client that ends something else with itself.
     *
     * @param config how to use the store
     * @param onClose runs at the end of the client's close
     * @return the client
     */
    Coordination connect(CoordinationConfig config, Runnable onClose) {
        LocalCoordination client = new LocalCoordination(this, config, onClose);
        locked(after -> {
            if (closed) {
                throw new IllegalStateException("the store is closed: clientName=" + config.clientName());
            }
            clients.add(client);
        });
        return client;
    }

    /**
     * Breaks things, for tests of what uses coordination.
     *
     * @return the faults of this store
     */
    public LocalFaults faults() {
        return faults;
    }

    /**
     * One step in time: ends calls and sessions that passed their deadline, then renews the sessions of the clients
     * that get through. Called by the store's own thread, or by the owner of a virtual clock.
     */
    public void tick() {
        locked(after -> {
            clients.forEach(client -> client.expireOverdue(after));
            long nowNs = clock.getAsLong();
            List<Long> overdue = leases.entrySet().stream()
                    .filter(lease -> lease.getValue().deadlineNs() - nowNs <= 0)
                    .map(Map.Entry::getKey)
                    .sorted()
                    .toList();
            overdue.forEach(sessionId -> expire(sessionId, after));
            clients.forEach(client -> client.renewDue(after));
        });
    }

    /** Ends the store's thread and closes the clients that are left. Idempotent. */
    @Override
    public void close() {
        List<LocalCoordination> left = new ArrayList<>();
        locked(after -> {
            closed = true;
            left.addAll(clients);
        });
        left.forEach(LocalCoordination::close);
        if (timer != null) {
            timer.close();
        }
    }

    // What clients and faults call.

    /**
     * Runs an action under the lock, then what it left to do without the lock: whatever may call back.
     *
     * @param action adds to its argument what is to run afterwards
     */
    void locked(Consumer<List<Runnable>> action) {
        List<Runnable> after = new ArrayList<>();
        lock.lock();
        try {
            action.accept(after);
        } finally {
            lock.unlock();
        }
        after.forEach(Runnable::run);
    }

    /**
     * The keys; only under the lock.
     *
     * @return the keys
     */
    StoreState state() {
        return state;
    }

    /**
     * Grants a session.
     *
     * @param ttl the time to live granted
     * @param after takes what is to run without the lock
     * @return the id of the session
     */
    long openLease(Duration ttl, List<Runnable> after) {
        long id = ++lastSessionId;
        leases.put(id, new Lease(ttl.toNanos(), clock.getAsLong() + ttl.toNanos()));
        wakeTimer(after);
        return id;
    }

    /**
     * Tells whether the store holds a session for alive.
     *
     * @param sessionId the id of the session
     * @return true if it is
     */
    boolean hasLease(long sessionId) {
        Lease lease = leases.get(sessionId);
        return lease != null && lease.deadlineNs() - clock.getAsLong() > 0;
    }

    /**
     * Renews a session; false if it has ended.
     *
     * @param sessionId the id of the session
     * @param ttl the time to live granted
     * @return true if it was alive
     */
    boolean renewLease(long sessionId, Duration ttl) {
        if (!hasLease(sessionId)) {
            return false;
        }
        leases.put(sessionId, new Lease(ttl.toNanos(), clock.getAsLong() + ttl.toNanos()));
        return true;
    }

    /**
     * Ends a session and removes its keys.
     *
     * @param sessionId the id of the session
     * @param after takes what is to run without the lock
     */
    void endLease(long sessionId, List<Runnable> after) {
        if (leases.remove(sessionId) != null) {
            publish(state.removeOwnedBy(sessionId), after);
        }
    }

    /**
     * Ends a session for its owner too, if the owner can be reached.
     *
     * @param sessionId the id of the session
     * @param after takes what is to run without the lock
     */
    void expire(long sessionId, List<Runnable> after) {
        clients.forEach(client -> client.leaseEnded(sessionId, after));
        endLease(sessionId, after);
    }

    /**
     * Tells all watches what changed.
     *
     * @param changes what changed
     * @param after takes what is to run without the lock
     */
    void publish(List<Change> changes, List<Runnable> after) {
        if (!changes.isEmpty()) {
            clients.forEach(client -> client.deliver(changes, state.revision(), after));
        }
    }

    /**
     * Forgets a client that has closed.
     *
     * @param client the client
     */
    void forget(LocalCoordination client) {
        clients.remove(client);
    }

    /**
     * Has the store's thread look at its deadlines anew.
     *
     * @param after takes what is to run without the lock
     */
    void wakeTimer(List<Runnable> after) {
        if (timer != null) {
            after.add(timer::wake);
        }
    }

    private long nextTickNs() {
        lock.lock();
        try {
            long nextNs = StoreTimer.NEVER;
            for (Lease lease : leases.values()) {
                nextNs = Math.min(nextNs, lease.ttlNs() / TICKS_PER_TTL);
            }
            for (Iterator<LocalCoordination> all = clients.iterator(); all.hasNext() && nextNs > HUNG_CALL_TICK_NS; ) {
                if (all.next().link().hasHungCalls()) {
                    nextNs = HUNG_CALL_TICK_NS;
                }
            }
            return nextNs;
        } finally {
            lock.unlock();
        }
    }
}

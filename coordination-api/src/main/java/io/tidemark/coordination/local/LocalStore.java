package io.tidemark.coordination.local;

import io.tidemark.coordination.Change;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.TooLargeException;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnOp;
import io.tidemark.coordination.spi.SystemSeam;
import java.nio.file.Path;
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
 * A coordination service in this process, shared by the clients that {@link #connect} to it. Any thread.
 *
 * <p>{@link #create} makes one in memory, {@link #open} one that is kept in a folder. There each commit, and all that
 * follows on it, waits until it is on the disk; sessions and their keys end with the process. After a failure of the
 * disk the store is of no use any more: sessions expire, writes on their way have an unknown outcome, all later calls
 * fail, and the store must be opened anew, which recovers what is on the disk.
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
    private final @Nullable JournalWriter journal;
    private final long sizeBytesMax;
    private final String place;
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
        this.journal = null;
        this.sizeBytesMax = Long.MAX_VALUE;
        this.place = "memory";
    }

    private LocalStore(LongSupplier clock, boolean ownThread, StoreFolder folder, DurableLimits limits) {
        Journal opened = Journal.open(folder, limits.compactionSizeBytes());
        state.restore(opened.recovered().entries().values(), opened.recovered().revision());
        this.clock = clock;
        this.timer = ownThread ? new StoreTimer("coordination-local-timer", this::tick, this::nextTickNs) : null;
        this.journal = new JournalWriter(opened, state, lock, this::onJournalFailure);
        this.sizeBytesMax = limits.storeSizeBytesMax();
        this.place = folder.path();
        // Ids of sessions are not given again by a later process: ownership is judged by them.
        this.lastSessionId = (long) opened.recovered().openings() << Integer.SIZE;
    }

    /**
     * How large a store in a folder may be.
     *
     * @param storeSizeBytesMax most bytes of all keys and values; writes that add to more are refused
     * @param compactionSizeBytes the file may grow to this size before it is written anew
     */
    record DurableLimits(long storeSizeBytesMax, long compactionSizeBytes) {
        /** What {@link LocalStore#open} uses. */
        static final DurableLimits DEFAULTS = new DurableLimits(256L * 1024 * 1024, 1024 * 1024);
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
     * Opens a store that is kept in a folder, on the machine's clock. Blocks while it reads the folder.
     *
     * @param folder where it is; made if missing. One process at a time may have it open
     * @return the store, to be closed by the caller
     * @throws io.tidemark.coordination.CoordinationException if the folder is in use, damaged, or cannot be read and
     *     written
     */
    public static LocalStore open(Path folder) {
        return open(SystemSeam.nanoClock(), true, new DiskFolder(folder), DurableLimits.DEFAULTS);
    }

    /**
     * Opens a store that is kept in a folder.
     *
     * @param clock gives nanoseconds from an arbitrary origin
     * @param ownThread whether time passes by itself
     * @param folder where it is
     * @param limits how large it may be
     * @return the store, to be closed by the caller
     */
    static LocalStore open(LongSupplier clock, boolean ownThread, StoreFolder folder, DurableLimits limits) {
        LocalStore store = new LocalStore(clock, ownThread, folder, limits);
        if (store.journal != null) {
            store.journal.start();
        }
        return store;
    }

    /**
     * Makes a client of this store.
     *
     * @param config how to use it
     * @return the client, to be closed by the caller
     * @throws IllegalArgumentException if the configuration has credentials or TLS, which a store does not know
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
        if (config.credentials().isPresent() || config.tls().isPresent()) {
            throw new IllegalArgumentException("a local: store knows no users and has no connections: clientName="
                    + config.clientName() + "; leave credentials and TLS out, or use a coordination server");
        }
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
        if (journal != null) {
            journal.close();
        }
    }

    // What clients and faults call.

    /**
     * Runs an action under the lock, then what it left to do without the lock: whatever may call back. In a durable
     * store that waits until what the action did, or saw, is on the disk, and the caller does not wait for it.
     *
     * @param action adds to its argument what is to run afterwards
     */
    void locked(Consumer<List<Runnable>> action) {
        List<Runnable> after = new ArrayList<>();
        lock.lock();
        try {
            action.accept(after);
            if (journal != null && journal.defer(after)) {
                return;
            }
        } finally {
            lock.unlock();
        }
        after.forEach(Runnable::run);
    }

    /**
     * Offers a state to watches: at once while the lock gives the order, or in its turn once the state is durable.
     *
     * @param offer hands the state to a watch, which does not call back yet
     * @param after takes it if it has to wait
     */
    void offer(Runnable offer, List<Runnable> after) {
        if (journal == null) {
            offer.run();
        } else {
            after.add(offer);
        }
    }

    /**
     * Tells why the store is of no use any more.
     *
     * @return null while it is of use
     */
    @Nullable
    Exception failure() {
        return journal == null ? null : journal.failure();
    }

    /**
     * What to say of a store that is of no use any more.
     *
     * @return names the folder and what to do
     */
    String failureText() {
        return "the local: store has failed and stays closed to all calls: folder=" + place + ", reason=" + failure()
                + "; see to the disk, then close the store and open it anew";
    }

    private void onJournalFailure() {
        locked(after -> clients.forEach(client -> client.storeFailed(after)));
    }

    /**
     * Refuses a transaction that would make the store too large; only under the lock.
     *
     * @param txn the transaction
     * @throws TooLargeException if so
     */
    void checkSpace(Txn txn) {
        long added = 0;
        for (TxnOp op : txn.ops()) {
            added += op.valueSizeBytes() == 0 && op.kind() != TxnOp.Kind.CREATE
                    ? 0
                    : (long) op.key().sizeBytes() + op.valueSizeBytes();
        }
        if (added > 0 && state.sizeBytes() + added > sizeBytesMax) {
            throw new TooLargeException("the local: store is full: folder=" + place + ", sizeBytes="
                    + state.sizeBytes() + ", sizeBytesMax=" + sizeBytesMax
                    + "; delete keys, or use a coordination server");
        }
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
            if (journal != null) {
                journal.record(changes);
            }
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

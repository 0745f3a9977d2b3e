package io.tidemark.coordination.local;

import io.tidemark.coordination.Capability;
import io.tidemark.coordination.Change;
import io.tidemark.coordination.ConnectionLostException;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationClosedException;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Limits;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.OutcomeUnknownException;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.Session;
import io.tidemark.coordination.SessionExpiredException;
import io.tidemark.coordination.TooLargeException;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnOp;
import io.tidemark.coordination.TxnResult;
import io.tidemark.coordination.Watch;
import io.tidemark.coordination.WatchListener;
import io.tidemark.coordination.spi.CallbackExecutor;
import io.tidemark.coordination.spi.CallbackFuture;
import io.tidemark.coordination.spi.WatchFeed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One client of a {@link LocalStore}. Each call runs in its caller's thread under the store's lock and ends at once,
 * unless a fault lies on the {@link ClientLink}.
 */
final class LocalCoordination implements Coordination {
    /** What this back end takes: the portable sizes, and sessions from 50 ms to an hour. */
    static final Limits LIMITS = new Limits(
            Limits.PORTABLE.maxValueBytes(),
            Limits.PORTABLE.maxKeyBytes(),
            Limits.PORTABLE.maxTxnOps(),
            Limits.PORTABLE.maxTxnBytes(),
            Duration.ofMillis(50),
            Duration.ofHours(1));

    private static final Set<Capability> CAPABILITIES =
            Set.of(Capability.STRICT_CAS, Capability.ATOMIC_LIST, Capability.ATOMIC_WATCH);
    /** A client renews this many times within the time to live of a session. */
    private static final int RENEWALS_PER_TTL = 6;
    /** A client that had no answer for this part of the time to live takes its sessions for suspended. */
    private static final int SILENCES_PER_TTL = 3;

    private final LocalStore store;
    private final CoordinationConfig config;
    private final Runnable onClose;
    private final CallbackExecutor callbacks;
    /** Guarded, like the fields below, by the store's lock. */
    private final ClientLink link = new ClientLink();

    private final Map<Long, LocalSession> sessions = new HashMap<>();
    private final List<WatchFeed> feeds = new ArrayList<>();
    private boolean closed;

    /**
     * Makes a client.
     *
     * @param store the store
     * @param config how to use it
     * @param onClose runs once at the end of {@link #close}
     */
    LocalCoordination(LocalStore store, CoordinationConfig config, Runnable onClose) {
        this.store = store;
        this.config = config;
        this.onClose = onClose;
        this.callbacks = new CallbackExecutor(config);
    }

    @Override
    public CompletionStage<Session> openSession(Duration ttl) {
        Duration granted = LIMITS.clampTtl(ttl);
        return call("openSession", true, after -> {
            long sentNs = config.nanoClock().getAsLong();
            long id = store.openLease(granted, after);
            LocalSession session = new LocalSession(this, id, granted, sentNs, config, callbacks);
            sessions.put(id, session);
            return session;
        });
    }

    @Override
    public CompletionStage<Optional<Entry>> get(Key key, ReadMode mode) {
        return call("get key=" + key, false, after -> store.state().get(key));
    }

    @Override
    public CompletionStage<Listing> list(Key dir, ReadMode mode) {
        return call("list dir=" + dir, false, after -> store.state().list(dir));
    }

    @Override
    public CompletionStage<TxnResult> commit(Txn txn) {
        for (TxnOp op : txn.ops()) {
            if (op.kind() == TxnOp.Kind.CREATE_EPHEMERAL
                    && !(op.session() instanceof LocalSession session && session.owner() == this)) {
                throw new IllegalArgumentException("an ephemeral key needs a session of the same client: key="
                        + op.key() + ", session=" + op.session());
            }
        }
        CallbackFuture<TxnResult> result = new CallbackFuture<>(callbacks);
        store.locked(after -> sendTxn(txn, result, after));
        return result;
    }

    private void sendTxn(Txn txn, CallbackFuture<TxnResult> result, List<Runnable> after) {
        if (!passes("commit " + txn, true, result, after)) {
            return;
        }
        ClientLink.Drop drop = link.takeDrop();
        OutcomeUnknownException unknown =
                new OutcomeUnknownException("the connection broke before the answer came: call=commit " + txn);
        if (drop == ClientLink.Drop.BEFORE_COMMIT || drop == ClientLink.Drop.DELAYED) {
            if (drop == ClientLink.Drop.DELAYED) {
                link.delay(() -> store.locked(late -> applyLate(txn, late)));
            }
            after.add(() -> result.fail(unknown));
            return;
        }
        try {
            checkSessions(txn, after);
            store.checkSpace(txn);
            StoreState.Outcome outcome = store.state().apply(txn);
            store.publish(outcome.changes(), after);
            if (drop == null) {
                end(result, outcome.result(), !outcome.changes().isEmpty(), after);
            } else {
                after.add(() -> result.fail(unknown));
            }
        } catch (SessionExpiredException | TooLargeException refused) {
            after.add(() -> result.fail(refused));
        }
    }

    /** Ends a call once what it did or saw is durable, or is known not to become so. */
    private <T> void end(CallbackFuture<T> result, T value, boolean wrote, List<Runnable> after) {
        after.add(() -> {
            Exception failure = store.failure();
            if (failure == null) {
                result.settle(value);
            } else if (wrote) {
                result.fail(new OutcomeUnknownException(store.failureText(), failure));
            } else {
                result.fail(new ConnectionLostException(store.failureText(), failure));
            }
        });
    }

    private void applyLate(Txn txn, List<Runnable> after) {
        boolean alive = txn.ops().stream()
                .filter(op -> op.kind() == TxnOp.Kind.CREATE_EPHEMERAL)
                .allMatch(op -> store.hasLease(op.session().id()));
        if (alive) {
            store.publish(store.state().apply(txn).changes(), after);
        }
    }

    private void checkSessions(Txn txn, List<Runnable> after) {
        for (TxnOp op : txn.ops()) {
            if (op.kind() == TxnOp.Kind.CREATE_EPHEMERAL) {
                LocalSession session = (LocalSession) op.session();
                if (!session.isValid(Duration.ZERO) || !store.hasLease(session.id())) {
                    after.add(session::expired);
                    throw new SessionExpiredException("the session of an ephemeral key has ended: key=" + op.key()
                            + ", session=" + session + "; open a new session");
                }
            }
        }
    }

    /** Makes a call that is not a transaction; the effect runs under the store's lock. */
    private <T> CallbackFuture<T> call(String what, boolean write, Function<List<Runnable>, T> effect) {
        CallbackFuture<T> result = new CallbackFuture<>(callbacks);
        store.locked(after -> {
            if (passes(what, write, result, after)) {
                end(result, effect.apply(after), write, after);
            }
        });
        return result;
    }

    /** Tells whether a request gets through; otherwise ends or hangs it. */
    private boolean passes(String what, boolean write, CallbackFuture<?> result, List<Runnable> after) {
        if (closed) {
            after.add(() -> result.fail(new CoordinationClosedException("the client is closed: call=" + what)));
            return false;
        }
        Exception broken = store.failure();
        if (broken != null) {
            after.add(() -> result.fail(new ConnectionLostException(store.failureText(), broken)));
            return false;
        }
        CoordinationException failure = link.takeFailure();
        if (failure != null) {
            after.add(() -> result.fail(failure));
            return false;
        }
        if (link.mode() == ClientLink.Mode.DOWN) {
            after.add(() -> result.fail(new ConnectionLostException("the store is not connected: call=" + what)));
            return false;
        }
        if (link.mode() == ClientLink.Mode.SILENT) {
            CoordinationException silence = write
                    ? new OutcomeUnknownException("no answer by the deadline: call=" + what + ", operationTimeout="
                            + config.operationTimeout())
                    : new ConnectionLostException("no answer by the deadline: call=" + what + ", operationTimeout="
                            + config.operationTimeout());
            long deadlineNs =
                    config.nanoClock().getAsLong() + config.operationTimeout().toNanos();
            link.hang(new ClientLink.HungCall(deadlineNs, () -> result.fail(silence)));
            store.wakeTimer(after);
            return false;
        }
        return true;
    }

    @Override
    public Watch watch(Key dir, WatchListener listener) {
        WatchFeed feed = new WatchFeed(dir, listener, config, callbacks, this::forget);
        store.locked(after -> {
            if (closed) {
                after.add(() -> feed.refuse(new CoordinationClosedException("the client is closed: watch=" + dir)));
            } else {
                feeds.add(feed);
                resync(feed, after);
            }
        });
        return feed;
    }

    @Override
    public Limits limits() {
        return LIMITS;
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    /**
     * Ends a session first on this side, then at the store, so that nobody else owns its keys while it is valid.
     *
     * @param session the session
     * @return completes when its keys are gone
     */
    CompletionStage<@Nullable Void> closeSession(LocalSession session) {
        session.closed();
        return call("closeSession session=" + session, true, after -> {
            store.endLease(session.id(), after);
            return null;
        });
    }

    /**
     * Forgets a session that has ended.
     *
     * @param session the session
     */
    void forget(LocalSession session) {
        store.locked(after -> sessions.remove(session.id()));
    }

    private void forget(WatchFeed feed) {
        store.locked(after -> feeds.remove(feed));
    }

    @Override
    public void close() {
        List<LocalSession> openSessions = new ArrayList<>();
        List<WatchFeed> openFeeds = new ArrayList<>();
        store.locked(after -> {
            if (!closed) {
                closed = true;
                openSessions.addAll(sessions.values());
                openFeeds.addAll(feeds);
                after.addAll(link.takeHung());
            }
        });
        openSessions.forEach(LocalSession::closed);
        store.locked(after -> {
            if (link.mode() == ClientLink.Mode.UP) {
                openSessions.forEach(session -> store.endLease(session.id(), after));
            }
            store.forget(this);
        });
        openFeeds.forEach(WatchFeed::close);
        callbacks.close();
        onClose.run();
    }

    // What the store and the faults call, under the store's lock. What calls back goes into 'after'.

    /**
     * Tells whether this is a client of a store.
     *
     * @param other the store
     * @return true if it is
     */
    boolean belongsTo(LocalStore other) {
        return store == other;
    }

    /**
     * The way to the store.
     *
     * @return the link
     */
    ClientLink link() {
        return link;
    }

    /**
     * Gives the changes of a commit to the watches, unless they get lost on the way.
     *
     * @param changes what changed
     * @param revision the revision of the store after the changes
     * @param after takes what is to run without the lock
     */
    void deliver(List<Change> changes, long revision, List<Runnable> after) {
        if (link.mode() != ClientLink.Mode.UP) {
            return;
        }
        for (WatchFeed feed : feeds) {
            if (changes.stream().noneMatch(change -> feed.covers(change.key()))) {
                continue;
            }
            offer(feed, () -> feed.offerChanges(changes, revision), after);
        }
    }

    private void offer(WatchFeed feed, Runnable state, List<Runnable> after) {
        Runnable unlessFailed = () -> {
            Exception failure = store.failure();
            if (failure == null) {
                state.run();
            } else {
                feed.offerDegraded(new ConnectionLostException(store.failureText(), failure));
            }
        };
        if (link.holdsDeliveries()) {
            link.keep(unlessFailed);
        } else {
            store.offer(unlessFailed, after);
            after.add(feed::pump);
        }
    }

    /**
     * Ends the sessions and tells the watches, since the store is of no use any more.
     *
     * @param after takes what is to run without the lock
     */
    void storeFailed(List<Runnable> after) {
        sessions.values().forEach(session -> after.add(session::expired));
        feeds.forEach(feed -> resync(feed, after));
    }

    /**
     * Gives the watches what was kept for them.
     *
     * @param after takes what is to run without the lock
     */
    void releaseDeliveries(List<Runnable> after) {
        link.releaseDeliveries().forEach(kept -> store.offer(kept, after));
        feeds.forEach(feed -> after.add(feed::pump));
    }

    /**
     * Gives all watches a new snapshot.
     *
     * @param after takes what is to run without the lock
     */
    void resync(List<Runnable> after) {
        link.dropDeliveries();
        feeds.forEach(feed -> resync(feed, after));
    }

    private void resync(WatchFeed feed, List<Runnable> after) {
        Listing state = store.state().subtree(feed.dir());
        switch (link.mode()) {
            case UP -> offer(feed, () -> feed.offerSnapshot(state), after);
            case DOWN -> {
                ConnectionLostException cause =
                        new ConnectionLostException("the store is not connected: watch=" + feed.dir());
                store.offer(() -> feed.offerDegraded(cause), after);
                after.add(feed::pump);
            }
            case SILENT -> after.add(feed::pump);
        }
    }

    /**
     * Breaks the connection, so that the client knows, or makes it silent.
     *
     * @param mode what gets through
     * @param after takes what is to run without the lock
     */
    void cut(ClientLink.Mode mode, List<Runnable> after) {
        link.setMode(mode);
        link.dropDeliveries();
        if (mode == ClientLink.Mode.DOWN) {
            after.addAll(link.takeHung());
            sessions.values().forEach(session -> after.add(session::suspended));
            feeds.forEach(feed -> resync(feed, after));
        }
    }

    /**
     * Makes the connection anew: sessions are renewed or learn their end, watches take a new snapshot.
     *
     * @param after takes what is to run without the lock
     */
    void heal(List<Runnable> after) {
        link.setMode(ClientLink.Mode.UP);
        renew(0, after);
        resync(after);
    }

    /**
     * Tells a client that the store has ended a session of its.
     *
     * @param sessionId the id of the session
     * @param after takes what is to run without the lock
     */
    void leaseEnded(long sessionId, List<Runnable> after) {
        LocalSession session = sessions.get(sessionId);
        if (session != null && link.mode() == ClientLink.Mode.UP) {
            after.add(session::expired);
        }
    }

    /**
     * First part of a step: what has passed its deadline by this client's clock ends before anything is renewed.
     *
     * @param after takes what is to run without the lock
     */
    void expireOverdue(List<Runnable> after) {
        long nowNs = config.nanoClock().getAsLong();
        after.addAll(link.takeOverdue(nowNs));
        for (LocalSession session : sessions.values()) {
            if (session.remainingNs() <= 0) {
                after.add(session::expireIfPastDeadline);
            } else if (nowNs - session.renewedNs() > session.ttl().toNanos() / SILENCES_PER_TTL
                    && link.mode() != ClientLink.Mode.UP) {
                after.add(session::suspended);
            }
        }
    }

    /**
     * Second part of a step: renews what is due.
     *
     * @param after takes what is to run without the lock
     */
    void renewDue(List<Runnable> after) {
        if (link.mode() == ClientLink.Mode.UP) {
            renew(RENEWALS_PER_TTL, after);
        }
    }

    private void renew(int renewalsPerTtl, List<Runnable> after) {
        long nowNs = config.nanoClock().getAsLong();
        for (LocalSession session : sessions.values()) {
            long pauseNs = renewalsPerTtl == 0 ? 0 : session.ttl().toNanos() / renewalsPerTtl;
            if (nowNs - session.renewedNs() < pauseNs || session.remainingNs() <= 0) {
                continue;
            }
            if (store.renewLease(session.id(), session.ttl())) {
                after.add(() -> session.renew(nowNs));
            } else {
                after.add(session::expired);
            }
        }
    }
}

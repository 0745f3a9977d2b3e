package io.tidemark.coordination.spi;

import io.tidemark.coordination.Change;
import io.tidemark.coordination.CoordinationClosedException;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.Watch;
import io.tidemark.coordination.WatchListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One watch between a back end and its listener: merges what the listener has not taken yet, drops what it has seen,
 * and calls it serially. The back end gives the snapshot first, then changes in the order of their revisions, and a
 * snapshot again after every gap. Any thread; one caller at a time if the order matters.
 *
 * <p>Memory is bounded by the number of live keys and of keys that the listener knows: a key that came and went
 * while the listener was busy leaves nothing behind.
 */
public final class WatchFeed implements Watch {
    private final Key dir;
    private final WatchListener listener;
    private final CallbackExecutor callbacks;
    private final Consumer<Throwable> errorHandler;
    private final Duration closeTimeout;
    private final Consumer<WatchFeed> onClose;
    private final CallbackFuture<@Nullable Void> ready;

    /**
     * Guards all fields below: the back end writes, the callback thread takes. Never held while the listener runs.
     */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition idle = lock.newCondition();
    /** The last modification given to this feed, for each live key. */
    private final Map<Key, Long> latest = new HashMap<>();
    /** The live keys as the listener knows them once it has taken everything but {@link #changes}. */
    private final Set<Key> known = new HashSet<>();

    private final Map<Key, Change> changes = new LinkedHashMap<>();
    private @Nullable Listing snapshot;
    private @Nullable Throwable degraded;
    private long revision;
    private boolean started;
    private boolean scheduled;
    private boolean closed;
    private @Nullable Thread delivering;

    /**
     * Makes a feed that has delivered nothing.
     *
     * @param dir the top of the subtree
     * @param listener the receiver
     * @param config gives the error handler and how long {@link #close} waits
     * @param callbacks where the listener runs
     * @param onClose called once by {@link #close}, for the back end to forget this feed
     */
    public WatchFeed(
            Key dir,
            WatchListener listener,
            CoordinationConfig config,
            CallbackExecutor callbacks,
            Consumer<WatchFeed> onClose) {
        this.dir = dir;
        this.listener = listener;
        this.callbacks = callbacks;
        this.errorHandler = config.callbackErrorHandler();
        this.closeTimeout = config.operationTimeout();
        this.onClose = onClose;
        this.ready = new CallbackFuture<>(callbacks);
    }

    /**
     * The top of the subtree.
     *
     * @return the key that is watched with all below it
     */
    public Key dir() {
        return dir;
    }

    /**
     * Tells whether a key belongs to the watched subtree.
     *
     * @param key the key
     * @return true for the top itself and everything below it
     */
    public boolean covers(Key key) {
        return dir.equals(key) || dir.isAncestorOf(key);
    }

    /**
     * Gives the whole state and calls the listener soon.
     *
     * @param state the entries of the subtree
     */
    public void snapshot(Listing state) {
        offerSnapshot(state);
        pump();
    }

    /**
     * Gives changes and calls the listener soon.
     *
     * @param batch the changes in the order of their revisions; keys outside of the subtree are left out
     * @param atRevision the state of the store that is reached with them
     */
    public void changes(List<Change> batch, long atRevision) {
        offerChanges(batch, atRevision);
        pump();
    }

    /**
     * Says that the state may be stale until the next snapshot.
     *
     * @param cause why
     */
    public void degraded(Throwable cause) {
        offerDegraded(cause);
        pump();
    }

    /**
     * Like {@link #snapshot}, but leaves the call of the listener to {@link #pump}: for a back end that gives the
     * state under a lock of its own.
     *
     * @param state the entries of the subtree
     */
    public void offerSnapshot(Listing state) {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            started = true;
            snapshot = state;
            changes.clear();
            degraded = null;
            revision = state.revision();
            latest.clear();
            known.clear();
            for (Entry entry : state.entries()) {
                latest.put(entry.key(), entry.version().modRevision());
                known.add(entry.key());
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Like {@link #changes}, but leaves the call of the listener to {@link #pump}.
     *
     * @param batch the changes in the order of their revisions
     * @param atRevision the state of the store that is reached with them
     * @throws IllegalStateException if no snapshot was given before
     */
    public void offerChanges(List<Change> batch, long atRevision) {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            if (!started) {
                throw new IllegalStateException("a watch begins with a snapshot: dir=" + dir);
            }
            for (Change change : batch) {
                if (covers(change.key())) {
                    merge(change);
                }
            }
            revision = Math.max(revision, atRevision);
        } finally {
            lock.unlock();
        }
    }

    private void merge(Change change) {
        Key key = change.key();
        Long seen = latest.get(key);
        if (change instanceof Change.Put) {
            if (seen != null && change.revision() <= seen) {
                return;
            }
            latest.put(key, change.revision());
            changes.remove(key);
            changes.put(key, change);
        } else if (seen != null && change.revision() >= seen) {
            latest.remove(key);
            changes.remove(key);
            if (known.contains(key)) {
                changes.put(key, change);
            }
        }
    }

    /**
     * Like {@link #degraded}, but leaves the call of the listener to {@link #pump}.
     *
     * @param cause why
     */
    public void offerDegraded(Throwable cause) {
        lock.lock();
        try {
            if (!closed) {
                degraded = cause;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Has the listener called soon if there is something for it. */
    public void pump() {
        lock.lock();
        try {
            if (scheduled || !hasWork()) {
                return;
            }
            scheduled = true;
        } finally {
            lock.unlock();
        }
        callbacks.execute(this::deliverNext);
    }

    private boolean hasWork() {
        return !closed && (snapshot != null || !changes.isEmpty() || degraded != null);
    }

    /** Delivers one event, then makes way for other tasks of the executor before the next. */
    private void deliverNext() {
        @Nullable Runnable event;
        lock.lock();
        try {
            event = takeNext();
            if (event == null) {
                scheduled = false;
                return;
            }
            delivering = Thread.currentThread();
        } finally {
            lock.unlock();
        }
        try {
            event.run();
        } catch (RuntimeException thrown) {
            errorHandler.accept(thrown);
        } finally {
            delivered();
        }
    }

    private void delivered() {
        lock.lock();
        try {
            delivering = null;
            scheduled = false;
            idle.signalAll();
        } finally {
            lock.unlock();
        }
        pump();
    }

    private @Nullable Runnable takeNext() {
        if (closed) {
            return null;
        }
        Listing state = snapshot;
        if (state != null) {
            snapshot = null;
            return () -> deliverSnapshot(state);
        }
        if (!changes.isEmpty()) {
            List<Change> batch = new ArrayList<>(changes.values());
            changes.clear();
            for (Change change : batch) {
                if (change instanceof Change.Put) {
                    known.add(change.key());
                } else {
                    known.remove(change.key());
                }
            }
            batch.sort(Comparator.comparingLong(Change::revision));
            long atRevision = revision;
            List<Change> unmodifiable = List.copyOf(batch);
            return () -> listener.onChanges(unmodifiable, atRevision);
        }
        Throwable cause = degraded;
        if (cause != null) {
            degraded = null;
            return () -> listener.onDegraded(cause);
        }
        return null;
    }

    private void deliverSnapshot(Listing state) {
        try {
            listener.onSnapshot(state);
        } finally {
            ready.settle(null);
        }
    }

    @Override
    public CompletionStage<@Nullable Void> ready() {
        return ready;
    }

    /**
     * Refuses the watch for good: {@link #ready} fails, or the listener is told if it was ready before.
     *
     * @param cause why
     */
    public void refuse(Throwable cause) {
        ready.fail(cause);
        degraded(cause);
    }

    @Override
    public void close() {
        boolean first;
        lock.lock();
        try {
            first = !closed;
            closed = true;
            snapshot = null;
            changes.clear();
            degraded = null;
        } finally {
            lock.unlock();
        }
        if (first) {
            onClose.accept(this);
            ready.fail(new CoordinationClosedException("watch was closed before its first snapshot: dir=" + dir));
        }
        awaitIdle();
    }

    /** Waits for a callback that runs on another thread, so that none begins after the return of {@link #close}. */
    private void awaitIdle() {
        lock.lock();
        try {
            long leftNs = closeTimeout.toNanos();
            while (delivering != null && delivering != Thread.currentThread() && leftNs > 0) {
                leftNs = idle.awaitNanos(leftNs);
            }
            if (leftNs <= 0) {
                errorHandler.accept(new IllegalStateException("a watch callback did not end in time: dir=" + dir
                        + ", thread=" + delivering + ", timeoutNs=" + closeTimeout.toNanos()));
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        return "Watch[dir=" + dir + "]";
    }
}

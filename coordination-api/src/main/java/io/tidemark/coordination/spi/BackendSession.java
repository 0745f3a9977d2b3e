package io.tidemark.coordination.spi;

import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Session;
import io.tidemark.coordination.SessionListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * The states and the local deadline of a session, the same for every back end. The back end reports what it hears
 * from its service ({@link #renewed}, {@link #suspended}, {@link #expired}, {@link #closed}) and calls
 * {@link #expireIfPastDeadline} often enough; this class keeps the promises of {@link Session}. Any thread.
 *
 * <p>The deadline is the <em>sending</em> time of the last confirmed renewal plus the time to live: the service
 * counts from the receipt, which is later. A renewal that is confirmed after the deadline comes too late and ends
 * the session.
 */
public abstract class BackendSession implements Session {
    private final long id;
    private final Duration ttl;
    private final long ttlNs;
    private final Duration closeTimeout;
    private final LongSupplier clock;
    private final SerialExecutor callbacks;
    private final CallbackFuture<State> terminated;
    private final List<SessionListener> listeners = new CopyOnWriteArrayList<>();
    /** Guards the transitions, so that listeners see them in order; never held while a listener runs. */
    private final Object transition = new Object();

    private volatile State state = State.CONNECTED;
    private volatile long deadlineNs;

    /**
     * Begins a session that the service has granted.
     *
     * @param id the number given by the service
     * @param ttl the time to live granted by the service
     * @param sentNs when the request for it was sent, by the clock of the configuration
     * @param config gives the clock and the deadline of {@link #close}
     * @param callbacks where listeners run
     */
    protected BackendSession(
            long id, Duration ttl, long sentNs, CoordinationConfig config, CallbackExecutor callbacks) {
        this.id = id;
        this.ttl = ttl;
        this.ttlNs = ttl.toNanos();
        this.closeTimeout = config.operationTimeout();
        this.clock = config.nanoClock();
        this.callbacks = new SerialExecutor(callbacks);
        this.terminated = new CallbackFuture<>(callbacks);
        this.deadlineNs = sentNs + ttlNs;
    }

    @Override
    public final long id() {
        return id;
    }

    @Override
    public final Duration ttl() {
        return ttl;
    }

    /**
     * Where the session stands; passing the deadline is noticed here too, so that a stalled process learns it first.
     */
    @Override
    public final State state() {
        expireIfPastDeadline();
        return state;
    }

    @Override
    public final boolean isValid(Duration margin) {
        return !state.isFinal() && remainingNs() > margin.toNanos();
    }

    /**
     * How long the session is surely alive.
     *
     * @return nanoseconds from now to the local deadline, not positive once it has passed
     */
    public final long remainingNs() {
        return deadlineNs - clock.getAsLong();
    }

    @Override
    public final void addListener(SessionListener listener) {
        synchronized (transition) {
            State current = state;
            callbacks.enqueue(() -> listener.onState(this, current));
            listeners.add(listener);
        }
        callbacks.pump();
    }

    @Override
    public final CompletionStage<State> terminated() {
        return terminated;
    }

    @Override
    public final void close() {
        try {
            closeAsync().toCompletableFuture().get(closeTimeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException | CancellationException unconfirmed) {
            // The session is CLOSED here all the same, and the service ends it with its time to live.
            closed();
        } catch (InterruptedException interrupted) {
            closed();
            Thread.currentThread().interrupt();
        }
    }

    /**
     * The service confirmed a renewal.
     *
     * @param sentNs when the renewal was sent
     * @return true if the session lives on; false if it has ended, now or before, since the confirmation is too late
     */
    public final boolean renewed(long sentNs) {
        synchronized (transition) {
            long renewedDeadlineNs = sentNs + ttlNs;
            if (remainingNs() > 0 && renewedDeadlineNs - deadlineNs > 0) {
                deadlineNs = renewedDeadlineNs;
            }
        }
        if (!expireIfPastDeadline()) {
            enter(State.CONNECTED);
        }
        return !state.isFinal();
    }

    /** The service is out of reach. */
    public final void suspended() {
        enter(State.SUSPENDED);
    }

    /** The service ended the session. */
    public final void expired() {
        enter(State.EXPIRED);
    }

    /** The owner ended the session. */
    public final void closed() {
        enter(State.CLOSED);
    }

    /**
     * Ends the session if its local deadline has passed.
     *
     * @return true if this call ended it
     */
    public final boolean expireIfPastDeadline() {
        return !state.isFinal() && remainingNs() <= 0 && enter(State.EXPIRED);
    }

    private boolean enter(State next) {
        synchronized (transition) {
            if (state.isFinal() || state == next) {
                return false;
            }
            state = next;
            for (SessionListener listener : listeners) {
                callbacks.enqueue(() -> listener.onState(this, next));
            }
        }
        callbacks.pump();
        if (next.isFinal()) {
            onEnded(next);
            terminated.settle(next);
        }
        return true;
    }

    /**
     * Called once, when the session has reached its final state, on the thread that ended it. Must not block.
     *
     * @param last the final state
     */
    protected abstract void onEnded(State last);

    @Override
    public String toString() {
        return "Session[id=0x" + Long.toHexString(id) + ", ttl=" + ttl + ", state=" + state + "]";
    }
}

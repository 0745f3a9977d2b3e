package io.tidemark.coordination.zk;

import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.SessionExpiredException;
import io.tidemark.coordination.spi.BackendSession;
import io.tidemark.coordination.spi.CallbackFuture;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A session with a connection of its own, as ZooKeeper lets an ephemeral node be made only by the session that owns it.
 *
 * <p>ZooKeeper's client does not tell in time that a session is over: cut off, it learns that only from a server. So a
 * heartbeat of our own is sent every sixth of the time to live, and the local deadline counts from its sending. It is a
 * transaction, so that a server which has lost the quorum cannot answer it. Margins should not be less than the tick
 * time of the ensemble: a follower passes signs of life on to the leader once in a tick, and when it dies the last may
 * be lost.
 *
 * <p>Users may call from any thread; the rest is owned by the loop.
 */
final class ZkSession extends BackendSession implements ZkTransactions.Route {
    private static final int HEARTBEATS_PER_TTL = 6;

    private final ZkContext context;
    private final ZkHandle handle;
    private final LongConsumer onCommit;
    private final Runnable onGone;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CallbackFuture<@Nullable Void> gone;
    private final Duration interval;
    private boolean over;
    private int unanswered;

    /**
     * What a session needs of its client.
     *
     * @param context what the parts of a client share
     * @param onCommit is given the revision of each transaction of the session
     */
    record Owner(ZkContext context, LongConsumer onCommit) {}

    /**
     * Begins a session whose first heartbeat was answered.
     *
     * @param id ZooKeeper's number of the session
     * @param ttl the session timeout that the ensemble granted
     * @param sentNs when the heartbeat was sent
     * @param owner the client
     * @param handle the connection
     * @param onGone is run when the session has ended
     */
    ZkSession(long id, Duration ttl, long sentNs, Owner owner, ZkHandle handle, Runnable onGone) {
        super(id, ttl, sentNs, owner.context().config(), owner.context().callbacks());
        this.context = owner.context();
        this.handle = handle;
        this.onCommit = owner.onCommit();
        this.onGone = onGone;
        this.gone = new CallbackFuture<>(context.callbacks());
        this.interval = ttl.dividedBy(HEARTBEATS_PER_TTL);
    }

    /** Begins the heartbeats and the guard of the deadline. */
    void start() {
        tick();
        guardDeadline();
    }

    private void tick() {
        if (over || expireIfPastDeadline()) {
            return;
        }
        // Renewals that nobody answers for half of the time to live are as bad as a lost connection.
        if (unanswered >= HEARTBEATS_PER_TTL / 2) {
            suspended();
        }
        beat();
        context.loop().schedule(interval, this::tick);
    }

    private void beat() {
        handle.ifUp(client -> {
            long sentNs = context.config().nanoClock().getAsLong();
            unanswered++;
            client.agree(reply -> {
                if (!reply.isFromQuorum()) {
                    handle.unanswered(client);
                } else if (!over && renewed(sentNs)) {
                    unanswered = 0;
                }
            });
        });
    }

    private void guardDeadline() {
        if (!over && !expireIfPastDeadline()) {
            context.loop().scheduleNs(Math.max(remainingNs(), 1_000_000), this::guardDeadline);
        }
    }

    /**
     * The connection is back, in the same ZooKeeper session.
     *
     * @param client the connection
     */
    void onUp(RevisionClient client) {
        if (client.getSessionTimeout() < ttl().toMillis()) {
            // The server it moved to grants less time than what the deadline here is counted with.
            expired();
            return;
        }
        unanswered = 0;
        beat();
    }

    @Override
    public void whenUp(ZkHandle.Waiting next) {
        if (state().isFinal()) {
            next.refuse(endedException());
        } else {
            handle.whenUp(next);
        }
    }

    /**
     * Tells whose session this is.
     *
     * @param candidate what the parts of a client share
     * @return true if it belongs to that client
     */
    boolean isOf(ZkContext candidate) {
        return context == candidate;
    }

    /** {@return the failure of a write that comes too late} */
    SessionExpiredException endedException() {
        return new SessionExpiredException("session has ended, nothing was applied: session=" + this + ", servers="
                + context.address().servers() + "; open a new one");
    }

    @Override
    public void unanswered(RevisionClient asked) {
        handle.unanswered(asked);
    }

    @Override
    public void committed(long revision) {
        // A process that stalled past its deadline learns that first, then that it had succeeded before.
        expireIfPastDeadline();
        onCommit.accept(revision);
    }

    @Override
    public CompletionStage<@Nullable Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
            context.loop().execute(this::closeOnLoop);
        }
        return gone;
    }

    /** Closes, on the loop. */
    void closeOnLoop() {
        closing.set(true);
        closed();
        end();
    }

    @Override
    protected void onEnded(State last) {
        if (last == State.EXPIRED) {
            context.loop().execute(this::end);
        }
    }

    private void end() {
        if (over) {
            return;
        }
        over = true;
        handle.refuseAll(endedException());
        handle.close(failure -> {
            onCommit.accept(handle.endRevision());
            onGone.run();
            settleGone(failure);
        });
    }

    private void settleGone(@Nullable CoordinationException failure) {
        if (failure == null) {
            gone.settle(null);
        } else {
            gone.fail(failure);
        }
    }
}

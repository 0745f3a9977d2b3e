package io.tidemark.coordination.etcd;

import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.LeaseRevokeResponse;
import io.tidemark.coordination.ConnectionLostException;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.OutcomeUnknownException;
import io.tidemark.coordination.SessionExpiredException;
import io.tidemark.coordination.spi.BackendSession;
import io.tidemark.coordination.spi.CallbackFuture;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A session is a lease. It is renewed by a request of its own each third of the time to live, and the local deadline
 * counts from the sending of the last that was answered: a member counts from its receipt, and a new leader of the
 * cluster begins to count anew. So the lease may outlive the session, never the other way round.
 *
 * <p>Users may call from any thread; the rest is owned by the loop.
 */
final class EtcdSession extends BackendSession implements EtcdConnection.Listener {
    private static final int RENEWALS_PER_TTL = 3;
    private static final int UNANSWERED_MAX = 2;

    private final EtcdContext context;
    private final EtcdConnection connection;
    private final Runnable onGone;
    private final CallbackFuture<@Nullable Void> gone;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final long intervalNs;
    private boolean goneAtServer;
    private boolean over;
    private int unanswered;

    /**
     * Begins a session whose lease was granted.
     *
     * @param id the number of the lease
     * @param ttl the time to live that was granted
     * @param sentNs when the request for the lease was sent
     * @param context what the parts of a client share
     * @param connection where to renew it
     * @param onGone is run when the session has ended and its lease was given back, as far as possible
     */
    EtcdSession(long id, Duration ttl, long sentNs, EtcdContext context, EtcdConnection connection, Runnable onGone) {
        super(id, ttl, sentNs, context.config(), context.callbacks());
        this.context = context;
        this.connection = connection;
        this.onGone = onGone;
        this.gone = new CallbackFuture<>(context.callbacks());
        this.intervalNs = ttl.toNanos() / RENEWALS_PER_TTL;
    }

    /** Begins the renewals and the guard of the deadline. */
    void start() {
        connection.add(this);
        context.loop().scheduleNs(intervalNs, this::tick);
        guardDeadline();
    }

    private void tick() {
        if (over || expireIfPastDeadline()) {
            return;
        }
        // After access was denied there is no attempt but by those who need one.
        connection.demand();
        if (unanswered >= UNANSWERED_MAX) {
            suspended();
            if (connection.hasAlternative()) {
                connection.unanswered();
            }
        }
        connection.ifUp().ifPresent(this::renew);
        context.loop().scheduleNs(intervalNs, this::tick);
    }

    private void renew(EtcdChannel channel) {
        long sentNs = context.nowNs();
        LeaseKeepAliveRequest request =
                LeaseKeepAliveRequest.newBuilder().setID(id()).build();
        unanswered++;
        channel.ask(LeaseGrpc.getLeaseKeepAliveMethod(), request, ttl().toNanos(), reply -> {
            LeaseKeepAliveResponse answer = reply.value();
            if (over) {
                return;
            }
            if (reply.outcome() == EtcdReply.Outcome.OK && answer != null) {
                unanswered = 0;
                if (answer.getTTL() > 0) {
                    renewed(sentNs);
                } else {
                    expiredAtServer();
                }
            } else if (EtcdErrors.isLeaseGone(reply.status())) {
                expiredAtServer();
            } else {
                connection.lost(channel, EtcdErrors.verdict(reply.status()));
            }
        });
    }

    private void guardDeadline() {
        if (!over && !expireIfPastDeadline()) {
            context.loop().scheduleNs(Math.max(remainingNs(), 1_000_000), this::guardDeadline);
        }
    }

    @Override
    public void onUp(EtcdChannel channel) {
        if (!over && !expireIfPastDeadline()) {
            unanswered = 0;
            renew(channel);
        }
    }

    @Override
    public void onDown(ConnectionLostException cause) {
        suspended();
    }

    @Override
    public void onDenied(CoordinationException cause) {
        suspended();
    }

    /** A member said that the lease is not there any more, and its keys neither. */
    void expiredAtServer() {
        goneAtServer = true;
        expired();
    }

    /**
     * Tells whose session this is.
     *
     * @param candidate what the parts of a client share
     * @return true if it belongs to that client
     */
    boolean isOf(EtcdContext candidate) {
        return context == candidate;
    }

    /** {@return the failure of a write that comes too late} */
    SessionExpiredException endedException() {
        return new SessionExpiredException("session has ended, nothing was applied: session=" + this + ", servers="
                + context.address().servers() + "; open a new one");
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
        connection.remove(this);
        if (goneAtServer) {
            gone.settle(null);
            onGone.run();
        } else {
            new Revocation().start();
        }
    }

    /** Gives the lease back, so that its keys vanish at once; they vanish later by themselves if that fails. */
    private final class Revocation implements EtcdConnection.Waiting {
        private boolean done;

        void start() {
            context.loop().scheduleNs(context.timeoutNs(), () -> fail("no connection in time"));
            connection.whenUp(this);
        }

        @Override
        public boolean isOver() {
            return done;
        }

        @Override
        public void refuse(CoordinationException cause) {
            fail(String.valueOf(cause.getMessage()));
        }

        @Override
        public void go(EtcdChannel channel) {
            LeaseRevokeRequest request =
                    LeaseRevokeRequest.newBuilder().setID(id()).build();
            channel.ask(LeaseGrpc.getLeaseRevokeMethod(), request, context.timeoutNs(), reply -> {
                LeaseRevokeResponse answer = reply.value();
                if (reply.outcome() == EtcdReply.Outcome.OK && answer != null) {
                    context.saw(answer.getHeader().getRevision());
                    finish(null);
                } else if (EtcdErrors.isLeaseGone(reply.status())) {
                    finish(null);
                } else if (reply.outcome() == EtcdReply.Outcome.UNKNOWN) {
                    finish(new OutcomeUnknownException(text(EtcdErrors.verdict(reply.status()))));
                } else {
                    fail(EtcdErrors.verdict(reply.status()));
                }
            });
        }

        private void fail(String why) {
            finish(new ConnectionLostException(text(why)));
        }

        private String text(String why) {
            return "end of a session is not confirmed by etcd: session=" + EtcdSession.this + ", why=" + why
                    + ", servers=" + context.address().servers()
                    + "; its ephemeral keys vanish with the time to live";
        }

        private void finish(@Nullable CoordinationException failure) {
            if (done) {
                return;
            }
            done = true;
            if (failure == null) {
                gone.settle(null);
            } else {
                gone.fail(failure);
            }
            onGone.run();
        }
    }
}

package io.tidemark.coordination.etcd;

import io.grpc.Status;
import io.tidemark.coordination.ConnectionLostException;
import io.tidemark.coordination.CoordinationClosedException;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.OutcomeUnknownException;
import io.tidemark.coordination.spi.CallbackExecutor;
import io.tidemark.coordination.spi.CallbackFuture;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One call of a user, until its end. Knows the request that is under way for it, and so whether a write may have left
 * this process. Any thread may end it; the first end counts.
 *
 * @param <T> the type of the result
 */
final class EtcdCall<T> {
    private final Object what;
    private final boolean write;
    private final String servers;
    private final Duration timeout;
    private final CallbackFuture<T> result;
    private final Consumer<EtcdCall<?>> onEnd;
    private volatile @Nullable EtcdRequest request;
    private volatile EtcdLoop.@Nullable Timer timer;

    /**
     * Begins a call.
     *
     * @param what what it does and on what; its text goes into messages
     * @param write whether it changes something
     * @param servers named in failures
     * @param timeout its deadline, named in failures
     * @param callbacks where the result is handed out
     * @param onEnd is told that the call has ended, at least once
     */
    EtcdCall(
            Object what,
            boolean write,
            String servers,
            Duration timeout,
            CallbackExecutor callbacks,
            Consumer<EtcdCall<?>> onEnd) {
        this.what = what;
        this.write = write;
        this.servers = servers;
        this.timeout = timeout;
        this.result = new CallbackFuture<>(callbacks);
        this.onEnd = onEnd;
    }

    /** {@return what the user holds} */
    CompletionStage<T> stage() {
        return result;
    }

    /** {@return whether nobody waits any more} */
    boolean isOver() {
        return result.isSettled();
    }

    /** {@return whether it changes something} */
    boolean isWrite() {
        return write;
    }

    /**
     * Keeps the timer of the deadline, to be cancelled at the end.
     *
     * @param deadline the timer
     */
    void deadlineTimer(EtcdLoop.Timer deadline) {
        timer = deadline;
        if (isOver()) {
            deadline.cancel();
        }
    }

    /**
     * Keeps the request that is under way for this call.
     *
     * @param sent the request, null when there is none any more
     */
    void request(@Nullable EtcdRequest sent) {
        request = sent;
    }

    /** Stops what is under way, then tells whether it may have had an effect. The order matters: see EtcdRequest. */
    private boolean cancelMaybeSent() {
        EtcdRequest sent = request;
        if (sent == null) {
            return false;
        }
        sent.cancel();
        return write && sent.maybeSent();
    }

    /**
     * Ends the call with its result.
     *
     * @param value the result
     * @return false if the call had ended before
     */
    boolean settle(T value) {
        boolean first = result.settle(value);
        if (first) {
            ended();
        }
        return first;
    }

    /**
     * Ends the call with a failure.
     *
     * @param failure the reason
     */
    void fail(CoordinationException failure) {
        if (result.fail(failure)) {
            ended();
        }
    }

    /**
     * Ends the call since its deadline has passed.
     *
     * @return whether a member owes an answer
     */
    boolean timeOut() {
        boolean asked = request != null;
        if (cancelMaybeSent()) {
            fail(new OutcomeUnknownException("no answer from etcd to a write: " + where()
                    + "; it may have been applied, may be applied later, or never"));
        } else {
            fail(new ConnectionLostException(
                    "etcd not reached: " + where() + "; check that the members run and the address is right"));
        }
        // A call that its holder cancelled has no other end.
        ended();
        return asked;
    }

    /** Ends the call since the client is closed. */
    void failClosed() {
        if (cancelMaybeSent()) {
            fail(new OutcomeUnknownException("coordination client closed before a write was answered: " + where()));
        } else {
            fail(new CoordinationClosedException("coordination client is closed: " + where()));
        }
    }

    /**
     * Ends a write whose effect is not known.
     *
     * @param status what became of the request
     */
    void failUnanswered(Status status) {
        fail(new OutcomeUnknownException("etcd or the connection to it failed before a write was answered: verdict="
                + EtcdErrors.verdict(status) + ", " + where()
                + "; it may have been applied, may be applied later, or never"));
    }

    /**
     * Ends the call since a member refused it.
     *
     * @param status the verdict
     */
    void failRefused(Status status) {
        fail(EtcdErrors.refused(status, what.toString(), servers));
    }

    private String where() {
        return "call=" + what + ", servers=" + servers + ", timeout=" + timeout;
    }

    private void ended() {
        EtcdLoop.Timer deadline = timer;
        if (deadline != null) {
            deadline.cancel();
        }
        onEnd.accept(this);
    }

    @Override
    public String toString() {
        return what.toString();
    }
}

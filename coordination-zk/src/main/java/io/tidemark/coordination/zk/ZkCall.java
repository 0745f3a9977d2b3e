package io.tidemark.coordination.zk;

import io.tidemark.coordination.ConnectionLostException;
import io.tidemark.coordination.CoordinationClosedException;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.OutcomeUnknownException;
import io.tidemark.coordination.spi.CallbackExecutor;
import io.tidemark.coordination.spi.CallbackFuture;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * One call of a user, until its end. Knows whether a write may have left this process, and so which failure is the true
 * one. Any thread may end it; the first end counts.
 *
 * @param <T> the type of the result
 */
final class ZkCall<T> {
    private final Object what;
    private final String servers;
    private final Duration timeout;
    private final CallbackFuture<T> result;
    private final Consumer<ZkCall<?>> onEnd;
    private volatile boolean maybeSent;
    private volatile ZkLoop.@Nullable Timer timer;

    /**
     * Begins a call.
     *
     * @param what what it does and on what; its text goes into messages
     * @param servers named in failures
     * @param timeout its deadline, named in failures
     * @param callbacks where the result is handed out
     * @param onEnd is told once that the call has ended
     */
    ZkCall(Object what, String servers, Duration timeout, CallbackExecutor callbacks, Consumer<ZkCall<?>> onEnd) {
        this.what = what;
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

    /**
     * Keeps the timer of the deadline, to be cancelled at the end.
     *
     * @param deadline the timer
     */
    void deadlineTimer(ZkLoop.Timer deadline) {
        timer = deadline;
        if (isOver()) {
            deadline.cancel();
        }
    }

    /** From here on a write may have been applied, unless a server says otherwise. */
    void sending() {
        maybeSent = true;
    }

    /** A server said that it applied nothing. */
    void refusedByServer() {
        maybeSent = false;
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

    /** Ends the call since its deadline has passed. */
    void timeOut() {
        if (maybeSent) {
            fail(new OutcomeUnknownException("no answer from ZooKeeper to a write: " + where()
                    + "; it may have been applied, may be applied later, or never"));
        } else {
            fail(new ConnectionLostException(
                    "ZooKeeper not reached: " + where() + "; check that the servers run and the address is right"));
        }
        // A call that its holder cancelled has no other end.
        ended();
    }

    /** Ends the call since the client is closed. */
    void failClosed() {
        if (maybeSent) {
            fail(new OutcomeUnknownException("coordination client closed before a write was answered: " + where()));
        } else {
            fail(new CoordinationClosedException("coordination client is closed: " + where()));
        }
    }

    /** Ends a write since the connection broke while it was under way. */
    void failUnanswered() {
        fail(new OutcomeUnknownException("connection to ZooKeeper broke before a write was answered: " + where()
                + "; it may have been applied, may be applied later, or never"));
    }

    /**
     * Ends the call since a server refused it.
     *
     * @param code the server's verdict
     */
    void failRefused(Code code) {
        fail(ZkErrors.refused(code, what.toString(), servers));
    }

    private String where() {
        return "call=" + what + ", servers=" + servers + ", timeout=" + timeout;
    }

    private void ended() {
        ZkLoop.Timer deadline = timer;
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

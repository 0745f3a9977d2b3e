package io.tidemark.coordination.etcd;

import io.tidemark.coordination.CoordinationClosedException;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.spi.CallbackExecutor;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The calls in flight, so that each ends: by its result, its deadline, or the close of the client. Any thread. */
final class EtcdCalls {
    private final Set<EtcdCall<?>> open = ConcurrentHashMap.newKeySet();
    private final EtcdLoop loop;
    private final CallbackExecutor callbacks;
    private final CoordinationConfig config;
    private final String servers;
    private final Runnable onUnanswered;
    private volatile boolean closed;

    /**
     * Begins with no call.
     *
     * @param loop runs the deadlines
     * @param callbacks where the results are handed out
     * @param config gives the deadline
     * @param servers named in failures
     * @param onUnanswered is run on the loop when a member owes an answer for longer than the deadline
     */
    EtcdCalls(
            EtcdLoop loop,
            CallbackExecutor callbacks,
            CoordinationConfig config,
            String servers,
            Runnable onUnanswered) {
        this.loop = loop;
        this.callbacks = callbacks;
        this.config = config;
        this.servers = servers;
        this.onUnanswered = onUnanswered;
    }

    /**
     * Begins a call that only reads.
     *
     * @param what what it does and on what, for messages; no secrets
     * @param <T> the type of its result
     * @return the call; it has failed already if the client is closed
     */
    <T> EtcdCall<T> read(Object what) {
        return begin(what, false);
    }

    /**
     * Begins a call that changes something.
     *
     * @param what what it does and on what, for messages; no secrets
     * @param <T> the type of its result
     * @return the call; it has failed already if the client is closed
     */
    <T> EtcdCall<T> write(Object what) {
        return begin(what, true);
    }

    private <T> EtcdCall<T> begin(Object what, boolean write) {
        EtcdCall<T> call = new EtcdCall<>(what, write, servers, config.operationTimeout(), callbacks, open::remove);
        open.add(call);
        call.deadlineTimer(loop.scheduleNs(config.operationTimeout().toNanos(), () -> timeOut(call)));
        if (closed) {
            call.fail(closedException(what.toString()));
        }
        return call;
    }

    private void timeOut(EtcdCall<?> call) {
        if (call.timeOut()) {
            onUnanswered.run();
        }
    }

    /**
     * Refuses new calls, and ends all others on the loop: only there is it known which were sent.
     */
    void close() {
        closed = true;
        loop.execute(() -> open.forEach(EtcdCall::failClosed));
    }

    /**
     * Says that the client is closed.
     *
     * @param what what was asked for
     * @return the failure
     */
    CoordinationException closedException(String what) {
        return new CoordinationClosedException(
                "coordination client is closed: call=" + what + ", servers=" + servers + "; open a new one");
    }
}

package io.tidemark.coordination.zk;

import io.tidemark.coordination.CoordinationClosedException;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.spi.CallbackExecutor;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The calls in flight, so that each ends: by its result, its deadline, or the close of the client. Any thread. */
final class ZkCalls {
    private final Set<ZkCall<?>> open = ConcurrentHashMap.newKeySet();
    private final ZkLoop loop;
    private final CallbackExecutor callbacks;
    private final CoordinationConfig config;
    private final String servers;
    private volatile boolean closed;

    /**
     * Begins with no call.
     *
     * @param loop runs the deadlines
     * @param callbacks where the results are handed out
     * @param config gives the deadline
     * @param servers named in failures
     */
    ZkCalls(ZkLoop loop, CallbackExecutor callbacks, CoordinationConfig config, String servers) {
        this.loop = loop;
        this.callbacks = callbacks;
        this.config = config;
        this.servers = servers;
    }

    /**
     * Begins a call.
     *
     * @param what what it does and on what, for messages; no secrets
     * @param <T> the type of its result
     * @return the call; it has failed already if the client is closed
     */
    <T> ZkCall<T> begin(Object what) {
        return begin(what, () -> {});
    }

    /**
     * Begins a call whose end someone else must hear of.
     *
     * @param what what it does and on what, for messages; no secrets
     * @param onEnd is run at the end of the call, at least once, on the thread that ends it
     * @param <T> the type of its result
     * @return the call; it has failed already if the client is closed
     */
    <T> ZkCall<T> begin(Object what, Runnable onEnd) {
        ZkCall<T> call = new ZkCall<>(what, servers, config.operationTimeout(), callbacks, ended -> {
            open.remove(ended);
            onEnd.run();
        });
        open.add(call);
        call.deadlineTimer(loop.schedule(config.operationTimeout(), call::timeOut));
        if (closed) {
            call.fail(closedException(what.toString()));
        }
        return call;
    }

    /** Ends all calls and refuses new ones. */
    void close() {
        closed = true;
        for (ZkCall<?> call : open) {
            call.failClosed();
        }
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

package io.tidemark.coordination.zk;

import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.spi.CallbackExecutor;
import io.tidemark.coordination.spi.SystemSeam;
import java.time.Duration;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * What the parts of one client share, and the count of its open connections. Any thread.
 */
final class ZkContext {
    /** The largest reply taken; the names of a very large directory come in one. */
    static final int REPLY_BYTES_MAX = 16 * 1024 * 1024;

    private final ZkAddress address;
    private final ZkPaths paths;
    private final ZkSecurity security;
    private final CoordinationConfig config;
    private final CallbackExecutor callbacks;
    private final ZkLoop loop;
    private final ZkCalls calls;
    /** Has one party for this object and one for each connection whose threads may still run. */
    private final Phaser openHandles = new Phaser(1);

    /**
     * Makes what is shared.
     *
     * @param address where the ensemble is
     * @param config the configuration of the client
     * @param onFault is told, on the loop, of a broken invariant
     */
    ZkContext(ZkAddress address, CoordinationConfig config, Consumer<Throwable> onFault) {
        this.address = address;
        this.paths = new ZkPaths(address.chroot());
        this.security = new ZkSecurity(config);
        this.config = config;
        this.callbacks = new CallbackExecutor(config);
        this.loop = new ZkLoop(config.clientName() + "-zk", onFault);
        this.calls = new ZkCalls(loop, callbacks, config, address.servers());
    }

    /** {@return where the ensemble is} */
    ZkAddress address() {
        return address;
    }

    /** {@return what turns keys into paths} */
    ZkPaths paths() {
        return paths;
    }

    /** {@return who the client is, and how its connections are encrypted} */
    ZkSecurity security() {
        return security;
    }

    /** {@return the configuration of the client} */
    CoordinationConfig config() {
        return config;
    }

    /** {@return where users are called back} */
    CallbackExecutor callbacks() {
        return callbacks;
    }

    /** {@return the thread that owns all state} */
    ZkLoop loop() {
        return loop;
    }

    /** {@return the calls in flight} */
    ZkCalls calls() {
        return calls;
    }

    /** A connection was opened. */
    void handleOpened() {
        openHandles.register();
    }

    /**
     * Runs something that blocks for a bounded time, in a thread of its own, for whose end {@link #awaitHandlesClosed}
     * waits.
     *
     * @param what names the thread
     * @param task what to run
     */
    void runBlocking(String what, Runnable task) {
        openHandles.register();
        SystemSeam.newDaemonThread(config.clientName() + "-zk-" + what, () -> {
                    try {
                        task.run();
                    } finally {
                        openHandles.arriveAndDeregister();
                    }
                })
                .start();
    }

    /**
     * Ends the threads of a connection. That may block, in name resolution for example, so it has a thread of its own.
     *
     * @param client the client of the connection
     */
    void endThreadsOf(RevisionClient client) {
        SystemSeam.newDaemonThread(config.clientName() + "-zk-closer", () -> {
                    try {
                        client.endThreads(
                                Math.toIntExact(config.operationTimeout().toMillis()));
                    } catch (InterruptedException interrupted) {
                        Thread.currentThread().interrupt();
                    } finally {
                        openHandles.arriveAndDeregister();
                    }
                })
                .start();
    }

    /**
     * Waits until the threads of all connections have ended.
     *
     * @param timeout how long at most
     * @return true if they have
     */
    boolean awaitHandlesClosed(Duration timeout) {
        try {
            openHandles.awaitAdvanceInterruptibly(openHandles.arrive(), timeout.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException late) {
            return false;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}

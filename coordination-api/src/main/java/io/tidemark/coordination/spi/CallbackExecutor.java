package io.tidemark.coordination.spi;

import io.tidemark.coordination.CoordinationConfig;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where the stages and listeners of one client run: the caller's executor, or one daemon thread of its own, which
 * begins with the first task and ends with {@link #close}. A task never gets lost: when the executor takes no more,
 * the calling thread runs it, so that nobody waits for ever on a closed client. Any thread.
 */
public final class CallbackExecutor implements Executor, AutoCloseable {
    private final Executor delegate;
    private final @Nullable ThreadPoolExecutor owned;
    private final Consumer<Throwable> errorHandler;
    private final Duration closeTimeout;
    private volatile @Nullable Thread ownedThread;

    /**
     * Takes the caller's executor, or prepares a thread.
     *
     * @param config says which
     */
    public CallbackExecutor(CoordinationConfig config) {
        this.errorHandler = config.callbackErrorHandler();
        this.closeTimeout = config.operationTimeout();
        if (config.callbackExecutor().isPresent()) {
            owned = null;
            delegate = config.callbackExecutor().get();
        } else {
            String name = config.clientName() + "-callbacks";
            owned = new ThreadPoolExecutor(
                    1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> newThread(name, task));
            delegate = owned;
        }
    }

    private Thread newThread(String name, Runnable task) {
        Thread thread = SystemSeam.newDaemonThread(name, task);
        ownedThread = thread;
        return thread;
    }

    /** Runs a task soon; what it throws goes to the error handler of the configuration. */
    @Override
    public void execute(Runnable task) {
        Objects.requireNonNull(task, "task");
        Runnable guarded = () -> runGuarded(task);
        try {
            delegate.execute(guarded);
        } catch (RejectedExecutionException closed) {
            guarded.run();
        }
    }

    private void runGuarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException thrown) {
            errorHandler.accept(thrown);
        }
    }

    /**
     * Ends the thread of its own after the tasks that wait; waits for that at most for the operation timeout, and
     * not at all when called by a callback. A caller's executor is left alone. Idempotent.
     */
    @Override
    public void close() {
        if (owned == null) {
            return;
        }
        owned.shutdown();
        Thread thread = ownedThread;
        if (thread == null || Thread.currentThread() == thread) {
            return;
        }
        try {
            // The pool counts as terminated a moment before its thread has ended; the host counts threads.
            thread.join(closeTimeout.toMillis() + 1);
            if (thread.isAlive()) {
                owned.shutdownNow();
                errorHandler.accept(new IllegalStateException("a coordination callback did not end in time and was"
                        + " interrupted: thread=" + thread + ", timeout=" + closeTimeout));
            }
        } catch (InterruptedException interrupted) {
            owned.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}

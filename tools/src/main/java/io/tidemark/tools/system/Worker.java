package io.tidemark.tools.system;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A thread that does something beside the caller's. Its thread is a daemon, so that it never holds up our end. */
public final class Worker implements AutoCloseable {
    private final ExecutorService executor;

    private Worker(ExecutorService executor) {
        this.executor = executor;
    }

    /**
     * Makes a worker.
     *
     * @param name the name of its thread
     * @return the worker, to be closed by the caller
     */
    public static Worker named(String name) {
        return new Worker(Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        }));
    }

    /**
     * Something to do.
     *
     * @param <T> what it gives
     */
    public static final class Task<T> {
        private final FutureTask<T> future;
        private final ExecutorService executor;

        private Task(FutureTask<T> future, ExecutorService executor) {
            this.future = future;
            this.executor = executor;
        }

        /** Begins. */
        public void start() {
            executor.execute(future);
        }

        /**
         * Waits for the end.
         *
         * @param timeout how long to wait at most
         * @return what it gave
         * @throws CommandFailure if it failed, or the time is over
         */
        public T await(Duration timeout) {
            try {
                return future.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof CommandFailure failure) {
                    throw failure;
                }
                throw new CommandFailure(String.valueOf(e.getCause()), e);
            } catch (TimeoutException e) {
                throw new CommandFailure("a step did not end: timeout=" + timeout.toSeconds() + "s", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CommandFailure("interrupted while waiting for a step", e);
            }
        }

        /**
         * Tells whether it has failed already.
         *
         * @return true if {@link #await} would throw at once
         */
        public boolean hasFailed() {
            if (!future.isDone()) {
                return false;
            }
            try {
                future.get();
                return false;
            } catch (ExecutionException e) {
                return true;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }

    /**
     * Prepares something to do.
     *
     * @param <T> what it gives
     * @param action what to do
     * @return the task, not begun
     */
    public <T> Task<T> prepare(Callable<T> action) {
        return new Task<>(new FutureTask<>(action), executor);
    }

    /** Takes no more tasks; interrupts the one that runs. */
    @Override
    public void close() {
        executor.shutdownNow();
    }
}

package io.tidemark.coordination.spi;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks one at a time and in order, on another executor that may have many threads. Any thread may add tasks.
 */
public final class SerialExecutor implements Executor {
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final Executor delegate;
    private boolean scheduled;

    /**
     * Puts an order on an executor.
     *
     * @param delegate where the tasks run
     */
    public SerialExecutor(Executor delegate) {
        this.delegate = delegate;
    }

    /** Runs the task after all that were added before. */
    @Override
    public void execute(Runnable task) {
        enqueue(task);
        pump();
    }

    /**
     * Adds a task without having it run yet: for a caller that holds a lock, which gives the order.
     *
     * @param task the task
     */
    public void enqueue(Runnable task) {
        // A lock, because any thread adds; it is held for a few instructions only and never while a task runs.
        synchronized (tasks) {
            tasks.add(task);
        }
    }

    /** Has the tasks run that were added; to be called without a lock. */
    public void pump() {
        synchronized (tasks) {
            if (scheduled || tasks.isEmpty()) {
                return;
            }
            scheduled = true;
        }
        delegate.execute(this::runNext);
    }

    private void runNext() {
        @Nullable Runnable task;
        synchronized (tasks) {
            task = tasks.poll();
        }
        try {
            if (task != null) {
                task.run();
            }
        } finally {
            synchronized (tasks) {
                scheduled = false;
            }
            pump();
        }
    }
}

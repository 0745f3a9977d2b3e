package io.tidemark.coordination.etcd;

import io.tidemark.coordination.spi.SystemSeam;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The thread that owns the state of one client. Its tasks are short and wait for nothing. Tasks that come after
 * {@link #shutDown} are dropped, since nobody is left whom they could concern. Any thread may add tasks.
 */
final class EtcdLoop implements Executor {
    /** A task that waits for its time. */
    interface Timer {
        /** Forgets the task; without effect once it has begun. */
        void cancel();
    }

    private final ScheduledThreadPoolExecutor executor;
    private final Consumer<Throwable> onFault;

    /**
     * Prepares the thread, which begins with the first task.
     *
     * @param name its name
     * @param onFault is told, on the thread, what a task threw: a broken invariant
     */
    EtcdLoop(String name, Consumer<Throwable> onFault) {
        this.onFault = onFault;
        this.executor = new ScheduledThreadPoolExecutor(
                1, task -> SystemSeam.newDaemonThread(name, task), new ThreadPoolExecutor.DiscardPolicy());
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public void execute(Runnable task) {
        executor.execute(() -> run(task));
    }

    /**
     * Runs a task later.
     *
     * @param delayNs nanoseconds from now; not positive means soon
     * @param task the task
     * @return forgets it when it is not wanted any more
     */
    Timer scheduleNs(long delayNs, Runnable task) {
        ScheduledFuture<?> scheduled = executor.schedule(() -> run(task), delayNs, TimeUnit.NANOSECONDS);
        return () -> scheduled.cancel(false);
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException fault) {
            onFault.accept(fault);
        }
    }

    /**
     * Ends the thread once the tasks that wait without a delay have run.
     *
     * @param timeout how long to wait for that
     */
    void shutDown(Duration timeout) {
        executor.shutdown();
        try {
            if (!executor.awaitTermination(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                executor.shutdownNow();
            }
        } catch (InterruptedException interrupted) {
            executor.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}

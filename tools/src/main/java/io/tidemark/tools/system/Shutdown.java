package io.tidemark.tools.system;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The end of this process by a signal (SIGTERM, SIGINT, SIGHUP) or by {@link #request}. Any thread.
 *
 * <p>Two ways to use it: {@link #onSignal} runs an action when a signal comes; {@link #awaitRequest} holds the calling
 * thread until a signal or a request comes, and the process, once it is {@link #hold held}, does not end before
 * {@link #close} was called or the grace time is over.
 */
public final class Shutdown implements AutoCloseable {
    private final CountDownLatch requested = new CountDownLatch(1);
    private final CountDownLatch finished = new CountDownLatch(1);
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicBoolean held = new AtomicBoolean();
    private final Thread hook;

    private Shutdown(Runnable action) {
        hook = new Thread(action, "tidemark-shutdown");
    }

    /**
     * Waits for signals; at a signal the process, if it is held, waits until {@link #close}.
     *
     * @param grace how long the process waits at most
     * @return the registration
     */
    public static Shutdown graceful(Duration grace) {
        Shutdown[] self = new Shutdown[1];
        self[0] = new Shutdown(() -> self[0].requestAndWait(grace));
        Runtime.getRuntime().addShutdownHook(self[0].hook);
        return self[0];
    }

    /**
     * Runs an action when a signal ends the process.
     *
     * @param action has to be quick and must stand being called while everything else still runs
     * @return the registration; closing it takes the action back
     */
    public static Shutdown onSignal(Runnable action) {
        Shutdown shutdown = new Shutdown(action);
        Runtime.getRuntime().addShutdownHook(shutdown.hook);
        return shutdown;
    }

    /** There is something to be closed in good order from now on. */
    public void hold() {
        held.set(true);
    }

    /** Asks for the end, as a signal would. */
    public void request() {
        requested.countDown();
    }

    /**
     * Waits for a signal or a request.
     *
     * @throws InterruptedException if this thread is interrupted
     */
    public void awaitRequest() throws InterruptedException {
        requested.await();
    }

    private void requestAndWait(Duration grace) {
        request();
        if (!held.get()) {
            return;
        }
        try {
            finished.await(grace.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the registration; idempotent, and harmless while the process ends. */
    @Override
    public void close() {
        finished.countDown();
        if (closed.compareAndSet(false, true)) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException endingAlready) {
                finished.countDown();
            }
        }
    }
}

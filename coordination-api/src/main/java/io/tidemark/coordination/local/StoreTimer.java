package io.tidemark.coordination.local;

import io.tidemark.coordination.spi.SystemSeam;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The thread that lets time pass in a {@link LocalStore}. Begins with the first {@link #wake}; idle while nothing is
 * due.
 */
final class StoreTimer implements AutoCloseable {
    /** The pause of a store that waits for nothing. */
    static final long NEVER = Long.MAX_VALUE;

    private final String name;
    private final Runnable tick;
    private final LongSupplier nextTickNs;
    /** Guards the fields below; needed because the pause must end when a client wakes the timer. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();
    private @Nullable Thread thread;
    private boolean woken;
    private boolean closed;

    /**
     * Prepares the thread.
     *
     * @param name its name
     * @param tick one step
     * @param nextTickNs how long to pause before the next step, {@link #NEVER} to wait for {@link #wake}
     */
    StoreTimer(String name, Runnable tick, LongSupplier nextTickNs) {
        this.name = name;
        this.tick = tick;
        this.nextTickNs = nextTickNs;
    }

    /** Has the pause computed anew; begins the thread if there is none yet. */
    void wake() {
        lock.lock();
        try {
            woken = true;
            changed.signalAll();
            if (thread == null && !closed) {
                thread = SystemSeam.newDaemonThread(name, this::run);
                thread.start();
            }
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        while (pause(nextTickNs.getAsLong())) {
            tick.run();
        }
    }

    /** Waits; false if the timer was closed. */
    private boolean pause(long pauseNs) {
        lock.lock();
        try {
            long leftNs = pauseNs;
            while (!closed && !woken && leftNs > 0) {
                if (pauseNs == NEVER) {
                    changed.await();
                } else {
                    leftNs = changed.awaitNanos(leftNs);
                }
            }
            woken = false;
            return !closed;
        } catch (InterruptedException interrupted) {
            // Nobody but the owner of the process interrupts this thread; it ends then, as by close.
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the thread and waits for it, unless called by it. */
    @Override
    public void close() {
        Thread running;
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
            running = thread;
        } finally {
            lock.unlock();
        }
        if (running == null || running == Thread.currentThread()) {
            return;
        }
        try {
            running.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

package io.tidemark.broker;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Where the maintenance thread waits. Waits grow while nothing is found to do, since preallocation ahead of a busy
 * writer must come soon, and an idle broker must not use the processor. {@link #wakeUp} any thread; a wake-up before
 * the wait makes it return at once.
 */
final class ThreadParker {
    private static final long MIN_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MAX_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final AtomicReference<@Nullable Thread> waiter = new AtomicReference<>();
    private long waitNs = MIN_NS;

    /** Nobody waits yet. */
    ThreadParker() {}

    /**
     * Takes the result of a duty cycle, and waits if there was nothing to do. One thread only.
     *
     * @param workCount what was done
     */
    void idle(int workCount) {
        if (workCount > 0) {
            waitNs = MIN_NS;
            return;
        }
        waiter.lazySet(Thread.currentThread());
        LockSupport.parkNanos(this, waitNs);
        waitNs = Math.min(MAX_NS, waitNs * 2);
    }

    /** Ends the wait, or the next one. */
    void wakeUp() {
        Thread thread = waiter.get();
        if (thread != null) {
            LockSupport.unpark(thread);
        }
    }
}

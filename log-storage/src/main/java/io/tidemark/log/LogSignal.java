package io.tidemark.log;

import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.NanoClock;

/**
 * Wakes readers that wait at the end of a log. Appends to a log that nobody tails pay for one load.
 *
 * <p>The appender publishes the end and then looks for waiting readers; a reader counts itself and then looks at the
 * end. A full fence stands between the two steps on either side, so one of them sees the other. Only the fence of an
 * appender that does not know yet of the first tail is missing; therefore a wait looks again after a while.
 */
final class LogSignal {
    private static final long LOOK_AGAIN_MS = 100;
    private static final long NS_PER_MS = 1_000_000;

    private final Object monitor = new Object();
    private volatile int tails;
    private volatile int waiting;

    /** Nobody waits. */
    LogSignal() {}

    /** Counts a reader that may wait from now on. */
    void opened() {
        synchronized (monitor) {
            final int before = tails;
            tails = before + 1;
        }
    }

    /** Forgets a reader. */
    void closed() {
        synchronized (monitor) {
            final int before = tails;
            tails = before - 1;
        }
    }

    /** Wakes whoever waits: the end was published, or the log was closed. */
    void published() {
        if (tails != 0) {
            VarHandle.fullFence();
            if (waiting != 0) {
                synchronized (monitor) {
                    monitor.notifyAll();
                }
            }
        }
    }

    /**
     * Waits until something is so.
     *
     * @param isSo to be asked
     * @param clock monotonic
     * @param timeoutNs longest wait
     * @return the last answer
     * @throws InterruptedException when the caller is interrupted
     */
    boolean await(BooleanSupplier isSo, NanoClock clock, long timeoutNs) throws InterruptedException {
        if (isSo.getAsBoolean()) {
            return true;
        }
        final long startNs = clock.nanoTime();
        synchronized (monitor) {
            final int before = waiting;
            waiting = before + 1;
            try {
                VarHandle.fullFence();
                while (!isSo.getAsBoolean()) {
                    final long leftNs = timeoutNs - (clock.nanoTime() - startNs);
                    if (leftNs <= 0) {
                        return false;
                    }
                    monitor.wait(Math.min(LOOK_AGAIN_MS, leftNs / NS_PER_MS + 1));
                }
                return true;
            } finally {
                final int now = waiting;
                waiting = now - 1;
            }
        }
    }
}

package io.tidemark.tools.system;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The clock of this machine, and waiting on it. Any thread. */
public final class Machine {
    private static final long POLL_INTERVAL_NS = 1_000_000;

    private Machine() {}

    /**
     * The monotonic clock.
     *
     * @return nanoseconds since an arbitrary moment
     */
    public static long nanoTime() {
        return System.nanoTime();
    }

    /**
     * Lets the calling thread rest. May return early.
     *
     * @param durationNs at most this long, in nanoseconds
     */
    public static void park(long durationNs) {
        LockSupport.parkNanos(durationNs);
    }

    /**
     * Waits until a condition holds, looking every millisecond.
     *
     * @param what the condition in words, for the error: "timed out waiting for …"
     * @param timeout how long to wait at most
     * @param condition the condition; may throw to end the wait with its own error
     * @param evidence what to add to the error: what is known of why it does not hold; asked at the end only
     * @throws CommandFailure if the time is over or this thread was interrupted
     */
    public static void await(String what, Duration timeout, BooleanSupplier condition, Supplier<String> evidence) {
        long deadlineNs = nanoTime() + timeout.toNanos();
        while (!condition.getAsBoolean()) {
            if (Thread.currentThread().isInterrupted()) {
                throw new CommandFailure("interrupted while waiting for " + what);
            }
            if (nanoTime() - deadlineNs > 0) {
                String known = evidence.get();
                throw new CommandFailure("timed out waiting for " + what + ": timeout=" + timeout.toSeconds() + "s"
                        + (known.isEmpty() ? "" : "; " + known));
            }
            park(POLL_INTERVAL_NS);
        }
    }
}

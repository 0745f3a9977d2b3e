package io.tidemark.client;

import java.time.Duration;

/**
 * Arithmetic on a monotonic clock whose value may be anything: sums saturate at a time that never comes, and
 * comparisons look at differences, so that a very long timeout does not turn into one that has passed.
 */
final class Deadlines {
    /** About 73 years; long enough for "for ever", short enough that differences never overflow. */
    static final long FOREVER_NS = Long.MAX_VALUE / 4;

    private Deadlines() {}

    /**
     * Nanoseconds of a duration.
     *
     * @param duration not negative
     * @return at most {@link #FOREVER_NS}
     */
    static long durationNs(Duration duration) {
        return duration.toSeconds() >= FOREVER_NS / 1_000_000_000L ? FOREVER_NS : duration.toNanos();
    }

    /**
     * A moment after another.
     *
     * @param nowNs the other
     * @param durationNs distance, 0 or more
     * @return the moment
     */
    static long after(long nowNs, long durationNs) {
        return nowNs + Math.min(durationNs, FOREVER_NS);
    }

    /**
     * Whether a moment has come.
     *
     * @param nowNs now
     * @param deadlineNs the moment
     * @return true from that moment on
     */
    static boolean passed(long nowNs, long deadlineNs) {
        return nowNs - deadlineNs >= 0;
    }

    /**
     * Time left until a moment.
     *
     * @param nowNs now
     * @param deadlineNs the moment
     * @return nanoseconds, 0 if it has passed
     */
    static long left(long nowNs, long deadlineNs) {
        return Math.max(0, deadlineNs - nowNs);
    }
}

package io.tidemark.log;

import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;

/**
 * A clock that says what the wall clock said at the start, plus what has passed since by the monotonic one. A wall
 * clock that is set forwards or backwards meanwhile makes no record older or younger. Any thread.
 */
final class StoreClock {
    private static final long NS_PER_MS = 1_000_000;

    private final EpochClock epochClock;
    private final NanoClock nanoClock;
    private final long startMs;
    private final long startNs;

    /**
     * Starts the clock.
     *
     * @param epochClock wall clock; asked once here
     * @param nanoClock monotonic clock
     */
    StoreClock(EpochClock epochClock, NanoClock nanoClock) {
        this.epochClock = epochClock;
        this.nanoClock = nanoClock;
        startMs = epochClock.time();
        startNs = nanoClock.nanoTime();
    }

    /**
     * The time.
     *
     * @return milliseconds since the epoch
     */
    long nowMs() {
        return startMs + (nanoClock.nanoTime() - startNs) / NS_PER_MS;
    }

    /**
     * The wall clock, which may jump.
     *
     * @return the clock
     */
    EpochClock wallClock() {
        return epochClock;
    }

    /**
     * The monotonic clock.
     *
     * @return the clock
     */
    NanoClock nanoClock() {
        return nanoClock;
    }
}

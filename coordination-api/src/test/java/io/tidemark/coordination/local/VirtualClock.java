package io.tidemark.coordination.local;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A monotonic clock that only a test moves. Starts near the overflow of a long, so that comparisons are tried there.
 */
public final class VirtualClock implements LongSupplier {
    private final AtomicLong nowNs =
            new AtomicLong(Long.MAX_VALUE - Duration.ofSeconds(3).toNanos());

    @Override
    public long getAsLong() {
        return nowNs.get();
    }

    /** Moves the clock. */
    public void advance(Duration step) {
        nowNs.addAndGet(step.toNanos());
    }
}

package io.tidemark.log;

import java.time.Duration;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemEpochClock;

/** Two clocks that go on when told; the wall clock begins at the machine's, as files have its times, and may jump. */
final class TestTime {
    private final long startMs = SystemEpochClock.INSTANCE.time();
    private long passedNs;
    private long jumpMs;

    synchronized void pass(Duration time) {
        passedNs += time.toNanos();
    }

    synchronized void jump(Duration time) {
        jumpMs += time.toMillis();
    }

    NanoClock nanoClock() {
        return () -> {
            synchronized (this) {
                return passedNs;
            }
        };
    }

    EpochClock epochClock() {
        return () -> {
            synchronized (this) {
                return startMs + passedNs / 1_000_000 + jumpMs;
            }
        };
    }
}

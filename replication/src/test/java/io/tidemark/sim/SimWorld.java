package io.tidemark.sim;

import java.util.SplittableRandom;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/** What everything simulated shares: time, chance, the trace, and who is being stepped. */
final class SimWorld {
    private static final long STEP_MIN_NS = 500;
    private static final long EPOCH_START_MS = 1_700_000_000_000L;

    private final SimScheduler scheduler;
    private final SplittableRandom random;
    private final TraceHash trace;
    private final Knobs knobs;
    private SimProcess.@Nullable SimAgent running;

    SimWorld(long seed, Knobs knobs, boolean prints) {
        scheduler = new SimScheduler(seed ^ 0x5eed0001L);
        random = new SplittableRandom(seed ^ 0x5eed0002L);
        trace = new TraceHash(scheduler, prints);
        this.knobs = knobs;
    }

    SimScheduler scheduler() {
        return scheduler;
    }

    /** For what happens during the run. Plans made beforehand have chance of their own. */
    SplittableRandom random() {
        return random;
    }

    TraceHash trace() {
        return trace;
    }

    Knobs knobs() {
        return knobs;
    }

    /** The monotonic clock of a machine; it may go a little fast or slow. */
    NanoClock nanoClock(SimMachine machine) {
        return machine.clockRate == 1
                ? scheduler::nowNs
                : () -> SimScheduler.START_NS + (long) (scheduler.elapsedNs() * machine.clockRate);
    }

    EpochClock epochClock(SimMachine machine) {
        return () -> EPOCH_START_MS + scheduler.elapsedNs() / 1_000_000L + machine.wallClockOffsetMs;
    }

    /** How long until an agent that has something to do is stepped. */
    long stepDelayNs(SimMachine machine) {
        return (STEP_MIN_NS + random.nextLong(knobs.stepMaxNs())) * machine.slowness;
    }

    SimProcess.@Nullable SimAgent running() {
        return running;
    }

    /** Notes who is stepped now; gives who was before. */
    SimProcess.@Nullable SimAgent enter(SimProcess.@Nullable SimAgent agent) {
        SimProcess.SimAgent before = running;
        running = agent;
        return before;
    }
}

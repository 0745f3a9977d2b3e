package io.tidemark.sim;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/** Draws the faults of a seed: a few kinds, so that each run is odd in its own way, and how many of them. */
final class FaultPlan {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final int KINDS_MIN = 4;

    private FaultPlan() {}

    /** Draws the faults that happen within a time. */
    static List<Fault> of(long seed, Knobs knobs, long withinNs) {
        SplittableRandom random = new SplittableRandom(seed ^ 0x5eed0004L);
        List<Fault.Kind> kinds = new ArrayList<>();
        while (kinds.size() < KINDS_MIN) {
            for (Fault.Kind kind : Fault.Kind.values()) {
                if (!kinds.contains(kind) && random.nextInt(100) < 35) {
                    kinds.add(kind);
                }
            }
        }
        // Without a process that ends a run seldom sees a leader change.
        if (random.nextInt(4) > 0 && !kinds.contains(Fault.Kind.KILL)) {
            kinds.add(Fault.Kind.KILL);
        }
        int count = 6 + random.nextInt(16);
        List<Fault> faults = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Fault.Kind kind = kinds.get(i < kinds.size() ? i : random.nextInt(kinds.size()));
            faults.add(draw(random, kind, knobs, withinNs));
        }
        faults.sort(Comparator.comparingLong(Fault::atNs));
        return faults;
    }

    private static Fault draw(SplittableRandom random, Fault.Kind kind, Knobs knobs, long withinNs) {
        int broker = 1 + random.nextInt(knobs.brokers());
        int other = 1 + (broker + random.nextInt(knobs.brokers() - 1)) % knobs.brokers();
        long ttlNs = knobs.sessionTtlMs() * 1_000_000L;
        long shortNs = random.nextLong(SECOND_NS);
        long longNs = random.nextLong(3 * ttlNs);
        long durationNs = random.nextInt(3) == 0 ? longNs : shortNs;
        return new Fault(random.nextLong(withinNs), kind, broker, other, durationNs, random.nextInt(1000));
    }
}

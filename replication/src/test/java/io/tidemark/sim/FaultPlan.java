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

    /**
     * Draws the faults that happen within a time.
     *
     * @param plan kinds to draw from, with blanks between them; empty for any
     */
    static List<Fault> of(long seed, String plan, Knobs knobs, long withinNs) {
        SplittableRandom random = new SplittableRandom(seed ^ 0x5eed0004L);
        List<Fault.Kind> kinds = plan.isEmpty() ? anyKinds(random) : named(plan);
        int count = Math.max(kinds.size(), 6 + random.nextInt(16));
        List<Fault> faults = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Fault.Kind kind = kinds.get(i < kinds.size() ? i : random.nextInt(kinds.size()));
            faults.add(draw(random, kind, knobs, withinNs));
        }
        faults.sort(Comparator.comparingLong(Fault::atNs));
        return faults;
    }

    private static List<Fault.Kind> named(String plan) {
        List<Fault.Kind> kinds = new ArrayList<>();
        for (String name : plan.split(" ", -1)) {
            kinds.add(Fault.Kind.valueOf(name));
        }
        return kinds;
    }

    private static List<Fault.Kind> anyKinds(SplittableRandom random) {
        List<Fault.Kind> kinds = new ArrayList<>();
        while (kinds.size() < KINDS_MIN) {
            for (Fault.Kind kind : Fault.Kind.values()) {
                if (!kinds.contains(kind) && random.nextInt(100) < 35) {
                    kinds.add(kind);
                }
            }
        }
        // Without the end of a leader's process a run seldom sees a leader change, and then says little.
        if (!kinds.contains(Fault.Kind.KILL_LEADER)) {
            kinds.add(Fault.Kind.KILL_LEADER);
        }
        return kinds;
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

package io.tidemark.sim;

/** Entry for a run among the classes of a mutant. */
public final class MutantRun {
    private MutantRun() {}

    /** Runs a seed; gives the invariant that was broken, or an empty text. */
    public static String run(long seed) {
        try (SimFolder folder = new SimFolder()) {
            SimViolation violation = SimRun.of(seed, folder.next(), false).run().violation();
            return violation == null ? "" : violation.invariant();
        }
    }
}

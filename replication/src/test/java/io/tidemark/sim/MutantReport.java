package io.tidemark.sim;

import org.jspecify.annotations.Nullable;

/**
 * Runs seeds with a mutant until one finds it. A seed that finds it counts only if the unchanged code passes it.
 *
 * @param mutant what was put back
 * @param seeds how many seeds were run
 * @param invariant what was found broken, null if nothing was within the mutant's number of seeds
 * @param seed that found it
 */
record MutantReport(Mutant mutant, int seeds, @Nullable String invariant, long seed) {
    /** Tries one mutant. */
    static MutantReport of(Mutant mutant, long firstSeed) {
        MutantLoader loader = MutantLoader.of(mutant);
        for (int i = 0; i < mutant.seeds(); i++) {
            long seed = firstSeed + i;
            String broken = loader.run(seed);
            if (mutant.invariants().contains(broken) && MutantRun.run(seed).isEmpty()) {
                return new MutantReport(mutant, i + 1, broken, seed);
            }
            if (!broken.isEmpty() && !mutant.invariants().contains(broken)) {
                Output.line("    mutant " + mutant.name() + " broke " + broken + " with seed " + seed
                        + ", which is not what it should break: " + mutant.invariants());
            }
        }
        return new MutantReport(mutant, mutant.seeds(), null, -1);
    }

    boolean isKilled() {
        return invariant != null;
    }

    @Override
    public String toString() {
        return isKilled()
                ? String.format("killed by %s with %d seeds (seed %d): %s", invariant, seeds, seed, mutant.name())
                : String.format("NOT killed with %d seeds: %s", seeds, mutant.name());
    }
}

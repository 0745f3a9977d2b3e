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
    /**
     * Tries one mutant.
     *
     * @throws SimViolation if the unchanged code does not pass the seed that finds the mutant
     */
    static MutantReport of(Mutant mutant, long firstSeed) {
        MutantLoader loader = MutantLoader.of(mutant);
        for (int i = 0; i < mutant.seeds(); i++) {
            long seed = firstSeed + i;
            boolean isStory = !mutant.story().isEmpty();
            String broken = isStory ? loader.story(mutant.story()) : loader.run(seed, mutant.plan());
            if (mutant.invariants().contains(broken)) {
                String unchanged = isStory ? MutantRun.story(mutant.story()) : MutantRun.run(seed, mutant.plan());
                if (!unchanged.isEmpty()) {
                    throw new SimViolation(
                            unchanged,
                            "the unchanged code does not pass either: seed=" + seed + ", faults=" + mutant.plan()
                                    + ", story=" + mutant.story() + ", mutant=" + mutant.name());
                }
                return new MutantReport(mutant, i + 1, broken, seed);
            }
            if (!broken.isEmpty()) {
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
                ? String.format(
                        "killed by %s with %d seeds (%s): %s",
                        invariant, seeds, mutant.story().isEmpty() ? "seed " + seed : mutant.story(), mutant.name())
                : String.format("NOT killed with %d seeds: %s", seeds, mutant.name());
    }
}

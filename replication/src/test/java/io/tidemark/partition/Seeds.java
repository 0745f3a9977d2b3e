package io.tidemark.partition;

import java.util.Random;
import java.util.random.RandomGenerator;

/** Runs a random test over a fixed set of seeds, and says which one failed and how to replay it. */
public final class Seeds {
    private Seeds() {}

    /** One run. */
    public interface Run {
        void with(RandomGenerator random);
    }

    /** Runs seeds 1 to count, or only the one given by {@code -Dtidemark.seed}. */
    public static void forEach(String test, int count, Run run) {
        Long only = Long.getLong("tidemark.seed");
        long from = only == null ? 1 : only;
        long to = only == null ? count : only;
        System.out.printf(
                "%s: seeds %d to %d; replay one: mvn -pl replication -am test -Dtest=%s "
                        + "-Dsurefire.failIfNoSpecifiedTests=false -Dtidemark.seed=N%n",
                test, from, to, test);
        for (long seed = from; seed <= to; seed++) {
            try {
                run.with(new Random(seed));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(
                        test + " failed: seed=" + seed + ", replay: mvn -pl replication -am test -Dtest=" + test
                                + " -Dsurefire.failIfNoSpecifiedTests=false -Dtidemark.seed=" + seed,
                        e);
            }
        }
    }
}

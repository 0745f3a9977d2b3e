package io.tidemark.sim;

import java.util.ArrayList;
import java.util.List;

/** Finds a shorter list of faults with which a seed still breaks the same invariant. */
final class Shrinker {
    private static final int RUNS_MAX = 60;

    private Shrinker() {}

    static SimResult shrink(SimRun run, SimResult failed, SimFolder folder) {
        SimViolation violation = failed.violation();
        if (violation == null) {
            return failed;
        }
        SimResult best = failed;
        List<Fault> left = new ArrayList<>(failed.faults());
        int runs = 0;
        for (int size = Math.max(1, left.size() / 2); size >= 1; size /= 2) {
            for (int at = 0; at < left.size() && runs < RUNS_MAX; ) {
                List<Fault> fewer = new ArrayList<>(left);
                fewer.subList(at, Math.min(fewer.size(), at + size)).clear();
                SimResult result = run.with(fewer, folder.next()).run();
                runs++;
                SimViolation again = result.violation();
                if (again != null && again.invariant().equals(violation.invariant())) {
                    best = result;
                    left = fewer;
                } else {
                    at += size;
                }
            }
        }
        return best;
    }
}

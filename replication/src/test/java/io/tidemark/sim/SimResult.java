package io.tidemark.sim;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What came of a run.
 *
 * @param seed that it was drawn from
 * @param violation what was broken, null if nothing was
 * @param unavailable whether a partition could have no leader at the end, since nobody was left that surely has all
 * @param hash of everything that happened
 * @param steps that were made
 * @param acks that producers got
 * @param leaderChanges of all partitions
 * @param faultKinds that happened
 * @param virtualNs how long it was
 * @param sometimes rare states and how often
 * @param faults that were planned
 * @param table how things stood at the end
 * @param lastLines of the trace
 */
record SimResult(
        long seed,
        @Nullable SimViolation violation,
        boolean unavailable,
        long hash,
        long steps,
        int acks,
        int leaderChanges,
        Set<Fault.Kind> faultKinds,
        long virtualNs,
        Map<String, Integer> sometimes,
        List<Fault> faults,
        List<String> table,
        List<String> lastLines) {
    private static final int ACKS_MIN = 500;
    private static final int FAULT_KINDS_MIN = 3;

    /** Whether enough happened for the run to say something. */
    boolean counts() {
        return acks >= ACKS_MIN && faultKinds.size() >= FAULT_KINDS_MIN && leaderChanges > 0 && !unavailable;
    }
}

package io.tidemark.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The simulated cluster itself: it works without faults, and a seed is a run. */
class SimClusterTest {
    // 3 brokers and a client in one thread, no faults: everything is stored, read and the same everywhere.
    @Test
    void shouldCommitAndReadEverythingWithoutFaults() {
        try (SimFolder folder = new SimFolder()) {
            SimResult result = new SimRun(1, Knobs.plain(), List.of(), folder.next(), false).run();

            assertTrue(result.violation() == null, () -> "violation=" + result.violation());
            assertTrue(result.acks() >= 500, () -> "acks=" + result.acks());
            assertEquals(0, result.leaderChanges());
        }
    }

    // Two runs of one seed are one run; another seed is another.
    @Test
    void shouldGiveTheSameTraceForTheSameSeed() {
        try (SimFolder folder = new SimFolder()) {
            SimResult first = SimRun.of(7, folder.next(), false).run();
            SimResult second = SimRun.of(7, folder.next(), false).run();
            SimResult other = SimRun.of(8, folder.next(), false).run();

            assertEquals(first.hash(), second.hash());
            assertEquals(first.steps(), second.steps());
            assertNotEquals(first.hash(), other.hash());
        }
    }
}

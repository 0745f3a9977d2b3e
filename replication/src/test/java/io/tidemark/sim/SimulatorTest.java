package io.tidemark.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Seeds: the same ones each time, so that a change is judged by itself. Fresh ones: {@code ./tidemark simulate}. */
class SimulatorTest {
    /** How many seeds are run; more of them by the property {@code tidemark.sim.seeds}. */
    private static final int SEEDS = Integer.getInteger("tidemark.sim.seeds", 40);

    private static final long FIRST = Long.getLong("tidemark.sim.seed", 1000);

    // Whole brokers under faults: no invariant breaks, and after the faults the cluster comes to rest.
    @Test
    void shouldKeepEveryPromiseUnderFaults() {
        Simulate simulate = new Simulate();

        assertEquals(0, simulate.runAll(FIRST, SEEDS, false, true));
        assertTrue(simulate.counting() >= SEEDS * 3L / 4, () -> "counting=" + simulate.counting());
    }

    // Each seed here once broke something; what it was stands in the history of the commit that named it.
    // 1: a diverged log was thrown away; 2: ISR flapping after an idle time; 51: a lost registration could not be
    // repeated; 1004: a high watermark was never told. The others showed mistakes of the simulator itself.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 12, 51, 206, 1004})
    void shouldPassSeedsThatOnceFailed(long seed) {
        assertEquals(0, Simulate.run("--seed", Long.toString(seed)));
    }

    // The command refuses what it does not know.
    @Test
    void shouldExplainWrongArguments() {
        assertEquals(2, Simulate.run("--nonsense"));
        assertEquals(2, Simulate.run("--seed", "one"));
        assertTrue(Mutants.all().size() >= 29);
    }
}

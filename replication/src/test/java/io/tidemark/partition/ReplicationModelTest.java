package io.tidemark.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every order of events on three replicas, up to a number of steps: appends, fetches and their answers, elections, ISR
 * changes with their writes under way, processes that end and start, a machine that loses power. Each transition is
 * made by the production's classes (see {@link ModelWorld}). Epochs, maximal ISR, minISR, eligible leader replicas and
 * incarnations are in it; FSYNCED is not, since topics cannot have it yet.
 */
class ReplicationModelTest {
    private static final int STATES_MAX = 2_000_000;

    /** A search from one state. */
    private static final class Search {
        private final ModelWorld.Mistake mistake;
        private final int isr;
        private final int records;
        private final int minIsr;
        private final Set<Long> seen = new HashSet<>();
        private long transitions;

        private Search(ModelWorld.Mistake mistake, int isr, int records, int minIsr) {
            this.mistake = mistake;
            this.isr = isr;
            this.records = records;
            this.minIsr = minIsr;
        }

        private ModelWorld after(List<String> actions) {
            ModelWorld world = new ModelWorld(mistake, isr, records, minIsr);
            actions.forEach(world::act);
            return world;
        }

        /** Tries everything up to a depth; gives what was found broken with the way to it, or null. */
        private @Nullable String run(int depth) {
            List<List<String>> frontier = List.of(List.of());
            seen.add(after(List.of()).fingerprint());
            for (int step = 0; step < depth; step++) {
                List<List<String>> next = new ArrayList<>();
                for (List<String> way : frontier) {
                    for (String action : after(way).actions()) {
                        List<String> longer = new ArrayList<>(way);
                        longer.add(action);
                        transitions++;
                        try {
                            if (seen.add(after(longer).fingerprint())) {
                                next.add(longer);
                            }
                        } catch (ModelWorld.Broken broken) {
                            return broken.getMessage() + " after " + longer;
                        }
                        assertTrue(seen.size() < STATES_MAX, "too many states");
                    }
                }
                frontier = next;
            }
            return null;
        }
    }

    // isr: members at first, of which each has the records; less than minIsr: the others are eligible.
    @ParameterizedTest
    @CsvSource({"3,1,2,6", "2,1,2,6", "1,1,2,5", "2,1,1,6", "3,0,3,5"})
    void shouldKeepEveryInvariantInEveryOrderOfEvents(int isr, int records, int minIsr, int depth) {
        Search search = new Search(ModelWorld.Mistake.NONE, isr, records, minIsr);

        String broken = search.run(depth);

        System.out.println("ReplicationModelTest: isr=" + isr + ", records=" + records + ", minIsr=" + minIsr
                + ", steps=" + depth + ": states=" + search.seen.size() + ", transitions=" + search.transitions);
        assertEquals(null, broken);
        assertTrue(search.seen.size() > 1_000);
    }

    // The search can fail: each mistake of the carrier is found.
    @ParameterizedTest
    @EnumSource(value = ModelWorld.Mistake.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void shouldFindEachMistake(ModelWorld.Mistake mistake) {
        String broken = null;
        for (int isr = 3; isr >= 1 && broken == null; isr--) {
            broken = new Search(mistake, isr, 1, 2).run(6);
        }

        System.out.println("ReplicationModelTest: " + mistake + " breaks " + broken);
        assertNotNull(broken);
    }

    // The same way is the same state: what tells states apart is all that they hold, and nothing else.
    @Test
    void shouldGiveOneNumberToOneState() {
        Search search = new Search(ModelWorld.Mistake.NONE, 3, 1, 2);

        long first = search.after(List.of("append 0", "kill 1", "kill 2")).fingerprint();
        long other = search.after(List.of("kill 2", "kill 1", "append 0")).fingerprint();
        long less = search.after(List.of("append 0", "kill 1")).fingerprint();

        assertEquals(first, other);
        assertTrue(first != less);
    }
}

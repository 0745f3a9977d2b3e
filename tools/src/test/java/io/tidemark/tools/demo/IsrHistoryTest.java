package io.tidemark.tools.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.partition.Durability;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Shrinks and grows are counted by broker and incarnation. */
class IsrHistoryTest {
    private static final Replica B1 = new Replica(1, 5);
    private static final Replica B2 = new Replica(2, 6);
    private static final Replica B3 = new Replica(3, 7);
    private static final Replica B1_AGAIN = new Replica(1, 8);

    private final IsrHistory history = new IsrHistory();
    private final PartitionState first =
            PartitionState.initial(List.of(1, 2, 3), List.of(B1, B2, B3), 2, Durability.REPLICATED, 1);

    // Leader 1 dies, 2 leads, 1 comes back under a new incarnation.
    @Test
    void shouldCountAFailOver() {
        PartitionState shrunk = first.withLeader(B2, List.of(B2, B3), List.of());
        PartitionState grown = shrunk.withIsr(List.of(B2, B3, B1_AGAIN), List.of());
        history.onState(first, 10);
        history.onState(shrunk, 20);
        history.onState(grown, 30);

        assertEquals(1, history.shrinks());
        assertEquals(1, history.grows());
        assertEquals(OptionalLong.of(20), history.firstSeenAfterEpoch(0));
        assertEquals(OptionalLong.empty(), history.firstSeenAfterEpoch(1));
        assertEquals(grown, history.last());
    }

    // A broker that was back before anybody saw it gone is another member all the same.
    @Test
    void shouldCountAnExchangedIncarnationTwice() {
        history.onState(first, 10);
        history.onState(first.withLeader(B1_AGAIN, List.of(B1_AGAIN), List.of(B2)), 20);

        assertEquals(1, history.shrinks());
        assertEquals(1, history.grows());
    }

    // A watch shows a state again after a gap: it does not count again.
    @Test
    void shouldIgnoreWhatIsNotNewer() {
        PartitionState shrunk = first.withIsr(List.of(B1, B2), List.of());
        history.onState(first, 10);
        history.onState(shrunk, 20);
        history.onState(shrunk, 30);
        history.onState(first, 40);

        assertEquals(1, history.shrinks());
        assertEquals(0, history.grows());
        assertEquals(2, history.states().size());
        assertTrue(history.firstSeenAfterEpoch(0).isEmpty());
    }
}

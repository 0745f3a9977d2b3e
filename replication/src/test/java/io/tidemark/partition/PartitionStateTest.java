package io.tidemark.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class PartitionStateTest {
    private static final Replica A = new Replica(1, 10);
    private static final Replica B = new Replica(2, 20);
    private static final Replica C = new Replica(3, 30);
    private static final PartitionState STATE =
            PartitionState.initial(List.of(1, 2, 3), List.of(A, B, C), 2, Durability.REPLICATED, 7);

    // A new partition is led by the first live member of its assignment.
    @Test
    void shouldBeLedByFirstInSyncReplicaWhenCreated() {
        PartitionState state = PartitionState.initial(List.of(1, 2, 3), List.of(B, C), 2, Durability.REPLICATED, 7);

        assertEquals(B, state.leader());
        assertEquals(0, state.leaderEpoch());
        assertEquals(List.of(), state.elr());
    }

    // The minimum cannot exceed the number of replicas, or a topic with one replica could never commit.
    @Test
    void shouldLimitMinimumToAssignment() {
        PartitionState single = PartitionState.initial(List.of(1), List.of(A), 2, Durability.REPLICATED, 7);

        assertEquals(1, single.effectiveMinIsr());
        assertTrue(single.hasMinIsr());
        assertEquals(2, STATE.effectiveMinIsr());
    }

    // An entry counts for its incarnation only.
    @Test
    void shouldCountOnlyTheRecordedIncarnation() {
        assertTrue(STATE.isInIsr(2, 20));
        assertFalse(STATE.isInIsr(2, 21));
        assertFalse(STATE.isInIsr(4, -1));
        assertEquals(-1, STATE.isrIncarnation(4));
    }

    // Order of records: by leader epoch, then by partition epoch.
    @Test
    void shouldOrderRecordsByEpochs() {
        PartitionState shrunk = STATE.withIsr(List.of(A, B), List.of());
        PartitionState moved = STATE.withLeader(B, List.of(B, C), List.of());

        assertTrue(shrunk.isNewerThan(STATE));
        assertFalse(STATE.isNewerThan(STATE));
        assertTrue(moved.isNewerThan(shrunk));
        assertFalse(shrunk.isNewerThan(moved));
        assertEquals(9, STATE.withControllerEpoch(9).controllerEpoch());
    }

    @Test
    void shouldRefuseLeaderOutsideIsr() {
        assertRefused("the leader must be in the ISR", () -> STATE.withLeader(A, List.of(B, C), List.of()));
        // The right broker of a wrong incarnation is somebody else.
        assertRefused(
                "the leader must be in the ISR", () -> STATE.withLeader(new Replica(1, 11), List.of(A, B), List.of()));
    }

    @Test
    void shouldRefuseMembersThatHoldNoCopy() {
        assertRefused(
                "a member must hold the partition", () -> STATE.withIsr(List.of(A, B, new Replica(9, 1)), List.of()));
        assertRefused("a member must hold the partition", () -> STATE.withIsr(List.of(A), List.of(new Replica(9, 1))));
    }

    @Test
    void shouldAcceptMembersThatAreBeingAdded() {
        PartitionState growing = new PartitionState(
                List.of(1, 2),
                List.of(3),
                List.of(2),
                A,
                1,
                1,
                List.of(A, C),
                List.of(),
                2,
                Durability.REPLICATED,
                1,
                PartitionState.targetOf(List.of(1, 2), List.of(3), List.of(2)));

        assertTrue(growing.isReplica(3));
        assertEquals(2, growing.effectiveMinIsr());
    }

    @Test
    void shouldKeepElrOnlyBelowMinimum() {
        assertRefused("the ELR must be empty", () -> STATE.withIsr(List.of(A, B), List.of(C)));
        assertRefused("in both ISR and ELR", () -> STATE.withIsr(List.of(A), List.of(new Replica(1, 9))));
        assertEquals(List.of(B, C), STATE.withIsr(List.of(A), List.of(B, C)).elr());
    }

    @Test
    void shouldRefuseBrokersNamedTwice() {
        assertRefused("a broker is named twice", () -> STATE.withIsr(List.of(A, B, new Replica(2, 21)), List.of()));
        assertRefused(
                "a broker is named twice",
                () -> PartitionState.initial(List.of(1, 1), List.of(A), 1, Durability.REPLICATED, 0));
        assertRefused(
                "a new partition needs a live replica",
                () -> PartitionState.initial(List.of(1), List.of(), 1, Durability.REPLICATED, 0));
        assertRefused(
                "minIsr must be at least 1",
                () -> PartitionState.initial(List.of(1), List.of(A), 0, Durability.REPLICATED, 0));
    }

    @Test
    void shouldRefuseHalfAReplica() {
        assertThrows(IllegalArgumentException.class, () -> new Replica(-1, 3));
        assertThrows(IllegalArgumentException.class, () -> new Replica(3, -1));
        assertTrue(Replica.NONE.isNone());
        assertEquals("none", Replica.NONE.toString());
        assertEquals("1@10", A.toString());
    }

    private static void assertRefused(String part, org.junit.jupiter.api.function.Executable executable) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, executable);
        assertTrue(String.valueOf(e.getMessage()).contains(part), e.getMessage());
    }
}

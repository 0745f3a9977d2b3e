package io.tidemark.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is committed, which fetches count, and how proposals end. */
class PartitionLeaderTest {
    private static final long LAG = 10_000_000_000L;
    private static final long MS = 1_000_000L;
    private static final Replica A = new Replica(1, 10);
    private static final Replica B = new Replica(2, 20);
    private static final Replica C = new Replica(3, 30);
    private static final int EPOCH = 4;

    private final RecordedDecisions out = new RecordedDecisions();
    private final PartitionLeader leader = new PartitionLeader(new PartitionId(new UUID(1, 2), 0), A, LAG, out);

    private static PartitionState state(List<Replica> isr, List<Replica> elr) {
        return new PartitionState(
                List.of(1, 2, 3), List.of(), List.of(), A, EPOCH, 8, isr, elr, 2, Durability.REPLICATED, 1, List.of());
    }

    @BeforeEach
    void registerAll() {
        leader.onBrokers(List.of(A, B, C), 0);
    }

    // R=3, minIsr=2, all in sync: the slowest member decides.
    @Test
    void shouldCommitWhatAllMembersHave() {
        leader.begin(state(List.of(A, B, C), List.of()), 0, 0, 0, 0);
        leader.onLogEnd(10, 0, 0);
        fetch(B, 10, 1);
        assertEquals(0, leader.highWatermark());

        fetch(C, 7, 2);

        assertEquals(7, leader.highWatermark());
        fetch(C, 10, 3);
        assertEquals(List.of(7L, 10L), out.highWatermarks);
    }

    // A single replica commits by itself, at once.
    @Test
    void shouldCommitAloneWhenAloneAssigned() {
        PartitionState single = PartitionState.initial(List.of(1), List.of(A), 2, Durability.REPLICATED, 1);
        leader.begin(single, 0, 5, 2, 0);
        assertEquals(5, leader.highWatermark());

        leader.onLogEnd(6, 0, 1);

        assertEquals(List.of(5L, 6L), out.highWatermarks);
        assertTrue(leader.acceptsAcksAll());
    }

    // RP-10: R=3, minIsr=2, ISR shrunk to the leader: nothing is committed, acks ALL are refused.
    @Test
    void shouldStandStillBelowMinimum() {
        leader.begin(state(List.of(A), List.of(B, C)), 0, 5, 3, 0);
        leader.onLogEnd(9, 0, 1);
        fetch(C, 2, 2);

        assertEquals(3, leader.highWatermark());
        assertFalse(leader.acceptsAcksAll());
        assertTrue(out.highWatermarks.isEmpty());
    }

    // RP-10: growth to the minimum empties the ELR, and only the stored record lets the watermark move.
    @Test
    void shouldMoveOnlyWhenGrowthToMinimumIsStored() {
        leader.begin(state(List.of(A), List.of(B, C)), 0, 5, 3, 0);
        fetch(B, 5, 1);
        assertEquals(List.of(A, B), out.last().isr());
        assertEquals(List.of(), out.last().elr());
        assertEquals(3, leader.highWatermark());

        leader.onStateCommitted(out.last(), 2);

        assertEquals(5, leader.highWatermark());
        assertTrue(leader.acceptsAcksAll());
    }

    // RP-10: members that leave below the minimum stay eligible, in the same write.
    @Test
    void shouldMoveMembersToElrWhenIsrFallsBelowMinimum() {
        leader.begin(state(List.of(A, B), List.of()), 0, 5, 3, 0);

        leader.onPeerDead(2, 20, 1);

        assertEquals(List.of(A), out.last().isr());
        assertEquals(List.of(B), out.last().elr());
        leader.onStateCommitted(out.last(), 2);
        assertFalse(leader.acceptsAcksAll());
    }

    // RP-14: a new leader knows less than what clients have seen; they are told nothing until it has caught up.
    @Test
    void shouldShowNoEndOffsetBelowEpochStart() {
        leader.begin(state(List.of(A, B), List.of()), 0, 100, 90, 0);
        assertEquals(PartitionLeader.NO_OFFSET, leader.endOffsetForClients());
        fetch(B, 95, 1);
        assertEquals(95, leader.highWatermark());
        assertEquals(PartitionLeader.NO_OFFSET, leader.endOffsetForClients());

        fetch(B, 100, 2);

        assertEquals(100, leader.endOffsetForClients());
        assertEquals(100, leader.epochStartOffset());
    }

    // RP-15: a watermark from a checkpoint is a hint; whatever it says, it ends within the log.
    @Test
    void shouldClampLocalWatermarkToLog() {
        for (long hint : new long[] {1_000_000_000L, -5, 100, Long.MIN_VALUE, Long.MAX_VALUE}) {
            PartitionLeader fresh = new PartitionLeader(new PartitionId(new UUID(1, 2), 0), A, LAG, out);
            fresh.begin(state(List.of(A, B), List.of()), 200, 300, hint, 0);
            assertTrue(fresh.highWatermark() >= 200 && fresh.highWatermark() <= 300, "hint=" + hint);
        }
    }

    // RP-08: the watermark follows a log start that moves.
    @Test
    void shouldRaiseWatermarkToLogStart() {
        leader.begin(state(List.of(A, B), List.of()), 0, 100, 20, 0);

        leader.onLogEnd(100, 50, 1);

        assertEquals(50, leader.highWatermark());
    }

    // Fencing: other epochs, older incarnations and strangers change nothing.
    @Test
    void shouldCountOnlyFetchesOfThisEpochAndIncarnation() {
        leader.begin(state(List.of(A, B), List.of()), 0, 10, 0, 0);

        assertEquals(FetchCheck.STALE_EPOCH, leader.onFollowerFetch(2, 20, EPOCH - 1, 10, 1));
        assertEquals(FetchCheck.UNKNOWN_EPOCH, leader.onFollowerFetch(2, 20, EPOCH + 1, 10, 1));
        assertEquals(FetchCheck.STALE_EPOCH, leader.onFollowerFetch(2, 19, EPOCH, 10, 1));
        assertEquals(FetchCheck.NOT_REPLICA, leader.onFollowerFetch(9, 1, EPOCH, 10, 1));
        assertEquals(FetchCheck.NOT_REPLICA, leader.onFollowerFetch(1, 10, EPOCH, 10, 1));
        assertEquals(FetchCheck.BEYOND_LOG_END, leader.onFollowerFetch(2, 20, EPOCH, 11, 1));
        assertEquals(0, leader.highWatermark());
        assertTrue(out.proposals.isEmpty());

        assertEquals(FetchCheck.OK, leader.onFollowerFetch(2, 20, EPOCH, 10, 1));
        assertEquals(10, leader.highWatermark());
    }

    // A restarted member commits nothing: its entry is void, and its newer incarnation proves the old one dead.
    @Test
    void shouldNotCountANewerIncarnationAsTheRecordedMember() {
        leader.begin(state(List.of(A, B, C), List.of()), 0, 10, 0, 0);
        fetch(C, 10, 1);

        assertEquals(FetchCheck.OK, leader.onFollowerFetch(2, 21, EPOCH, 10, 2));

        assertEquals(0, leader.highWatermark());
        assertEquals(List.of(A, C), out.last().isr());
        leader.onStateCommitted(out.last(), 3);
        assertEquals(10, leader.highWatermark());
        assertEquals(FetchCheck.STALE_EPOCH, leader.onFollowerFetch(2, 20, EPOCH, 10, 4));
    }

    // CP-12: while a shrink is in doubt both sets must have a record.
    @Test
    void shouldCountUnionWhileShrinkIsInDoubt() {
        leader.begin(state(List.of(A, B, C), List.of()), 0, 10, 0, 0);
        fetch(B, 10, 1);
        leader.onPeerDead(3, 30, 2);
        assertEquals(List.of(A, B), out.last().isr());
        assertEquals(0, leader.highWatermark());

        leader.onStateCommitted(out.last(), 3);

        assertEquals(10, leader.highWatermark());
    }

    // CP-12: while a growth is in doubt the joiner is counted already.
    @Test
    void shouldCountJoinerWhileGrowthIsInDoubt() {
        leader.begin(state(List.of(A, B), List.of()), 0, 10, 0, 0);
        fetch(C, 10, 1);
        assertEquals(List.of(A, B, C), out.last().isr());
        leader.onLogEnd(20, 0, 2);

        fetch(B, 20, 3);
        assertEquals(10, leader.highWatermark());

        fetch(C, 20, 4);
        assertEquals(20, leader.highWatermark());
    }

    // CP-12: request or answer lost: no second proposal, the union stays, until the record says how it ended.
    @Test
    void shouldKeepOneProposalInDoubtUntilRecordMoves() {
        leader.begin(state(List.of(A, B, C), List.of()), 0, 10, 0, 0);
        leader.onPeerDead(3, 30, 1);
        leader.onPeerDead(2, 20, 2);
        leader.tick(100 * LAG);
        assertEquals(1, out.proposals.size());
        assertTrue(leader.isProposalInDoubt());

        leader.onStateCommitted(out.last(), 100 * LAG);

        assertEquals(2, out.proposals.size());
        assertEquals(List.of(A), out.last().isr());
        assertEquals(List.of(B), out.last().elr());
    }

    // CP-12: the same answer twice, and the record that is already stored, change nothing.
    @Test
    void shouldIgnoreRepeatedAnswers() {
        leader.begin(state(List.of(A, B, C), List.of()), 0, 10, 0, 0);
        leader.onPeerDead(3, 30, 1);
        PartitionState landed = out.last();
        leader.onStateCommitted(landed, 2);
        leader.onStateCommitted(landed, 3);
        leader.onIsrProposalFailed(landed, 4);
        leader.onStateCommitted(state(List.of(A, B, C), List.of()), 5);

        assertEquals(landed, leader.state());
        assertFalse(leader.isProposalInDoubt());
        assertEquals(1, out.proposals.size());
        fetch(C, 10, 6);
        assertEquals(2, out.proposals.size());
    }

    // CP-12: another write won: its record ends the doubt, ours can never land.
    @Test
    void shouldTakeTheRecordThatWon() {
        leader.begin(state(List.of(A, B), List.of()), 0, 10, 0, 0);
        fetch(C, 10, 1);
        PartitionState lost = out.last();
        PartitionState won = state(List.of(A, B), List.of())
                .withIsr(List.of(A, B), List.of())
                .withControllerEpoch(2);

        leader.onStateCommitted(won, 2);

        assertEquals(won, leader.state());
        assertEquals(won.partitionEpoch() + 1, out.last().partitionEpoch());
        // The late conflict of the first proposal does not end the doubt about the second.
        leader.onIsrProposalFailed(lost, 3);
        assertTrue(leader.isProposalInDoubt());
    }

    // A refused proposal with an unchanged record is repeated, but not at once.
    @Test
    void shouldRepeatRefusedProposalAfterAPause() {
        leader.begin(state(List.of(A, B), List.of()), 0, 10, 0, 0);
        fetch(C, 10, MS);
        leader.onIsrProposalFailed(out.last(), 2 * MS);
        assertFalse(leader.isProposalInDoubt());
        leader.tick(50 * MS);
        assertEquals(1, out.proposals.size());

        leader.tick(2 * MS + IsrTracker.RETRY_PAUSE_NS);

        assertEquals(2, out.proposals.size());
        assertEquals(out.proposals.get(0), out.proposals.get(1));
    }

    // The append stage was ahead when the epoch began: its events tell of ends that are known already.
    @Test
    void shouldIgnoreOldNewsOfTheLogEnd() {
        leader.begin(state(List.of(A, B), List.of()), 0, 20, 0, 0);
        leader.onLogEnd(15, 0, 1);

        fetch(B, 20, 2);

        assertEquals(20, leader.highWatermark());
    }

    @Test
    void shouldEnterEachEpochOnce() {
        leader.begin(state(List.of(A, B), List.of()), 0, 10, 0, 0);
        PartitionState same = state(List.of(A, B), List.of());
        assertThrows(IllegalStateException.class, () -> leader.begin(same, 0, 10, 0, 1));
        PartitionState other = same.withLeader(B, List.of(A, B), List.of());
        assertThrows(IllegalArgumentException.class, () -> leader.begin(other, 0, 10, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> leader.onStateCommitted(other, 1));
        assertThrows(IllegalArgumentException.class, () -> leader.onLogEnd(10, 11, 1));

        PartitionState again = other.withLeader(A, List.of(A, B), List.of());
        leader.begin(again, 0, 12, leader.highWatermark(), 2);

        assertEquals(12, leader.epochStartOffset());
        assertEquals(FetchCheck.STALE_EPOCH, leader.onFollowerFetch(2, 20, EPOCH, 10, 3));
    }

    @Test
    void shouldRefuseUseBeforeTheFirstEpoch() {
        assertThrows(IllegalStateException.class, () -> leader.tick(0));
        assertThrows(
                IllegalArgumentException.class,
                () -> new PartitionLeader(new PartitionId(new UUID(1, 2), 0), A, 0, out));
    }

    // The fetch path must not feed the garbage collector.
    @Test
    void shouldNotAllocateForAppendsAndFetches() {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long[] highWatermark = new long[1];
        PartitionLeader steady = new PartitionLeader(new PartitionId(new UUID(1, 2), 0), A, LAG, new LeaderDecisions() {
            @Override
            public void proposeIsr(PartitionState proposed) {
                throw new AssertionError("no change is wanted: " + proposed);
            }

            @Override
            public void highWatermarkAdvanced(long offset) {
                highWatermark[0] = offset;
            }
        });
        steady.onBrokers(List.of(A, B, C), 0);
        steady.begin(state(List.of(A, B, C), List.of()), 0, 0, 0, 0);
        appendAndFetch(steady, 0, 20_000);
        long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());

        appendAndFetch(steady, 20_000, 120_000);

        long allocated = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
        assertEquals(120_000, highWatermark[0]);
        assertTrue(allocated < 100_000, "allocated bytes=" + allocated + " for 100000 records");
    }

    private static void appendAndFetch(PartitionLeader leader, long from, long to) {
        for (long offset = from + 1; offset <= to; offset++) {
            leader.onLogEnd(offset, 0, offset);
            leader.onFollowerFetch(2, 20, EPOCH, offset, offset);
            leader.onFollowerFetch(3, 30, EPOCH, offset, offset);
            leader.tick(offset);
        }
    }

    private void fetch(Replica replica, long offset, long nowNs) {
        assertEquals(
                FetchCheck.OK, leader.onFollowerFetch(replica.broker(), replica.incarnation(), EPOCH, offset, nowNs));
    }
}

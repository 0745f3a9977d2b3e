package io.tidemark.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Who joins the ISR and who leaves it. */
class IsrMembershipTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long LAG = 10 * SECOND;
    private static final Replica A = new Replica(1, 10);
    private static final Replica B = new Replica(2, 20);
    private static final Replica C = new Replica(3, 30);
    private static final int EPOCH = 2;

    private final RecordedDecisions out = new RecordedDecisions();
    private final PartitionLeader leader = new PartitionLeader(new PartitionId(new UUID(1, 2), 0), B, LAG, out);

    private void begin(List<Replica> isr, List<Replica> elr, long logEndOffset, long highWatermark) {
        leader.onBrokers(List.of(A, B, C), 0);
        leader.begin(
                new PartitionState(
                        List.of(1, 2, 3),
                        List.of(),
                        List.of(),
                        B,
                        EPOCH,
                        5,
                        isr,
                        elr,
                        2,
                        Durability.REPLICATED,
                        1,
                        List.of()),
                0,
                logEndOffset,
                highWatermark,
                0);
    }

    // RP-03: A led; B leads now with a stale watermark of 5 and a log to 10; C has only 6.
    @Test
    void shouldLetJoinOnlyAtEpochStart() {
        begin(List.of(B), List.of(A), 10, 5);

        fetch(C, 6, 1);
        fetch(C, 9, 2);
        assertTrue(out.proposals.isEmpty());

        fetch(C, 10, 3);
        assertEquals(List.of(B, C), out.last().isr());
    }

    // Condition 2 of joining: also the watermark, when that is beyond the epoch's start.
    @Test
    void shouldLetJoinOnlyAtHighWatermark() {
        begin(List.of(B, A), List.of(), 10, 10);
        leader.onLogEnd(20, 0, 1);
        fetch(A, 20, 2);
        assertEquals(20, leader.highWatermark());

        fetch(C, 15, 3);
        assertTrue(out.proposals.isEmpty());

        fetch(C, 20, 4);
        assertEquals(List.of(B, A, C), out.last().isr());
    }

    // Condition 3: registered as live and running under the incarnation that fetches (RP-11, RP-12).
    @Test
    void shouldLetJoinOnlyTheRegisteredIncarnation() {
        begin(List.of(B, A), List.of(), 10, 10);
        leader.onBrokers(List.of(A, B), 1);
        fetch(C, 10, 2);
        assertTrue(out.proposals.isEmpty());

        leader.onBrokers(List.of(A, B, new Replica(3, 31)), 3);
        assertEquals(FetchCheck.STALE_EPOCH, leader.onFollowerFetch(3, 30, EPOCH, 10, 4));
        assertTrue(out.proposals.isEmpty());

        assertEquals(FetchCheck.OK, leader.onFollowerFetch(3, 31, EPOCH, 10, 5));
        assertEquals(List.of(B, A, new Replica(3, 31)), out.last().isr());
    }

    // Condition 3, the other way round: the fetch comes before the news of the registration.
    @Test
    void shouldLetJoinWhenRegistrationBecomesKnown() {
        begin(List.of(B, A), List.of(), 10, 10);
        assertEquals(FetchCheck.OK, leader.onFollowerFetch(3, 31, EPOCH, 10, 1));
        assertTrue(out.proposals.isEmpty());

        leader.onBrokers(List.of(A, B, new Replica(3, 31)), 2);

        assertEquals(List.of(B, A, new Replica(3, 31)), out.last().isr());
    }

    // RP-11: the joiner crashes and loses everything while its growth is in doubt.
    @Test
    void shouldDropJoinerThatRestartedWhileGrowthWasInDoubt() {
        begin(List.of(B, A), List.of(), 10, 10);
        fetch(C, 10, 1);
        PartitionState growth = out.last();
        leader.onBrokers(List.of(A, B, new Replica(3, 31)), 2);
        leader.onFollowerFetch(3, 31, EPOCH, 0, 3);
        leader.onLogEnd(12, 0, 4);
        fetch(A, 12, 5);
        assertEquals(10, leader.highWatermark());

        leader.onStateCommitted(growth, 6);

        assertEquals(List.of(B, A), out.last().isr());
        leader.onStateCommitted(out.last(), 7);
        assertEquals(12, leader.highWatermark());
    }

    // RP-17, simulator seed 2: the partition was idle for longer than the lag time; then a record comes, and the leader
    // looks for laggards before the follower could fetch it.
    @Test
    void shouldKeepAFollowerThatHadEverythingBeforeTheLogGrew() {
        begin(List.of(B, A), List.of(), 10, 10);
        fetch(A, 10, 1);

        leader.onLogEnd(11, 0, 3 * LAG);
        leader.tick(3 * LAG + 1);
        assertTrue(out.proposals.isEmpty());

        leader.tick(4 * LAG + 2);
        assertEquals(List.of(B), out.last().isr());
    }

    // Simulator seed 2: a follower whose log failed fetches no more. The watermark stands still below minISR, so that
    // its old fetch is good enough for ever, unless it must fetch again.
    @Test
    void shouldNotLetASilentFollowerComeBackByWhatItFetchedBeforeItLeft() {
        begin(List.of(B, A), List.of(), 10, 10);
        fetch(A, 10, 1);
        leader.onLogEnd(11, 0, 2);
        leader.tick(2 + LAG + 1);
        PartitionState shrunk = out.last();
        assertEquals(List.of(B), shrunk.isr());
        assertEquals(List.of(A), shrunk.elr());

        leader.onStateCommitted(shrunk, 2 * LAG);
        leader.tick(3 * LAG);
        assertEquals(shrunk, out.last());

        fetch(A, 10, 3 * LAG + 1);
        assertEquals(List.of(B, A), out.last().isr());
    }

    // Condition 1: a fetch of an earlier epoch says nothing about this one.
    @Test
    void shouldLetJoinOnlyByAFetchInThisEpoch() {
        begin(List.of(B, A), List.of(), 10, 10);
        fetch(C, 9, 1);
        PartitionState next = leader.state().withLeader(B, List.of(B, A), List.of());

        leader.begin(next, 0, 10, 10, 2);

        leader.tick(3);
        assertTrue(out.proposals.isEmpty());
        leader.onFollowerFetch(3, 30, EPOCH + 1, 10, 4);
        assertEquals(1, out.proposals.size());
    }

    // Two joiners: one proposal after the other.
    @Test
    void shouldAddOneMemberPerProposal() {
        begin(List.of(B), List.of(A, C), 10, 5);
        fetch(A, 10, 1);
        fetch(C, 10, 2);
        assertEquals(1, out.proposals.size());
        assertEquals(List.of(B, A), out.last().isr());

        leader.onStateCommitted(out.last(), 3);

        assertEquals(List.of(B, A, C), out.last().isr());
    }

    // A member that has not caught up for the lag time leaves; its last fetch alone does not keep it.
    @Test
    void shouldDropMemberThatLagsForTheWholeTime() {
        begin(List.of(B, A, C), List.of(), 0, 0);
        leader.onLogEnd(100, 0, 0);
        for (int second = 1; second <= 10; second++) {
            leader.onLogEnd(100 + second * 100L, 0, second * SECOND);
            fetch(A, 100 + second * 100L, second * SECOND);
            fetch(C, second, second * SECOND);
            leader.tick(second * SECOND);
        }
        assertTrue(out.proposals.isEmpty());

        leader.tick(10 * SECOND + 1);

        assertEquals(List.of(B, A), out.last().isr());
    }

    // A member that stops fetching while records arrive leaves after the lag time.
    @Test
    void shouldDropSilentMember() {
        begin(List.of(B, A, C), List.of(), 0, 0);
        fetch(A, 0, SECOND);
        fetch(C, 0, SECOND);
        leader.onLogEnd(1, 0, SECOND);
        fetch(A, 1, 2 * SECOND);
        leader.tick(11 * SECOND);
        assertTrue(out.proposals.isEmpty());

        leader.tick(11 * SECOND + 1);

        assertEquals(List.of(B, A), out.last().isr());
    }

    // RP-17 a: idle for ten lag times, followers have everything and even fetch nothing.
    @Test
    void shouldNotFlapWhenIdle() {
        begin(List.of(B, A, C), List.of(), 50, 50);
        fetch(A, 50, 1);
        fetch(C, 50, 1);

        for (int i = 1; i <= 400; i++) {
            leader.tick(i * LAG / 40);
        }

        assertTrue(out.proposals.isEmpty());
    }

    // RP-17 b: one batch of 50 000 records, taken in by a follower in pieces over less than the lag time.
    @Test
    void shouldNotFlapUnderABurst() {
        begin(List.of(B, A, C), List.of(), 0, 0);
        fetch(A, 0, 9 * SECOND);
        fetch(C, 0, 9 * SECOND);
        leader.onLogEnd(50_000, 0, 9 * SECOND);
        for (int i = 1; i <= 9; i++) {
            fetch(A, i * 5_000L, (9 + i) * SECOND);
            fetch(C, i * 5_000L, (9 + i) * SECOND);
            leader.tick((9 + i) * SECOND);
        }
        fetch(A, 50_000, 19 * SECOND);
        fetch(C, 50_000, 19 * SECOND);
        leader.tick(19 * SECOND);

        assertTrue(out.proposals.isEmpty());
        assertEquals(50_000, leader.highWatermark());
    }

    // RP-17 c: right after an election nobody has fetched yet, and records are written at once.
    @Test
    void shouldNotJudgeFollowersBeforeTheirFirstFetch() {
        leader.onBrokers(List.of(A, B, C), 0);
        long elected = 1_000 * SECOND;
        leader.begin(
                new PartitionState(
                        List.of(1, 2, 3),
                        List.of(),
                        List.of(),
                        B,
                        EPOCH,
                        5,
                        List.of(B, A, C),
                        List.of(),
                        2,
                        Durability.REPLICATED,
                        1,
                        List.of()),
                0,
                10,
                10,
                elected);
        leader.onLogEnd(11, 0, elected + 1);
        leader.tick(elected + 9 * SECOND);
        fetch(A, 11, elected + 9 * SECOND);
        fetch(C, 11, elected + 9 * SECOND);

        leader.tick(elected + 18 * SECOND);

        assertTrue(out.proposals.isEmpty());
    }

    // RP-17 d: a follower that comes only every 0.9 lag times, but then takes everything.
    @Test
    void shouldNotFlapWhenFollowerIsSlowButComplete() {
        begin(List.of(B, A, C), List.of(), 0, 0);
        long logEnd = 0;
        for (int i = 1; i <= 50; i++) {
            long now = 9 * SECOND * i;
            leader.tick(now - 1);
            fetch(A, logEnd, now);
            fetch(C, logEnd, now);
            logEnd += 7;
            leader.onLogEnd(logEnd, 0, now + SECOND);
        }

        assertTrue(out.proposals.isEmpty());
    }

    // A writer that is never idle: a follower always one fetch behind its end keeps pace all the same.
    @Test
    void shouldKeepFollowerThatIsAlwaysOneFetchBehind() {
        begin(List.of(B, A, C), List.of(), 0, 0);
        long before = 0;
        for (int i = 1; i <= 60; i++) {
            long now = i * SECOND;
            leader.onLogEnd(i * 1_000L, 0, now);
            fetch(A, before, now);
            fetch(C, before, now);
            before = i * 1_000L;
            leader.tick(now);
        }

        assertTrue(out.proposals.isEmpty());
    }

    // A new member that joined at the watermark gets the whole lag time before it is judged.
    @Test
    void shouldNotDropMemberRightAfterItJoined() {
        begin(List.of(B, A), List.of(), 10, 10);
        fetch(A, 10, 100 * SECOND);
        leader.onLogEnd(1_000, 0, 100 * SECOND);
        fetch(C, 10, 100 * SECOND);
        assertEquals(List.of(B, A, C), out.last().isr());
        fetch(A, 1_000, 101 * SECOND);

        leader.onStateCommitted(out.last(), 101 * SECOND);
        leader.tick(111 * SECOND);
        assertEquals(1, out.proposals.size());

        leader.tick(111 * SECOND + 1);
        assertEquals(List.of(B, A), out.last().isr());
    }

    // A registration that vanishes ends an incarnation for good: out at once, though it has everything.
    @Test
    void shouldDropMemberWhoseRegistrationVanished() {
        begin(List.of(B, A, C), List.of(), 10, 10);
        fetch(C, 10, 1);

        leader.onBrokers(List.of(A, B), 2);

        assertEquals(List.of(B, A), out.last().isr());
        leader.onStateCommitted(out.last(), 3);
        fetch(C, 10, 4);
        assertEquals(1, out.proposals.size());
    }

    // A member that was never seen registered may be new to the list: it is given the lag time, not for ever.
    @Test
    void shouldDropUnregisteredIdleMemberAfterLagTime() {
        leader.onBrokers(List.of(A, B), 0);
        leader.begin(
                new PartitionState(
                        List.of(1, 2, 3),
                        List.of(),
                        List.of(),
                        B,
                        EPOCH,
                        5,
                        List.of(B, A, C),
                        List.of(),
                        2,
                        Durability.REPLICATED,
                        1,
                        List.of()),
                0,
                0,
                0,
                0);
        fetch(A, 0, 1);
        fetch(C, 0, 1);
        leader.tick(LAG);
        assertTrue(out.proposals.isEmpty());

        leader.tick(LAG + 2);

        assertEquals(List.of(B, A), out.last().isr());
    }

    // Evidence of death drops a member at once; a fetch of the same process refutes it, and it may come back.
    @Test
    void shouldLetTheLivingRefuteTheirDeath() {
        begin(List.of(B, A, C), List.of(), 10, 10);
        leader.onPeerDead(3, 30, 1);
        assertEquals(List.of(B, A), out.last().isr());
        leader.onStateCommitted(out.last(), 2);
        assertFalse(leader.isProposalInDoubt());

        fetch(C, 10, 3);

        assertEquals(List.of(B, A, C), out.last().isr());
        leader.onPeerDead(9, 1, 4);
        assertEquals(2, out.proposals.size());
    }

    // RP-04: elections without records: the epoch's start is the log end, and joiners need it.
    @Test
    void shouldStartEpochWithoutRecords() {
        begin(List.of(B, A), List.of(), 10, 8);
        PartitionState next = leader.state().withLeader(B, List.of(B, A), List.of());

        leader.begin(next, 0, 10, 8, 1);

        assertEquals(10, leader.epochStartOffset());
        leader.onFollowerFetch(3, 30, EPOCH + 1, 8, 2);
        assertTrue(out.proposals.isEmpty());
        leader.onFollowerFetch(3, 30, EPOCH + 1, 10, 3);
        assertEquals(1, out.proposals.size());
    }

    private void fetch(Replica replica, long offset, long nowNs) {
        assertEquals(
                FetchCheck.OK, leader.onFollowerFetch(replica.broker(), replica.incarnation(), EPOCH, offset, nowNs));
    }
}

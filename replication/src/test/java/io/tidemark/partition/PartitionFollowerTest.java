package io.tidemark.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Where a follower cuts its log, and how far its high watermark goes. */
class PartitionFollowerTest {
    private static final Replica LEADER = new Replica(1, 10);

    private final PartitionFollower follower = new PartitionFollower(new PartitionId(new UUID(1, 2), 0));

    private static PartitionState state(int leaderEpoch) {
        return new PartitionState(
                List.of(1, 2),
                List.of(),
                List.of(),
                LEADER,
                leaderEpoch,
                leaderEpoch,
                List.of(LEADER),
                List.of(),
                1,
                Durability.REPLICATED,
                1,
                List.of());
    }

    // RP-02: leader {1:0, 2:10, 5:12}, follower {1:0, 3:8, 4:11}.
    @Test
    void shouldAgreeWithLeaderWhenEachHasEpochsTheOtherLacks() {
        MemoryLog leader = log(new int[] {1, 10}, new int[] {2, 2}, new int[] {5, 3});
        MemoryLog own = log(new int[] {1, 8}, new int[] {3, 3}, new int[] {4, 2});

        int rounds = reconcile(leader, own, 6);

        assertEquals(8, own.end());
        assertTrue(rounds <= 3, "rounds=" + rounds);
    }

    // RP-02: what 500 random histories of elections, lost tails and half-copied logs leave behind.
    @Test
    void shouldBecomePrefixOfLeaderForRandomHistories() {
        int[] cut = new int[1];
        Seeds.forEach("PartitionFollowerTest", 500, random -> {
            History history = new History(random);
            history.run();
            MemoryLog leader = history.logs[0];
            MemoryLog own = history.logs[1];
            long common = commonPrefix(leader, own);
            long before = own.end();

            int rounds = reconcile(leader, own, history.epoch + 1);

            assertEquals(common, own.end(), "a follower keeps exactly what it shares with its leader");
            assertTrue(rounds <= history.epoch + 1, "rounds=" + rounds + ", epochs=" + history.epoch);
            cut[0] += before > own.end() ? 1 : 0;
        });
        assertTrue(cut[0] > 100 || Long.getLong("tidemark.seed") != null, "histories with a tail to cut: " + cut[0]);
    }

    // RP-04: epochs without records: C holds records of epoch 1 that its leader of epoch 3 never had.
    @Test
    void shouldCutTailOfEpochThatEndedEarlierAtLeader() {
        MemoryLog leader = log(new int[] {1, 5});
        leader.startEpoch(2);
        leader.startEpoch(3);
        MemoryLog own = log(new int[] {1, 9});
        assertTrue(leader.diverges(1, 9));

        reconcile(leader, own, 3);

        assertEquals(5, own.end());
        assertEquals(new EpochEnd(EpochHistory.NO_EPOCH, 0), leader.endOffsetForEpoch(0));
    }

    // RP-06: the leader is the same as before, but an epoch was missed: the old tail goes nevertheless.
    @Test
    void shouldCutTailWhenSameLeaderReturnsInANewEpoch() {
        MemoryLog leader = log(new int[] {1, 4}, new int[] {2, 3});
        leader.startEpoch(3);
        MemoryLog own = log(new int[] {1, 6});
        follower.begin(state(1), 0, 6, 4);
        follower.begin(state(3), 0, 6, 4);

        assertTrue(leader.diverges(own.lastBatchEpoch(), own.end()));
        EpochEnd answer = leader.endOffsetForEpoch(own.lastBatchEpoch());
        assertEquals(4, follower.truncationFor(answer.epoch(), answer.endOffset(), own));
        assertThrows(IllegalStateException.class, () -> follower.begin(state(3), 0, 6, 4));
    }

    // RP-04: B led epoch 2 for a moment and wrote nothing; A leads epoch 3 with records of epoch 1 that B never had.
    @Test
    void shouldTakeOlderEpochAfterAnEpochWithoutRecords() {
        MemoryLog leader = log(new int[] {1, 9});
        leader.startEpoch(3);
        MemoryLog own = log(new int[] {1, 5});
        own.startEpoch(2);

        assertEquals(0, reconcile(leader, own, 3));
        own.append(leader.at(5));

        assertEquals(new EpochEnd(1, 6), own.endOffsetForEpoch(2));
        assertEquals(new EpochEnd(1, 9), leader.endOffsetForEpoch(2));
    }

    // RP-07: old leader with an uncommitted tail 10..14; the first answer carries a divergence and watermark 13.
    @Test
    void shouldIgnoreWatermarkThatComesWithADivergence() {
        MemoryLog leader = log(new int[] {1, 10}, new int[] {2, 3});
        MemoryLog own = log(new int[] {1, 15});
        follower.begin(state(2), 0, 15, 10);

        EpochEnd answer = leader.endOffsetForEpoch(own.lastBatchEpoch());
        long cut = follower.truncationFor(answer.epoch(), answer.endOffset(), own);
        assertEquals(10, cut);
        assertEquals(10, follower.highWatermark());
        own.truncateTo(cut);
        follower.onTruncated(0, cut);

        // Only after the records of the new epoch are here does the leader's watermark count.
        assertEquals(10, follower.onLeaderHighWatermark(13, 0));
        follower.onAppended(13);
        assertEquals(13, follower.onLeaderHighWatermark(13, 0));
    }

    // RP-08: the leader keeps 1000..2000, the follower has 0..400: it starts again at 1000 with a watermark of 1000.
    @Test
    void shouldRaiseWatermarkWhenLogStartsAnew() {
        follower.begin(state(2), 0, 400, 300);

        follower.onTruncated(1_000, 1_000);

        assertEquals(1_000, follower.highWatermark());
        follower.onAppended(1_200);
        assertEquals(1_100, follower.onLeaderHighWatermark(500, 1_100));
    }

    // RP-15: whatever the checkpoint says.
    @Test
    void shouldClampWatermarkToLog() {
        int epoch = 1;
        for (long hint : new long[] {1_000_000_000L, -5, 100, Long.MIN_VALUE, Long.MAX_VALUE}) {
            follower.begin(state(epoch++), 200, 300, hint);
            assertTrue(follower.highWatermark() >= 200 && follower.highWatermark() <= 300, "hint=" + hint);
        }
        assertEquals(300, follower.onLeaderHighWatermark(Long.MAX_VALUE, 200));
        assertEquals(300, follower.onLeaderHighWatermark(-1, 200));
    }

    // A stale leader's lower watermark takes nothing back: what was known to be committed stays committed.
    @Test
    void shouldNotLowerWatermark() {
        follower.begin(state(2), 0, 100, 80);

        assertEquals(80, follower.onLeaderHighWatermark(60, 0));
    }

    // RP-15: an answer that would cut everything away needs an epoch that really is not there.
    @Test
    void shouldNotCutBelowLogStartNorGrowTheLog() {
        MemoryLog own = log(new int[] {4, 10});
        own.deleteBefore(3);
        follower.begin(state(6), 3, 10, 3);

        assertEquals(3, follower.truncationFor(EpochHistory.NO_EPOCH, 0, own));
        assertEquals(10, follower.truncationFor(4, 500, own));
    }

    // RP-19: an answer to a question of another epoch is dropped.
    @Test
    void shouldAcceptAnswersOfItsEpochOnly() {
        assertFalse(follower.accepts(0));
        follower.begin(state(5), 0, 0, 0);

        assertTrue(follower.accepts(5));
        assertFalse(follower.accepts(4));
        assertFalse(follower.accepts(6));
        assertEquals(5, follower.leaderEpoch());
    }

    @Test
    void shouldRefuseOffsetsOutOfOrder() {
        assertThrows(IllegalArgumentException.class, () -> follower.begin(state(1), 5, 4, 0));
        follower.begin(state(1), 0, 4, 0);
        assertThrows(IllegalArgumentException.class, () -> follower.onAppended(3));
        assertThrows(IllegalArgumentException.class, () -> follower.onLeaderHighWatermark(2, 5));
    }

    private static MemoryLog log(int[]... epochsAndCounts) {
        MemoryLog log = new MemoryLog();
        for (int[] part : epochsAndCounts) {
            for (int i = 0; i < part[1]; i++) {
                log.append(new MemoryLog.Entry(part[0], log.end()));
            }
        }
        return log;
    }

    /** Fetches until the leader answers without divergence; returns how many answers had one. */
    private static int reconcile(MemoryLog leader, MemoryLog own, int epoch) {
        PartitionFollower follower = new PartitionFollower(new PartitionId(new UUID(1, 2), 0));
        follower.begin(state(epoch), own.start(), own.end(), own.start());
        int rounds = 0;
        while (leader.diverges(own.lastBatchEpoch(), own.end())) {
            EpochEnd answer = leader.endOffsetForEpoch(own.lastBatchEpoch());
            long cut = follower.truncationFor(answer.epoch(), answer.endOffset(), own);
            assertTrue(cut < own.end(), "a divergence that cuts nothing would be asked for ever: answer=" + answer);
            own.truncateTo(cut);
            follower.onTruncated(own.start(), own.end());
            rounds++;
        }
        return rounds;
    }

    private static long commonPrefix(MemoryLog one, MemoryLog other) {
        long offset = 0;
        while (offset < one.end() && offset < other.end() && one.at(offset).equals(other.at(offset))) {
            offset++;
        }
        return offset;
    }

    /** Random elections: anybody may win, some followers agree with it and copy some of its log. */
    private static final class History {
        private final RandomGenerator random;
        private final MemoryLog[] logs = {new MemoryLog(), new MemoryLog(), new MemoryLog()};
        private long nextId;
        private int epoch;

        History(RandomGenerator random) {
            this.random = random;
        }

        void run() {
            int elections = 2 + random.nextInt(12);
            for (int i = 0; i < elections; i++) {
                epoch += 1 + random.nextInt(2);
                MemoryLog leader = logs[random.nextInt(logs.length)];
                leader.startEpoch(epoch);
                int records = random.nextInt(5);
                for (int j = 0; j < records; j++) {
                    leader.append(new MemoryLog.Entry(epoch, nextId++));
                }
                for (MemoryLog log : logs) {
                    if (log != leader && random.nextInt(3) == 0) {
                        copySome(leader, log);
                    }
                }
            }
            logs[0].startEpoch(epoch + 1);
        }

        private void copySome(MemoryLog leader, MemoryLog log) {
            reconcile(leader, log, epoch);
            long to = log.end() + random.nextInt((int) (leader.end() - log.end()) + 1);
            while (log.end() < to) {
                log.append(leader.at(log.end()));
            }
        }
    }
}

package io.tidemark.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * A leader against a store that takes conditional writes late, loses the race to other writers and answers later still,
 * while followers fetch, restart, lose their data and disappear.
 */
class LeaderSafetyTest {
    private static final long LAG = 1_000;

    // I-02, I-07, I-08, I-15: whoever may lead next has everything that was committed, at every step.
    @Test
    void shouldNeverCommitWhatAPossibleLeaderLacks() {
        int[] advances = new int[1];
        int[] writes = new int[1];
        Seeds.forEach("LeaderSafetyTest", 3_000, random -> {
            World world = new World(random);
            for (int step = 0; step < 150; step++) {
                world.step();
                world.check();
            }
            world.heal();
            advances[0] += world.advances;
            writes[0] += world.writes;
        });
        System.out.println("LeaderSafetyTest: watermark advances=" + advances[0] + ", ISR writes=" + writes[0]);
        assertTrue(advances[0] > 0 && writes[0] > 0);
    }

    // Every choice of stored ISR, fetched offsets and minimum for three replicas with logs of up to three records.
    @Test
    void shouldFollowTheRuleInEverySmallCase() {
        int cases = 0;
        Replica self = new Replica(0, 5);
        for (int isrBits = 0; isrBits < 4; isrBits++) {
            for (int minIsr = 1; minIsr <= 3; minIsr++) {
                for (int first = -1; first <= 3; first++) {
                    for (int second = -1; second <= 3; second++) {
                        for (int local = 0; local <= 3; local++) {
                            checkCase(self, isrBits, minIsr, new int[] {first, second}, local);
                            cases++;
                        }
                    }
                }
            }
        }
        assertEquals(4 * 3 * 5 * 5 * 4, cases);
    }

    private static void checkCase(Replica self, int isrBits, int minIsr, int[] fetched, int local) {
        List<Replica> isr = new ArrayList<>(List.of(self));
        List<Replica> elr = new ArrayList<>();
        long expected = 3;
        for (int i = 0; i < 2; i++) {
            if ((isrBits & (1 << i)) != 0) {
                isr.add(new Replica(i + 1, 5));
                expected = Math.min(expected, fetched[i]);
            } else {
                elr.add(new Replica(i + 1, 5));
            }
        }
        PartitionState state = new PartitionState(
                List.of(0, 1, 2),
                List.of(),
                List.of(),
                self,
                1,
                1,
                isr,
                isr.size() < minIsr ? elr : List.of(),
                minIsr,
                Durability.REPLICATED,
                1,
                List.of());
        PartitionLeader leader =
                new PartitionLeader(new PartitionId(new UUID(0, 1), 0), self, LAG, new RecordedDecisions());
        leader.begin(state, 0, 3, local, 0);
        for (int i = 0; i < 2; i++) {
            if (fetched[i] >= 0) {
                leader.onFollowerFetch(i + 1, 5, 1, fetched[i], 0);
            }
        }
        long right = isr.size() < minIsr ? local : Math.max(local, expected);
        assertEquals(right, leader.highWatermark(), "state=" + state + ", fetched=" + List.of(fetched[0], fetched[1]));
    }

    /** The store, the other brokers, and what is under way between them and the leader. */
    private static final class World implements LeaderDecisions {
        private final RandomGenerator random;
        private final int replicas;
        private final Replica self = new Replica(0, 1);
        private final PartitionLeader leader;
        private final long[] incarnations;
        private final boolean[] registered;
        private final Map<Replica, Long> fetched = new HashMap<>();
        private final List<PartitionState> sent = new ArrayList<>();
        private final List<Runnable> answers = new ArrayList<>();
        private final long initialHighWatermark;
        private PartitionState stored;
        private long logEnd;
        private long highWatermark;
        private long now = Long.MAX_VALUE - 5_000;
        private int advances;
        private int writes;

        World(RandomGenerator random) {
            this.random = random;
            replicas = 2 + random.nextInt(3);
            incarnations = new long[replicas];
            registered = new boolean[replicas];
            List<Integer> assignment = new ArrayList<>();
            List<Replica> isr = new ArrayList<>(List.of(self));
            List<Replica> elr = new ArrayList<>();
            for (int i = 0; i < replicas; i++) {
                assignment.add(i);
                incarnations[i] = 1;
                registered[i] = true;
                if (i > 0) {
                    (random.nextBoolean() ? isr : elr).add(new Replica(i, 1));
                }
            }
            int minIsr = 1 + random.nextInt(replicas);
            stored = new PartitionState(
                    assignment,
                    List.of(),
                    List.of(),
                    self,
                    3,
                    3,
                    isr,
                    isr.size() < minIsr ? elr : List.of(),
                    minIsr,
                    Durability.REPLICATED,
                    1,
                    List.of());
            logEnd = random.nextInt(20);
            initialHighWatermark = logEnd == 0 ? 0 : random.nextInt((int) logEnd);
            highWatermark = initialHighWatermark;
            leader = new PartitionLeader(new PartitionId(new UUID(0, 1), 0), self, LAG, this);
            tellRegistrations();
            leader.begin(stored, 0, logEnd, initialHighWatermark, now);
        }

        @Override
        public void proposeIsr(PartitionState proposed) {
            assertEquals(leader.state().partitionEpoch() + 1, proposed.partitionEpoch());
            assertFalse(
                    sent.stream().anyMatch(other -> other.partitionEpoch() == proposed.partitionEpoch()),
                    "two proposals for the same record are under way");
            sent.add(proposed);
        }

        @Override
        public void highWatermarkAdvanced(long newHighWatermark) {
            assertTrue(newHighWatermark > highWatermark, "the watermark went back or stood still");
            assertTrue(leader.state().hasMinIsr(), "committed below the minimum");
            highWatermark = newHighWatermark;
            advances++;
        }

        void step() {
            now += random.nextInt(200);
            int broker = 1 + random.nextInt(replicas - 1);
            switch (random.nextInt(12)) {
                case 0, 1 -> {
                    logEnd += random.nextInt(5);
                    leader.onLogEnd(logEnd, 0, now);
                }
                case 2, 3, 4, 5 -> fetch(broker);
                case 6 -> restart(broker);
                case 7 -> tellRegistrations();
                case 8 -> leader.tick(now);
                case 9 -> writeOne();
                case 10 -> answerOne();
                default -> rareEvent(broker);
            }
        }

        private void rareEvent(int broker) {
            switch (random.nextInt(4)) {
                case 0 -> registered[broker] = !registered[broker];
                case 1 -> leader.onPeerDead(broker, incarnations[broker] - random.nextInt(2), now);
                case 2 -> stored = stored.withIsr(stored.isr(), stored.elr());
                default -> {
                    PartitionState news = stored;
                    leader.onStateCommitted(news, now);
                }
            }
        }

        private void fetch(int broker) {
            Replica process = new Replica(broker, incarnations[broker]);
            long before = fetched.getOrDefault(process, (long) random.nextInt((int) logEnd + 1));
            long offset = random.nextInt(3) == 0 ? logEnd : before + (logEnd - before) / 2;
            if (leader.onFollowerFetch(broker, process.incarnation(), 3, offset, now) == FetchCheck.OK) {
                fetched.merge(process, offset, Math::max);
            }
            // What the leader does within the call may count the fetch already.
            fetched.merge(process, offset, Math::max);
        }

        private void restart(int broker) {
            incarnations[broker]++;
            registered[broker] = true;
        }

        private void tellRegistrations() {
            List<Replica> live = new ArrayList<>(List.of(self));
            for (int i = 1; i < replicas; i++) {
                if (registered[i]) {
                    live.add(new Replica(i, incarnations[i]));
                }
            }
            leader.onBrokers(live, now);
        }

        /** The store takes a write if the version is right and a joiner's registration is as proposed. */
        private void writeOne() {
            if (sent.isEmpty()) {
                return;
            }
            PartitionState proposal = sent.remove(0);
            boolean versionIsRight = proposal.partitionEpoch() == stored.partitionEpoch() + 1;
            boolean joinersLive = proposal.isr().stream()
                    .filter(member -> stored.isrIncarnation(member.broker()) != member.incarnation())
                    .allMatch(member ->
                            registered[member.broker()] && incarnations[member.broker()] == member.incarnation());
            if (versionIsRight && joinersLive) {
                checkGrowth(proposal);
                stored = proposal;
                writes++;
                answers.add(() -> leader.onStateCommitted(proposal, now));
            } else {
                PartitionState current = stored;
                answers.add(() -> {
                    leader.onIsrProposalFailed(proposal, now);
                    leader.onStateCommitted(current, now);
                });
            }
        }

        private void answerOne() {
            if (!answers.isEmpty()) {
                answers.remove(0).run();
            }
        }

        private void checkGrowth(PartitionState proposal) {
            for (Replica member : proposal.isr()) {
                if (stored.isrIncarnation(member.broker()) < 0) {
                    long has = fetched.getOrDefault(member, -1L);
                    assertTrue(
                            has >= highWatermark && has >= leader.epochStartOffset(),
                            member + " joins with " + has + ", highWatermark=" + highWatermark);
                }
            }
        }

        void check() {
            assertEquals(highWatermark, leader.highWatermark());
            assertTrue(highWatermark <= logEnd);
            if (highWatermark > initialHighWatermark) {
                checkCandidates(stored.isr());
                checkCandidates(stored.elr());
                checkCandidates(leader.state().isr());
            }
        }

        private void checkCandidates(List<Replica> members) {
            for (Replica member : members) {
                if (!member.equals(self)) {
                    long has = fetched.getOrDefault(member, -1L);
                    assertTrue(
                            has >= highWatermark,
                            member + " may lead with " + has + ", highWatermark=" + highWatermark + ", stored="
                                    + stored);
                }
            }
        }

        /** Faults stop: everybody is in sync again, everything is committed, and then nothing changes any more. */
        void heal() {
            for (int i = 1; i < replicas; i++) {
                registered[i] = true;
            }
            tellRegistrations();
            for (int round = 0; round < 6 * replicas; round++) {
                now += IsrTracker.RETRY_PAUSE_NS;
                for (int i = 1; i < replicas; i++) {
                    fetched.put(new Replica(i, incarnations[i]), logEnd);
                    assertEquals(FetchCheck.OK, leader.onFollowerFetch(i, incarnations[i], 3, logEnd, now));
                }
                while (!sent.isEmpty()) {
                    writeOne();
                }
                while (!answers.isEmpty()) {
                    answerOne();
                }
                check();
            }
            assertEquals(replicas, leader.state().isr().size(), "stored=" + stored);
            assertEquals(logEnd, leader.highWatermark());
            assertFalse(leader.isProposalInDoubt());
        }
    }
}

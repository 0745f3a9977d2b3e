package io.tidemark.controller;

import static io.tidemark.controller.Fixtures.broker;
import static io.tidemark.controller.Fixtures.brokers;
import static io.tidemark.controller.Fixtures.leaving;
import static io.tidemark.controller.Fixtures.state;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.partition.Durability;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Who leads after a process is gone. */
class LeaderSelectorTest {
    private static final Replica A = new Replica(1, 10);
    private static final Replica B = new Replica(2, 20);
    private static final Replica C = new Replica(3, 30);
    private static final PartitionState ALL_IN_SYNC = state(A, List.of(A, B, C), List.of());

    @Test
    void shouldChangeNothingWhileLeaderLives() {
        assertTrue(select(ALL_IN_SYNC, broker(1, 10, 10)).isEmpty());
        assertTrue(select(ALL_IN_SYNC, broker(1, 10, 10), broker(2, 21, 21)).isEmpty());
        assertTrue(select(ALL_IN_SYNC, leaving(broker(1, 10, 10)), broker(2, 20, 20))
                .isEmpty());
    }

    // The leader's registration vanished: the next of the assignment leads, both epochs rise.
    @Test
    void shouldElectNextOfAssignment() {
        PartitionState next = elected(ALL_IN_SYNC, broker(2, 20, 20), broker(3, 30, 30));

        assertEquals(B, next.leader());
        assertEquals(List.of(B, C), next.isr());
        assertEquals(List.of(), next.elr());
        assertEquals(5, next.leaderEpoch());
        assertEquals(10, next.partitionEpoch());
    }

    // The leader is registered, but dead: only a member of the stored ISR that never stopped can follow.
    @Test
    void shouldReplaceALeaderThatIsProvenDead() {
        BrokerRegistration[] all = {broker(1, 10, 10), broker(2, 20, 20), broker(3, 30, 30)};
        PartitionState next = early(ALL_IN_SYNC, dead(A, B, C), all).orElseThrow();

        assertEquals(B, next.leader());
        assertEquals(List.of(B, C), next.isr());
        assertEquals(5, next.leaderEpoch());
    }

    // C-06: the leader is about to leave; it hands over while it still serves, and is dropped in the same write.
    @Test
    void shouldHandOverWhenTheLeaderLeaves() {
        Map<Integer, BrokerRegistration> all =
                brokers(leaving(broker(1, 10, 10)), broker(2, 20, 20), broker(3, 30, 30));
        PartitionState next = LeaderSelector.afterLeaderLeaves(ALL_IN_SYNC, all, new DeadProcesses())
                .orElseThrow();

        assertEquals(B, next.leader());
        assertEquals(List.of(B, C), next.isr());
        assertEquals(5, next.leaderEpoch());
    }

    // C-06: below the minimum of in-sync replicas the leaver stays eligible, since it holds all that is committed.
    @Test
    void shouldKeepTheLeaverEligibleWhenTheIsrFallsBelowItsMinimum() {
        PartitionState two = state(A, List.of(A, B), List.of());
        PartitionState next = LeaderSelector.afterLeaderLeaves(
                        two, brokers(leaving(broker(1, 10, 10)), broker(2, 20, 20)), new DeadProcesses())
                .orElseThrow();

        assertEquals(List.of(B), next.isr());
        assertEquals(List.of(A), next.elr());
    }

    // Nobody could follow: not who leaves too, was restarted, is proven dead, or is only eligible.
    @Test
    void shouldKeepALeavingLeaderThatNobodyCanFollow() {
        BrokerRegistration one = leaving(broker(1, 10, 10));
        DeadProcesses none = new DeadProcesses();
        assertTrue(LeaderSelector.afterLeaderLeaves(ALL_IN_SYNC, brokers(one, leaving(broker(2, 20, 20))), none)
                .isEmpty());
        assertTrue(LeaderSelector.afterLeaderLeaves(ALL_IN_SYNC, brokers(one, broker(2, 21, 20)), none)
                .isEmpty());
        assertTrue(LeaderSelector.afterLeaderLeaves(ALL_IN_SYNC, brokers(one, broker(2, 20, 20)), dead(B, A, C))
                .isEmpty());
        PartitionState alone = state(A, List.of(A), List.of(B));
        assertTrue(LeaderSelector.afterLeaderLeaves(alone, brokers(one, broker(2, 20, 20)), none)
                .isEmpty());
    }

    @Test
    void shouldKeepALeaderThatStays() {
        Map<Integer, BrokerRegistration> all = brokers(broker(1, 10, 10), leaving(broker(2, 20, 20)));
        assertTrue(LeaderSelector.afterLeaderLeaves(ALL_IN_SYNC, all, new DeadProcesses())
                .isEmpty());
        Map<Integer, BrokerRegistration> later = brokers(leaving(broker(1, 11, 10)), broker(2, 20, 20));
        assertTrue(LeaderSelector.afterLeaderLeaves(ALL_IN_SYNC, later, new DeadProcesses())
                .isEmpty());
    }

    // What one broker sees alone may be its own network.
    @Test
    void shouldKeepALeaderThatOneWitnessAloneFindsDead() {
        BrokerRegistration[] all = {broker(1, 10, 10), broker(2, 20, 20), broker(3, 30, 30)};
        assertTrue(early(ALL_IN_SYNC, dead(A, B), all).isEmpty());
        assertTrue(early(ALL_IN_SYNC, dead(A, A, B), all).isEmpty());
    }

    // Neither of the two is in the stored ISR, or only under an incarnation that is over.
    @Test
    void shouldKeepALeaderWithoutAWitnessInTheStoredIsr() {
        BrokerRegistration[] all = {broker(1, 10, 10), broker(2, 20, 20), broker(3, 30, 30), broker(4, 40, 40)};
        PartitionState two = state(A, List.of(A, B), List.of());
        assertTrue(early(two, dead(A, C, new Replica(4, 40)), all).isEmpty());
        assertTrue(early(two, dead(A, C, new Replica(2, 19)), all).isEmpty());
        assertEquals(B, early(two, dead(A, C, B), all).orElseThrow().leader());
    }

    // The evidence is about an earlier life of the leader, or about another process.
    @Test
    void shouldKeepALeaderWhoseEarlierLifeIsDead() {
        BrokerRegistration[] all = {broker(1, 10, 10), broker(2, 20, 20), broker(3, 30, 30)};
        assertTrue(early(ALL_IN_SYNC, dead(new Replica(1, 9), B, C), all).isEmpty());
        assertTrue(early(ALL_IN_SYNC, dead(B, A, C), all).isEmpty());
    }

    // Never to a member that restarted, leaves or is not in the ISR: they wait for the end of the registration.
    @Test
    void shouldElectNobodyEarlyButALivingMemberOfTheIsr() {
        PartitionState alone = state(A, List.of(A), List.of(B, C));
        BrokerRegistration[] all = {broker(1, 10, 10), broker(2, 20, 20), broker(3, 30, 30)};
        assertTrue(early(alone, dead(A, B, C), all).isEmpty());
        assertTrue(early(ALL_IN_SYNC, dead(A, B, C), broker(1, 10, 10), broker(2, 21, 20), broker(3, 31, 30))
                .isEmpty());
        assertTrue(early(ALL_IN_SYNC, dead(A, B, C), broker(1, 10, 10), leaving(broker(2, 20, 20)))
                .isEmpty());
    }

    // The same write drops another member that is proven dead; below the minimum it stays eligible.
    @Test
    void shouldDropEveryDeadMemberInTheSameWrite() {
        BrokerRegistration[] all = {broker(1, 10, 10), broker(2, 20, 20), broker(3, 30, 30)};
        DeadProcesses dead = dead(A, B, C);
        dead.add(B, List.of(C, new Replica(4, 40)));

        PartitionState next = early(ALL_IN_SYNC, dead, all).orElseThrow();

        assertEquals(C, next.leader());
        assertEquals(List.of(C), next.isr());
        assertEquals(List.of(A, B), next.elr());
    }

    private static DeadProcesses dead(Replica process, Replica... witnesses) {
        DeadProcesses dead = new DeadProcesses();
        dead.add(process, List.of(witnesses));
        return dead;
    }

    private static Optional<PartitionState> early(
            PartitionState state, DeadProcesses dead, BrokerRegistration... registered) {
        return LeaderSelector.afterProcessDeath(state, brokers(registered), dead);
    }

    // RP-26: the leader restarted before anybody noticed: its old epoch ends although it is registered again.
    @Test
    void shouldElectWhenLeaderRestarted() {
        PartitionState next = elected(ALL_IN_SYNC, broker(1, 11, 11), broker(2, 20, 20), broker(3, 30, 30));

        assertEquals(B, next.leader());
        assertEquals(List.of(B, C), next.isr());
    }

    // A process that never stopped is preferred to one that restarted, whatever the assignment says.
    @Test
    void shouldPreferProcessThatNeverStopped() {
        PartitionState next = elected(ALL_IN_SYNC, broker(1, 11, 10), broker(3, 30, 30));

        assertEquals(C, next.leader());
        assertEquals(List.of(C), next.isr());
        assertEquals(List.of(A, B), next.elr());
    }

    // All processes killed at once, machines up: the first to register leads, in its new incarnation.
    @Test
    void shouldElectRestartedMemberThatLostNothing() {
        PartitionState next = elected(ALL_IN_SYNC, broker(2, 21, 5));

        assertEquals(new Replica(2, 21), next.leader());
        assertEquals(List.of(new Replica(2, 21)), next.isr());
        assertEquals(List.of(A, C), next.elr());
        assertTrue(!next.hasMinIsr());
    }

    // The entry's own incarnation is the first that is intact: it may lead.
    @Test
    void shouldElectMemberThatIsIntactSinceItsEntry() {
        assertEquals(new Replica(2, 21), elected(ALL_IN_SYNC, broker(2, 21, 20)).leader());
    }

    // I-12: after a power failure nobody may lead: an un-synced tail may be missing.
    @Test
    void shouldElectNobodyAfterPowerFailureOfAll() {
        assertTrue(select(ALL_IN_SYNC, broker(1, 11, 11), broker(2, 21, 21), broker(3, 31, 31))
                .isEmpty());
    }

    // An entry from the future is none of this broker's: the store was restored, or the list is old.
    @Test
    void shouldNotElectWhenEntryIsNewerThanRegistration() {
        assertTrue(select(ALL_IN_SYNC, broker(2, 19, 1)).isEmpty());
    }

    @Test
    void shouldNotElectLeavingBroker() {
        assertTrue(select(ALL_IN_SYNC, leaving(broker(2, 20, 20))).isEmpty());
        PartitionState next = elected(ALL_IN_SYNC, leaving(broker(2, 20, 20)), broker(3, 30, 30));
        assertEquals(C, next.leader());
        assertEquals(List.of(C), next.isr());
        assertEquals(List.of(A, B), next.elr());
    }

    // RP-10: the last of the ISR lost power; an eligible replica that left it complete leads.
    @Test
    void shouldElectEligibleReplicaWhenIsrIsLost() {
        PartitionState last = state(C, List.of(C), List.of(A, B));

        PartitionState next = elected(last, broker(3, 31, 31), broker(2, 22, 20));

        assertEquals(new Replica(2, 22), next.leader());
        assertEquals(List.of(new Replica(2, 22)), next.isr());
        assertEquals(List.of(C, A), next.elr());
    }

    // The ISR goes before the ELR, even if its member comes later in the assignment and restarted.
    @Test
    void shouldPreferIsrToElr() {
        PartitionState last = state(C, List.of(C), List.of(A, B));

        assertEquals(
                new Replica(3, 31),
                elected(last, broker(1, 10, 10), broker(3, 31, 30)).leader());
    }

    // RP-25: a replica outside ISR and ELR is never elected.
    @Test
    void shouldNotElectOutsider() {
        PartitionState two = state(A, List.of(A, B), List.of());

        assertTrue(select(two, broker(3, 30, 30)).isEmpty());
    }

    @Test
    void shouldElectForLeaderlessPartition() {
        PartitionState leaderless = state(Replica.NONE, List.of(B, C), List.of());

        assertEquals(
                C, elected(leaderless, broker(1, 10, 10), broker(3, 30, 30)).leader());
        assertTrue(select(leaderless, broker(1, 10, 10)).isEmpty());
    }

    // A single replica that was killed comes back; one whose machine lost power does not.
    @Test
    void shouldElectSingleReplicaOnlyIfIntact() {
        PartitionState single = PartitionState.initial(List.of(1), List.of(A), 2, Durability.REPLICATED, 1);

        assertEquals(new Replica(1, 11), elected(single, broker(1, 11, 10)).leader());
        assertTrue(select(single, broker(1, 11, 11)).isEmpty());
    }

    // I-01, I-12, I-14 for every combination of ISR, ELR and what became of each broker.
    @Test
    void shouldKeepTheRulesInEverySmallCase() {
        int elections = 0;
        int fates = 6;
        for (int sets = 0; sets < 27; sets++) {
            int[] place = {sets % 3, sets / 3 % 3, sets / 9};
            for (int fate = 0; fate < fates * fates * fates; fate++) {
                int[] fateOf = {fate % fates, fate / fates % fates, fate / fates / fates};
                elections += checkCase(place, fateOf) ? 1 : 0;
            }
        }
        assertTrue(elections > 500, "elections=" + elections);
    }

    private static boolean checkCase(int[] place, int[] fateOf) {
        List<Replica> isr = new ArrayList<>();
        List<Replica> elr = new ArrayList<>();
        Map<Integer, BrokerRegistration> brokers = new HashMap<>();
        for (int i = 0; i < 3; i++) {
            if (place[i] == 0) {
                isr.add(new Replica(i + 1, 10));
            } else if (place[i] == 1) {
                elr.add(new Replica(i + 1, 10));
            }
            switch (fateOf[i]) {
                case 0 -> brokers.put(i + 1, broker(i + 1, 10, 3));
                case 1 -> brokers.put(i + 1, broker(i + 1, 12, 3));
                case 2 -> brokers.put(i + 1, broker(i + 1, 12, 11));
                case 3 -> brokers.put(i + 1, leaving(broker(i + 1, 10, 3)));
                case 4 -> brokers.put(i + 1, broker(i + 1, 9, 3));
                default -> brokers.remove(i + 1);
            }
        }
        if (isr.isEmpty()) {
            return false;
        }
        PartitionState before = state(isr.get(0), isr, isr.size() < 2 ? elr : List.of());
        Optional<PartitionState> after = LeaderSelector.afterBrokerChange(before, brokers);
        after.ifPresent(state -> checkElection(before, state, brokers));
        if (after.isEmpty() && !LeaderSelector.isAlive(before.leader(), brokers)) {
            List<Replica> members = new ArrayList<>(before.isr());
            members.addAll(before.elr());
            members.forEach(member -> assertTrue(!isElectable(member, brokers), "nobody was elected: " + before));
        }
        return after.isPresent();
    }

    private static void checkElection(
            PartitionState before, PartitionState after, Map<Integer, BrokerRegistration> brokers) {
        Replica leader = after.leader();
        long entry = Math.max(before.isrIncarnation(leader.broker()), before.elrIncarnation(leader.broker()));
        assertTrue(!LeaderSelector.isAlive(before.leader(), brokers));
        assertTrue(isElectable(new Replica(leader.broker(), entry), brokers));
        assertTrue(LeaderSelector.isAlive(leader, brokers));
        assertEquals(before.leaderEpoch() + 1, after.leaderEpoch());
        assertEquals(before.partitionEpoch() + 1, after.partitionEpoch());
        for (Replica member : after.isr()) {
            assertTrue(LeaderSelector.isAlive(member, brokers));
            assertTrue(member.equals(leader) || before.isInIsr(member.broker(), member.incarnation()));
        }
        if (!after.hasMinIsr()) {
            List<Replica> members = new ArrayList<>(before.isr());
            members.addAll(before.elr());
            for (Replica member : members) {
                assertTrue(
                        after.isrIncarnation(member.broker()) >= 0
                                || after.elr().contains(member),
                        "a complete member was forgotten: before=" + before + ", after=" + after);
            }
        }
    }

    private static boolean isElectable(Replica entry, Map<Integer, BrokerRegistration> brokers) {
        BrokerRegistration registration = brokers.get(entry.broker());
        return registration != null
                && registration.isRunning()
                && entry.incarnation() >= registration.intactSince()
                && entry.incarnation() <= registration.incarnation();
    }

    private static Optional<PartitionState> select(PartitionState state, BrokerRegistration... registrations) {
        return LeaderSelector.afterBrokerChange(state, brokers(registrations));
    }

    private static PartitionState elected(PartitionState state, BrokerRegistration... registrations) {
        return select(state, registrations).orElseThrow();
    }
}

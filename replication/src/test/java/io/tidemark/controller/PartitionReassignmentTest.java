package io.tidemark.controller;

import static io.tidemark.controller.Fixtures.broker;
import static io.tidemark.controller.Fixtures.brokers;
import static io.tidemark.controller.Fixtures.leaving;
import static io.tidemark.controller.Fixtures.state;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.partition.Seeds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Moves of replicas. Brokers 1 to 6 in incarnations 10 to 60; the partition is on 1, 2, 3 with minIsr 2. */
class PartitionReassignmentTest {
    private static final Replica A = new Replica(1, 10);
    private static final Replica B = new Replica(2, 20);
    private static final Replica C = new Replica(3, 30);
    private static final Replica D = new Replica(4, 40);
    private static final Replica E = new Replica(5, 50);
    private static final Replica F = new Replica(6, 60);
    private static final PartitionState WHOLE = state(A, List.of(A, B, C), List.of());
    private static final Map<Integer, BrokerRegistration> ALL = brokers(
            broker(1, 10, 10),
            broker(2, 20, 20),
            broker(3, 30, 30),
            broker(4, 40, 40),
            broker(5, 50, 50),
            broker(6, 60, 60));

    private static PartitionState started(PartitionState state, Integer... target) {
        return Objects.requireNonNull(
                PartitionReassignment.start("t-0", state, List.of(target), ALL).next());
    }

    private static PartitionState inSync(PartitionState state, Replica... isr) {
        return state.withIsr(List.of(isr), List.of());
    }

    private static Map<Integer, BrokerRegistration> without(int broker) {
        Map<Integer, BrokerRegistration> some = new TreeMap<>(ALL);
        some.remove(broker);
        return some;
    }

    // Start: everything stays as it is, but for the note of where it goes.
    @Test
    void shouldNoteTheTargetAndKeepTheAssignment() {
        PartitionState next = started(WHOLE, 4, 2, 5);

        assertEquals(List.of(1, 2, 3), next.assignment());
        assertEquals(List.of(4, 5), next.adding());
        assertEquals(List.of(1, 3), next.removing());
        assertEquals(List.of(4, 2, 5), next.target());
        assertEquals(WHOLE.isr(), next.isr());
        assertEquals(WHOLE.leader(), next.leader());
        assertEquals(WHOLE.leaderEpoch(), next.leaderEpoch());
        assertEquals(WHOLE.partitionEpoch() + 1, next.partitionEpoch());
    }

    // CP-10: 6 is not in the ISR of the record that would be replaced, so nothing is switched.
    @Test
    void shouldSwitchOnlyWhenEveryTargetIsInTheIsr() {
        PartitionState growing = started(WHOLE, 4, 5, 6);
        assertTrue(PartitionReassignment.completed(growing, ALL).isEmpty());
        PartitionState almost = inSync(growing, A, B, C, D, E);
        assertTrue(PartitionReassignment.completed(almost, ALL).isEmpty());

        PartitionState ready = inSync(growing, A, B, C, D, E, F);
        PartitionState done = PartitionReassignment.completed(ready, ALL).orElseThrow();

        assertEquals(List.of(4, 5, 6), done.assignment());
        assertEquals(List.of(D, E, F), done.isr());
        assertEquals(D, done.leader());
        assertEquals(ready.leaderEpoch() + 1, done.leaderEpoch());
        assertEquals(List.of(), done.adding());
        assertEquals(List.of(), done.removing());
        assertEquals(List.of(), done.target());
    }

    // A target that is gone, restarted, leaving or proven dead is none of the ISR, whatever the record says.
    @Test
    void shouldNotSwitchToATargetThatDoesNotRun() {
        PartitionState ready = inSync(started(WHOLE, 4, 5, 6), A, B, C, D, E, F);
        assertTrue(PartitionReassignment.completed(ready, without(6)).isEmpty());
        Map<Integer, BrokerRegistration> restarted = new TreeMap<>(ALL);
        restarted.put(6, broker(6, 61, 60));
        assertTrue(PartitionReassignment.completed(ready, restarted).isEmpty());
        Map<Integer, BrokerRegistration> leaver = new TreeMap<>(ALL);
        leaver.put(6, leaving(broker(6, 60, 60)));
        assertTrue(PartitionReassignment.completed(ready, leaver).isEmpty());
        DeadProcesses dead = new DeadProcesses();
        dead.add(F, List.of(A, B));
        assertTrue(PartitionReassignment.completed(ready, dead.without(ALL)).isEmpty());
    }

    // The leader stays when it is one of those that stay, in the same epoch.
    @Test
    void shouldKeepTheLeaderThatStays() {
        PartitionState ready = inSync(started(WHOLE, 4, 1), A, B, C, D);
        PartitionState done = PartitionReassignment.completed(ready, ALL).orElseThrow();

        assertEquals(A, done.leader());
        assertEquals(ready.leaderEpoch(), done.leaderEpoch());
        assertEquals(List.of(A, D), done.isr());
    }

    @Test
    void shouldReplaceTheOrderAtOnce() {
        PartitionState next = started(WHOLE, 3, 1, 2);

        assertEquals(List.of(3, 1, 2), next.assignment());
        assertEquals(List.of(), next.target());
        assertEquals(A, next.leader());
        assertEquals(WHOLE.isr(), next.isr());
    }

    // C-04: the order of before comes back, too.
    @Test
    void shouldRestoreTheReplicasWhenCancelled() {
        PartitionState half = inSync(started(WHOLE, 3, 5, 4), A, B, C, D);
        PartitionState next = Objects.requireNonNull(
                PartitionReassignment.cancel("t-0", half, ALL).next());

        assertEquals(List.of(1, 2, 3), next.assignment());
        assertEquals(List.of(A, B, C), next.isr());
        assertEquals(A, next.leader());
        assertEquals(List.of(), next.target());
        assertEquals(List.of(), next.adding());
        // The old assignment as a target means the same.
        assertEquals(next, started(half, 1, 2, 3));
    }

    // The leader died and an added replica leads: the cancel gives it back to one of the old ones.
    @Test
    void shouldMoveLeadershipBackWhenCancelled() {
        PartitionState led = inSync(started(WHOLE, 4, 5, 6), A, B, C, D).withLeader(D, List.of(B, C, D), List.of());
        PartitionState next = Objects.requireNonNull(
                PartitionReassignment.cancel("t-0", led, ALL).next());

        assertEquals(B, next.leader());
        assertEquals(led.leaderEpoch() + 1, next.leaderEpoch());
        assertEquals(List.of(B, C), next.isr());
    }

    // C-04: a cancel, or another target, would leave fewer than minIsr in sync.
    @Test
    void shouldRefuseToTakeTheIsrBelowItsMinimum() {
        PartitionState one = inSync(started(WHOLE, 4, 5, 6), A, D, E);
        Ruling cancel = PartitionReassignment.cancel("t-0", one, ALL);
        assertNull(cancel.next());
        assertTrue(
                cancel.message()
                        .startsWith(
                                "too few of the remaining replicas are in sync: partition=t-0, remaining=[1, 2, 3]"),
                cancel.message());
        assertNull(PartitionReassignment.start("t-0", one, List.of(6), ALL).next());
    }

    // CP-08: another target replaces the one under way; what only the old one had is dropped.
    @Test
    void shouldReplaceTheTargetOfAMoveUnderWay() {
        PartitionState half = inSync(started(WHOLE, 4, 5, 6), A, B, C, D);
        PartitionState next = started(half, 1, 5);

        assertEquals(List.of(1, 2, 3), next.assignment());
        assertEquals(List.of(5), next.adding());
        assertEquals(List.of(2, 3), next.removing());
        assertEquals(List.of(A, B, C), next.isr());
    }

    // CP-08: a bad request is refused, and says why; one for what is so already changes nothing.
    @Test
    void shouldRefuseBadRequests() {
        assertMessage("a partition needs a replica: partition=t-0", List.of());
        assertMessage("a broker is named twice: partition=t-0, replicas=[4, 4]", List.of(4, 4));
        assertMessage("a new replica needs a running broker: partition=t-0, replicas=[1, 9], broker=9", List.of(1, 9));
        assertMessage("the replicas are there or on their way already: partition=t-0", List.of(1, 2, 3));
        Ruling again = PartitionReassignment.start("t-0", started(WHOLE, 4, 5, 6), List.of(4, 5, 6), ALL);
        assertEquals(PartitionResult.Outcome.NO_CHANGE, again.outcome());
        assertEquals(
                PartitionResult.Outcome.NO_CHANGE,
                PartitionReassignment.cancel("t-0", WHOLE, ALL).outcome());
    }

    private static void assertMessage(String begin, List<Integer> target) {
        Ruling ruling = PartitionReassignment.start("t-0", WHOLE, target, ALL);
        assertNull(ruling.next());
        assertTrue(ruling.message().startsWith(begin), ruling.message());
    }

    // C-04, I-14: whatever comes in whatever order, the assignment only changes from one whole set to another, the ISR
    // is never taken below its minimum by a move, and what was in the record of before is restored by a cancel.
    @Test
    void shouldKeepTheRulesInAnyOrderOfEvents() {
        Seeds.forEach("PartitionReassignmentTest", 500, random -> {
            PartitionState state = WHOLE;
            for (int step = 0; step < 60; step++) {
                PartitionState before = state;
                Optional<PartitionState> done = PartitionReassignment.completed(state, ALL);
                switch (random.nextInt(4)) {
                    case 0 ->
                        state = orSame(
                                PartitionReassignment.start("t-0", state, target(new Random(random.nextLong())), ALL),
                                state);
                    case 1 -> state = orSame(PartitionReassignment.cancel("t-0", state, ALL), state);
                    case 2 -> state = done.orElse(state);
                    default -> state = grown(state, random.nextInt(6));
                }
                if (state.equals(before)) {
                    continue;
                }
                assertTrue(state.isNewerThan(before), () -> "older than " + before);
                assertTrue(
                        state.isr().size()
                                        >= Math.min(
                                                before.effectiveMinIsr(),
                                                before.isr().size())
                                || state.isr().size() >= state.effectiveMinIsr(),
                        () -> "below the minimum after " + before);
                boolean isSameSet = new HashSet<>(state.assignment()).equals(new HashSet<>(before.assignment()));
                if (!isSameSet) {
                    assertEquals(before.target(), state.assignment());
                    Set<Integer> isr = new HashSet<>();
                    state.isr().forEach(member -> isr.add(member.broker()));
                    assertEquals(new HashSet<>(state.assignment()), isr);
                }
            }
        });
    }

    private static PartitionState orSame(Ruling ruling, PartitionState state) {
        PartitionState next = ruling.next();
        return next == null ? state : next;
    }

    private static List<Integer> target(Random random) {
        List<Integer> all = new ArrayList<>(List.of(1, 2, 3, 4, 5, 6));
        Collections.shuffle(all, random);
        return all.subList(0, 1 + random.nextInt(4));
    }

    private static PartitionState grown(PartitionState state, int index) {
        Replica joiner = List.of(A, B, C, D, E, F).get(index);
        if (!state.isReplica(joiner.broker()) || state.isrIncarnation(joiner.broker()) >= 0) {
            return state;
        }
        List<Replica> isr = new ArrayList<>(state.isr());
        isr.add(joiner);
        return state.withIsr(isr, List.of());
    }
}

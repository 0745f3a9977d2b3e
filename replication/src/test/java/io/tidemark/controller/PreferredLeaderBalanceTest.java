package io.tidemark.controller;

import static io.tidemark.controller.Fixtures.broker;
import static io.tidemark.controller.Fixtures.brokers;
import static io.tidemark.controller.Fixtures.leaving;
import static io.tidemark.controller.Fixtures.state;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Ten partitions prefer broker 1; some are led by broker 2. */
class PreferredLeaderBalanceTest {
    private static final Replica A = new Replica(1, 10);
    private static final Replica B = new Replica(2, 20);
    private static final Replica C = new Replica(3, 30);
    private static final long SECOND_NS = 1_000_000_000L;
    private static final Map<Integer, BrokerRegistration> ALL =
            brokers(broker(1, 10, 10), broker(2, 20, 20), broker(3, 30, 30));

    private final PreferredLeaderBalance balance =
            new PreferredLeaderBalance(new ControllerSettings(true, 10, 60 * SECOND_NS));

    private static Map<PartitionId, PartitionState> led(int byOthers, int count, PartitionState away) {
        Map<PartitionId, PartitionState> states = new TreeMap<>((one, other) -> one.partition() - other.partition());
        for (int i = 0; i < count; i++) {
            states.put(new PartitionId(new UUID(1, 2), i), i < byOthers ? away : state(A, List.of(A, B, C), List.of()));
        }
        return states;
    }

    private static final PartitionState AWAY = state(B, List.of(A, B, C), List.of());

    private Map<PartitionId, PartitionState> secondLook(
            Map<PartitionId, PartitionState> states, Map<Integer, BrokerRegistration> living) {
        assertEquals(Map.of(), balance.look(states, living), "the first look knows no broker");
        return balance.look(states, living);
    }

    // L-10: leadership goes back, in the next epoch, with the ISR as it is.
    @Test
    void shouldMoveLeadershipBackToThePreferredLeader() {
        Map<PartitionId, PartitionState> moves = secondLook(led(2, 10, AWAY), ALL);

        assertEquals(2, moves.size());
        for (PartitionState next : moves.values()) {
            assertEquals(A, next.leader());
            assertEquals(AWAY.leaderEpoch() + 1, next.leaderEpoch());
            assertEquals(List.of(A, B, C), next.isr());
        }
    }

    @Test
    void shouldLeaveAnImbalanceThatIsAllowed() {
        assertEquals(Map.of(), secondLook(led(1, 10, AWAY), ALL));
    }

    // CP-11 a: the preferred leader is not in the ISR, or only in an earlier life.
    @Test
    void shouldNotMoveToAReplicaThatIsNotInSync() {
        assertEquals(Map.of(), secondLook(led(5, 10, state(B, List.of(B, C), List.of())), ALL));
        PartitionState earlier = state(B, List.of(new Replica(1, 9), B, C), List.of());
        assertEquals(Map.of(), balance.look(led(5, 10, earlier), ALL));
    }

    // CP-11 b: it is about to leave. CP-11 c: its disk failed, so that it gave up its registration.
    @Test
    void shouldNotMoveToABrokerThatDoesNotRun() {
        assertEquals(
                Map.of(),
                secondLook(
                        led(5, 10, AWAY), brokers(leaving(broker(1, 10, 10)), broker(2, 20, 20), broker(3, 30, 30))));
        assertEquals(Map.of(), balance.look(led(5, 10, AWAY), brokers(broker(2, 20, 20), broker(3, 30, 30))));
    }

    // CP-11 d: it comes and goes; each life is seen once.
    @Test
    void shouldNotMoveToABrokerThatFlaps() {
        for (int life = 10; life < 20; life++) {
            Replica one = new Replica(1, life);
            PartitionState away = state(B, List.of(one, B, C), List.of());
            assertEquals(
                    Map.of(),
                    balance.look(
                            led(5, 10, away), brokers(broker(1, life, life), broker(2, 20, 20), broker(3, 30, 30))));
        }
    }

    // CP-11 e: a reassignment is under way.
    @Test
    void shouldNotMoveWhatIsBeingReassigned() {
        PartitionState moving = AWAY.withReplicas(AWAY.assignment(), List.of(1, 2, 4), AWAY.leader());
        assertEquals(Map.of(), secondLook(led(5, 10, moving), ALL));
    }

    // A look moves a limited number; the rest comes with the next ones.
    @Test
    void shouldLimitTheMovesOfOneLook() {
        int many = PreferredLeaderBalance.MOVES_MAX + 10;
        assertEquals(
                PreferredLeaderBalance.MOVES_MAX,
                secondLook(led(many, many, AWAY), ALL).size());
        assertEquals(10, balance.look(led(10, 10, AWAY), ALL).size());
    }

    @Test
    void shouldLookOncePerInterval() {
        long nowNs = Long.MAX_VALUE - 30 * SECOND_NS;
        assertTrue(balance.isDue(nowNs));
        assertFalse(balance.isDue(nowNs + 59 * SECOND_NS));
        assertTrue(balance.isDue(nowNs + 60 * SECOND_NS));
        assertFalse(balance.isDue(nowNs + 60 * SECOND_NS));
    }

    @Test
    void shouldNotLookWhenSwitchedOff() {
        assertFalse(new PreferredLeaderBalance(new ControllerSettings(false, 10, SECOND_NS)).isDue(0));
    }
}

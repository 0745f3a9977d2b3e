package io.tidemark.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Where replicas go, and who takes over what. */
class ReplicaPlacementTest {
    private static List<BrokerRegistration> brokers(int count, int racks) {
        List<BrokerRegistration> brokers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            brokers.add(Fixtures.inRack(10 + i, racks == 0 ? "" : "rack" + i % racks));
        }
        return brokers;
    }

    // The seeds' rule, word for word.
    @Test
    void shouldPlaceByPosition() {
        assertEquals(
                List.of(List.of(1, 2), List.of(2, 3), List.of(3, 1), List.of(1, 2)),
                ReplicaPlacement.sequential(List.of(1, 2, 3), 4, 2));
    }

    @Test
    void shouldRefuseMoreReplicasThanBrokers() {
        assertThrows(IllegalArgumentException.class, () -> ReplicaPlacement.sequential(List.of(1, 2), 1, 3));
        assertThrows(IllegalArgumentException.class, () -> ReplicaPlacement.spread(brokers(2, 0), 0, 1, new Random(1)));
        assertThrows(IllegalArgumentException.class, () -> ReplicaPlacement.spread(brokers(2, 0), 1, 0, new Random(1)));
    }

    @Test
    void shouldPlaceOnASingleBroker() {
        assertEquals(List.of(List.of(10), List.of(10)), ReplicaPlacement.spread(brokers(1, 0), 2, 1, new Random(1)));
    }

    // No broker twice in a partition; leaders and replicas even to one partition per round.
    @Property(tries = 400, seed = "20261202")
    void shouldPlaceEvenly(
            @ForAll @IntRange(min = 1, max = 9) int count,
            @ForAll @IntRange(min = 1, max = 40) int partitions,
            @ForAll @IntRange(min = 1, max = 5) int wanted,
            @ForAll long seed) {
        int replicationFactor = Math.min(wanted, count);
        List<List<Integer>> placement =
                ReplicaPlacement.spread(brokers(count, 0), partitions, replicationFactor, new Random(seed));

        assertEquals(partitions, placement.size());
        Map<Integer, Integer> leaders = new HashMap<>();
        Map<Integer, Integer> replicas = new HashMap<>();
        for (List<Integer> assignment : placement) {
            assertEquals(replicationFactor, new HashSet<>(assignment).size());
            leaders.merge(assignment.get(0), 1, Integer::sum);
            assignment.forEach(broker -> replicas.merge(broker, 1, Integer::sum));
        }
        assertSpread(brokers(count, 0), leaders, 1);
        // Only the last round, which may be cut short, can be uneven.
        assertSpread(brokers(count, 0), replicas, replicationFactor);
    }

    // CP-16: after a broker's death its leaderships go to all survivors, not to one neighbour.
    @Property(tries = 200, seed = "20261203")
    void shouldSpreadLeadershipsOfADeadBroker(
            @ForAll @IntRange(min = 3, max = 7) int count,
            @ForAll @IntRange(min = 1, max = 4) int factor,
            @ForAll long seed) {
        int partitions = factor * count * (count - 1);
        List<List<Integer>> placement = ReplicaPlacement.spread(brokers(count, 0), partitions, 3, new Random(seed));

        for (int dead = 10; dead < 10 + count; dead++) {
            Map<Integer, Integer> taken = new HashMap<>();
            for (List<Integer> assignment : placement) {
                if (assignment.get(0) == dead) {
                    taken.merge(assignment.get(1), 1, Integer::sum);
                }
            }
            assertEquals(count - 1, taken.size(), "taken over: " + taken);
            assertTrue(ratio(taken) <= 2, "taken over: " + taken);
        }
    }

    // CP-16 as it stands there: 12 partitions, replication factor 3, four brokers of which one is down.
    @Test
    void shouldSpreadTotalLoadOfTwelvePartitions() {
        for (long seed = 1; seed <= 50; seed++) {
            List<List<Integer>> placement = ReplicaPlacement.spread(brokers(3, 0), 12, 3, new Random(seed));
            for (int dead = 10; dead < 13; dead++) {
                Map<Integer, Integer> leaders = new HashMap<>();
                for (List<Integer> assignment : placement) {
                    leaders.merge(assignment.get(0) == dead ? assignment.get(1) : assignment.get(0), 1, Integer::sum);
                }
                assertTrue(ratio(leaders) <= 2, "seed=" + seed + ", leaders=" + leaders);
            }
        }
    }

    // KIP-36: as many racks as possible hold a copy.
    @Property(tries = 300, seed = "20261204")
    void shouldUseAsManyRacksAsPossible(
            @ForAll @IntRange(min = 1, max = 9) int count,
            @ForAll @IntRange(min = 1, max = 4) int racks,
            @ForAll @IntRange(min = 1, max = 4) int wanted,
            @ForAll long seed) {
        List<BrokerRegistration> brokers = brokers(count, racks);
        int replicationFactor = Math.min(wanted, count);
        Map<Integer, String> rackOf = new HashMap<>();
        brokers.forEach(broker -> rackOf.put(broker.broker(), broker.rack()));

        List<List<Integer>> placement =
                ReplicaPlacement.spread(brokers, 3 * count, replicationFactor, new Random(seed));

        int possible = Math.min(replicationFactor, new HashSet<>(rackOf.values()).size());
        for (List<Integer> assignment : placement) {
            Set<String> used = new TreeSet<>();
            assignment.forEach(broker -> used.add(String.valueOf(rackOf.get(broker))));
            assertEquals(possible, used.size(), "assignment=" + assignment + ", racks=" + rackOf);
        }
    }

    private static void assertSpread(List<BrokerRegistration> brokers, Map<Integer, Integer> counts, int difference) {
        int min = Integer.MAX_VALUE;
        int max = 0;
        for (BrokerRegistration broker : brokers) {
            int count = counts.getOrDefault(broker.broker(), 0);
            min = Math.min(min, count);
            max = Math.max(max, count);
        }
        assertTrue(max - min <= difference, "counts=" + counts);
    }

    private static double ratio(Map<Integer, Integer> counts) {
        int min = counts.values().stream().min(Integer::compare).orElse(1);
        int max = counts.values().stream().max(Integer::compare).orElse(1);
        return (double) max / min;
    }
}

package io.tidemark.controller;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * Where the replicas of a new topic go. The first replica of each list is the preferred leader.
 *
 * <p>{@link #sequential} puts replica j of partition i on broker (i + j) mod n. It is easy to predict, but all
 * followers of a broker's partitions stand on its neighbour, so that its death doubles the load of one broker.
 * {@link #spread} is the better rule: leaders go round from a random start, and the distance between a leader and its
 * followers grows with every round, so that the partitions of one broker have their followers on all others.
 *
 * <p>Pure functions.
 *
 * <p>Source: KIP-36 (racks), KAFKA-1792 (shift); CASES CP-16 (why not sequential).
 */
public final class ReplicaPlacement {
    private ReplicaPlacement() {}

    /**
     * Places by position.
     *
     * @param brokers ids of the brokers, in order
     * @param partitions number of partitions, at least 1
     * @param replicationFactor copies of each, at least 1 and at most the number of brokers
     * @return brokers of each partition, by its index
     * @throws IllegalArgumentException if a number is out of its range
     */
    public static List<List<Integer>> sequential(List<Integer> brokers, int partitions, int replicationFactor) {
        return sequential(brokers, 0, partitions, replicationFactor);
    }

    /**
     * Places the partitions that a topic gets later by position, as if it had had them from the start.
     *
     * @param brokers ids of the brokers, in order
     * @param firstPartition number of the first partition to place
     * @param partitions number of partitions to place, at least 1
     * @param replicationFactor copies of each, at least 1 and at most the number of brokers
     * @return brokers of each partition, beginning with the first one
     * @throws IllegalArgumentException if a number is out of its range
     */
    public static List<List<Integer>> sequential(
            List<Integer> brokers, int firstPartition, int partitions, int replicationFactor) {
        check(brokers.size(), partitions, replicationFactor);
        List<List<Integer>> placement = new ArrayList<>(partitions);
        for (int partition = firstPartition; partition < firstPartition + partitions; partition++) {
            List<Integer> replicas = new ArrayList<>(replicationFactor);
            for (int j = 0; j < replicationFactor; j++) {
                replicas.add(brokers.get((partition + j) % brokers.size()));
            }
            placement.add(List.copyOf(replicas));
        }
        return List.copyOf(placement);
    }

    /**
     * Places evenly, and over as many racks as possible. A broker without a rack counts as a rack of its own.
     *
     * @param brokers the brokers that may be used
     * @param partitions number of partitions, at least 1
     * @param replicationFactor copies of each, at least 1 and at most the number of brokers
     * @param random where the round starts
     * @return brokers of each partition, by its index
     * @throws IllegalArgumentException if a number is out of its range
     */
    public static List<List<Integer>> spread(
            Collection<BrokerRegistration> brokers, int partitions, int replicationFactor, RandomGenerator random) {
        check(brokers.size(), partitions, replicationFactor);
        Ring ring = Ring.of(brokers);
        int count = ring.brokers.length;
        int start = random.nextInt(count);
        int shift = count > 1 ? random.nextInt(count - 1) : 0;
        List<List<Integer>> placement = new ArrayList<>(partitions);
        for (int partition = 0; partition < partitions; partition++) {
            int round = partition / count;
            placement.add(ring.replicas((start + partition) % count, shift + round, replicationFactor));
        }
        return List.copyOf(placement);
    }

    private static void check(int brokers, int partitions, int replicationFactor) {
        if (partitions < 1 || replicationFactor < 1 || replicationFactor > brokers) {
            throw new IllegalArgumentException("cannot place replicas: brokers=" + brokers + ", partitions="
                    + partitions + ", replicationFactor=" + replicationFactor
                    + "; numbers must be at least 1, and the replication factor at most the number of brokers");
        }
    }

    /** The brokers in a circle in which neighbours stand in different racks as far as possible. */
    private static final class Ring {
        private final int[] brokers;
        private final int[] racks;

        private Ring(int[] brokers, int[] racks) {
            this.brokers = brokers;
            this.racks = racks;
        }

        private static Ring of(Collection<BrokerRegistration> registrations) {
            Map<String, List<Integer>> byRack = new TreeMap<>();
            for (BrokerRegistration registration : registrations) {
                String rack = registration.rack().isEmpty() ? "/" + registration.broker() : registration.rack();
                byRack.computeIfAbsent(rack, name -> new ArrayList<>()).add(registration.broker());
            }
            byRack.values().forEach(ids -> ids.sort(null));
            int[] brokers = new int[registrations.size()];
            int[] racks = new int[brokers.length];
            int next = 0;
            for (int depth = 0; next < brokers.length; depth++) {
                int rack = 0;
                for (List<Integer> ids : byRack.values()) {
                    if (depth < ids.size()) {
                        brokers[next] = ids.get(depth);
                        racks[next++] = rack;
                    }
                    rack++;
                }
            }
            return new Ring(brokers, racks);
        }

        /** The leader at an index, then followers from a distance on: first from unused racks, then from all. */
        private List<Integer> replicas(int leader, int shift, int replicationFactor) {
            int count = brokers.length;
            int[] used = new int[count];
            boolean[] taken = new boolean[count];
            List<Integer> replicas = new ArrayList<>(replicationFactor);
            take(leader, replicas, used, taken);
            for (int level = 0; replicas.size() < replicationFactor; level++) {
                for (int k = 0; k < count - 1 && replicas.size() < replicationFactor; k++) {
                    int index = (leader + 1 + (shift + k) % (count - 1)) % count;
                    if (!taken[index] && used[racks[index]] <= level) {
                        take(index, replicas, used, taken);
                    }
                }
            }
            return List.copyOf(replicas);
        }

        private void take(int index, List<Integer> replicas, int[] used, boolean[] taken) {
            replicas.add(brokers[index]);
            used[racks[index]]++;
            taken[index] = true;
        }

        @Override
        public String toString() {
            return Arrays.toString(brokers);
        }
    }
}

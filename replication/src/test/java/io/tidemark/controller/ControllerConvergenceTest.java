package io.tidemark.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.partition.Durability;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.partition.Seeds;
import io.tidemark.partition.StateVersion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * A controller against a store that is slow, whose answers get lost, and to which leaders write too, while brokers come
 * and go. When all is told, every partition is where a fresh computation would put it.
 */
class ControllerConvergenceTest {
    // CP-12, CP-13, CP-14, K-04.
    @Test
    void shouldEndWhereAFreshComputationWould() {
        int[] writes = new int[1];
        int[] unknown = new int[1];
        Seeds.forEach("ControllerConvergenceTest", 1_000, random -> {
            World world = new World(random);
            for (int step = 0; step < 120; step++) {
                world.step();
            }
            world.settle();
            writes[0] += world.applied;
            unknown[0] += world.unknown;
        });
        System.out.println(
                "ControllerConvergenceTest: applied writes=" + writes[0] + ", unknown outcomes=" + unknown[0]);
        assertTrue(writes[0] > 0);
    }

    /** The store, the brokers and the messages between them and the controller. */
    private static final class World implements ControllerDecisions {
        private static final int PARTITIONS = 4;
        private static final int BROKERS = 4;

        private final RandomGenerator random;
        private final ControllerCore core;
        private final Map<PartitionId, VersionedState> store = new HashMap<>();
        private final Map<PartitionId, VersionedState> told = new HashMap<>();
        private final Map<Integer, BrokerRegistration> brokers = new TreeMap<>();
        private final List<RecordedControl.Write> sent = new ArrayList<>();
        private final List<RecordedControl.Write> ghosts = new ArrayList<>();
        private final List<Runnable> messages = new ArrayList<>();
        private final Set<PartitionId> busy = new HashSet<>();
        private final long[] incarnations = {5, 5, 5, 5};
        private long revision = 1;
        private int applied;
        private int unknown;

        World(RandomGenerator random) {
            this.random = random;
            core = new ControllerCore(3, ControllerSettings.DEFAULT, random, this, true);
            for (int broker = 0; broker < BROKERS; broker++) {
                brokers.put(broker, Fixtures.broker(broker, 5, 1));
            }
            ClusterImage.Builder image = ClusterImage.empty("c").toBuilder().brokers(brokers);
            for (int p = 0; p < PARTITIONS; p++) {
                List<Integer> assignment = List.of(p % BROKERS, (p + 1) % BROKERS, (p + 2) % BROKERS);
                List<Replica> isr = assignment.stream()
                        .map(broker -> new Replica(broker, 5))
                        .toList();
                VersionedState state = new VersionedState(
                        PartitionState.initial(assignment, isr, 2, Durability.REPLICATED, 1),
                        new StateVersion(1, 1, 1));
                PartitionId id = new PartitionId(new UUID(1, 1), p);
                store.put(id, state);
                image.partition(id, state);
            }
            core.start(image.build());
        }

        @Override
        public void writePartition(PartitionId id, StateVersion expected, PartitionState state) {
            assertTrue(busy.add(id), "two writes of one partition are under way: " + id);
            assertEquals(3, state.controllerEpoch());
            sent.add(new RecordedControl.Write(id, expected, state));
        }

        @Override
        public void storeTopic(long requestId, TopicChange change) {
            throw new AssertionError("nobody asked for a topic");
        }

        @Override
        public void deleteTopic(long requestId, TopicState topic) {
            throw new AssertionError("nobody asked for a deletion");
        }

        @Override
        public void publishTopic(TopicState topic) {
            throw new AssertionError("nobody asked for a change");
        }

        @Override
        public void publishDeletion(TopicState topic) {
            throw new AssertionError("nobody asked for a deletion");
        }

        @Override
        public void publish(PartitionId id, PartitionState state, StateVersion version) {
            VersionedState before = told.put(id, new VersionedState(state, version));
            assertTrue(
                    before == null || state.isNewerThan(before.state()), "a record was published twice, or went back");
        }

        @Override
        public void reply(long requestId, AdminResult result) {
            throw new AssertionError("nobody asked for a topic");
        }

        void step() {
            switch (random.nextInt(8)) {
                case 0 -> changeBroker();
                case 1 -> messages.add(this::tellBrokers);
                case 2 -> leaderWrites();
                case 3, 4 -> storeTakesAWrite();
                default -> deliver();
            }
            if (!ghosts.isEmpty() && random.nextInt(4) == 0) {
                apply(ghosts.remove(0));
            }
        }

        private void changeBroker() {
            int broker = random.nextInt(BROKERS);
            if (brokers.remove(broker) == null || random.nextBoolean()) {
                incarnations[broker]++;
                long intactSince = random.nextInt(5) == 0 ? incarnations[broker] : 1;
                brokers.put(broker, Fixtures.broker(broker, incarnations[broker], intactSince));
            }
        }

        private void tellBrokers() {
            core.onBrokers(new TreeMap<>(brokers));
        }

        /** A live leader takes a live replica into its ISR, or puts one out. */
        private void leaderWrites() {
            PartitionId id = new PartitionId(new UUID(1, 1), random.nextInt(PARTITIONS));
            PartitionState state = current(id).state();
            if (!LeaderSelector.isAlive(state.leader(), brokers)) {
                return;
            }
            List<Replica> isr = new ArrayList<>(List.of(state.leader()));
            for (int broker : state.assignment()) {
                BrokerRegistration registration = brokers.get(broker);
                if (broker != state.leader().broker() && registration != null && random.nextInt(3) > 0) {
                    isr.add(new Replica(broker, registration.incarnation()));
                }
            }
            put(id, state.withIsr(isr, List.of()));
            if (random.nextBoolean()) {
                tellRecord(id);
            }
        }

        private void storeTakesAWrite() {
            if (sent.isEmpty()) {
                return;
            }
            RecordedControl.Write write = sent.remove(random.nextInt(sent.size()));
            int fate = random.nextInt(6);
            if (fate < 2) {
                // Nobody learns whether it applied: at once, later, or never.
                unknown++;
                if (fate == 0) {
                    apply(write);
                } else if (random.nextBoolean()) {
                    ghosts.add(write);
                }
                messages.add(() -> {
                    busy.remove(write.id());
                    core.onWriteUnknown(write.id());
                });
                messages.add(() -> readRecord(write.id()));
            } else if (apply(write)) {
                VersionedState now = current(write.id());
                messages.add(() -> {
                    busy.remove(write.id());
                    core.onWriteCommitted(write.id(), now.state(), now.version());
                });
            } else {
                messages.add(() -> {
                    busy.remove(write.id());
                    core.onWriteConflict(write.id());
                    readRecord(write.id());
                });
            }
        }

        private boolean apply(RecordedControl.Write write) {
            if (!current(write.id()).version().equals(write.expected())) {
                return false;
            }
            put(write.id(), write.state());
            tellRecord(write.id());
            applied++;
            return true;
        }

        private void put(PartitionId id, PartitionState state) {
            revision++;
            store.put(id, new VersionedState(state, new StateVersion(1, revision, revision)));
        }

        private void tellRecord(PartitionId id) {
            VersionedState now = current(id);
            messages.add(() -> core.onPartitionState(id, now.state(), now.version()));
        }

        private void readRecord(PartitionId id) {
            VersionedState now = current(id);
            core.onPartitionState(id, now.state(), now.version());
        }

        private void deliver() {
            if (!messages.isEmpty()) {
                messages.remove(0).run();
            }
        }

        private VersionedState current(PartitionId id) {
            return Optional.ofNullable(store.get(id)).orElseThrow();
        }

        void settle() {
            messages.add(this::tellBrokers);
            while (!messages.isEmpty() || !sent.isEmpty() || !ghosts.isEmpty()) {
                while (!ghosts.isEmpty()) {
                    apply(ghosts.remove(0));
                }
                while (!messages.isEmpty()) {
                    deliver();
                }
                storeTakesAWrite();
            }
            store.keySet().forEach(this::readRecord);
            while (!sent.isEmpty() || !messages.isEmpty()) {
                storeTakesAWrite();
                deliver();
            }
            for (PartitionId id : store.keySet()) {
                PartitionState state = current(id).state();
                assertEquals(
                        Optional.empty(),
                        LeaderSelector.afterBrokerChange(state, brokers),
                        "a leader could have been elected: " + state + ", brokers=" + brokers);
                assertEquals(current(id), core.partition(id).orElseThrow());
                assertEquals(current(id), told.get(id), "brokers were told something else");
            }
        }
    }
}

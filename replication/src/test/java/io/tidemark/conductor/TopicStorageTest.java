package io.tidemark.conductor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.controller.AddPartitions;
import io.tidemark.controller.AdminResult;
import io.tidemark.controller.AdminWish;
import io.tidemark.controller.CreateTopic;
import io.tidemark.controller.Placement;
import io.tidemark.controller.TopicState;
import io.tidemark.coordination.Change;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.Watch;
import io.tidemark.coordination.WatchListener;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.Durability;
import io.tidemark.partition.PartitionId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** Topics that need several transactions, and what is left of them when something breaks between any two. */
class TopicStorageTest {
    /** Needs three transactions: two of 96 partitions, one of 8 and the topic. */
    private static final int PARTITIONS = 200;

    private static final int TRANSACTIONS = 3;

    // CP-16, C-03: at no revision does anybody see a topic with fewer partitions than it says.
    @Test
    void shouldShowAllOfATopicOrNothing() {
        try (World world = new World()) {
            AdminResult created = world.await(world.first.admin(topic()));

            assertTrue(created instanceof AdminResult.Done, created.toString());
            assertEquals(PARTITIONS, world.partitions().size());
            assertTrue(world.broken.isEmpty(), world.broken.toString());
            assertEquals(PARTITIONS, world.first.view.records().size());
        }
    }

    // CP-16: the controller dies at each of its writes, which is lost, or applied, or still on its way. The next
    // controller finds all of the topic or clears the rest away, and the name can be used.
    @Test
    void shouldLeaveATopicOrNothingWhenTheControllerDiesAtAnyWrite() {
        forEachFault((fault, nth) -> {
            try (World world = new World()) {
                fault.inject(world, nth);
                world.first.admin(topic());
                world.killAtFault();
                ControllerNode next = world.elect(2);
                world.cluster.faults().deliverDelayed(world.first.client);
                world.cluster.advance(Duration.ofSeconds(1));

                int stored = world.partitions().size();
                assertTrue(stored == 0 || stored == PARTITIONS, "stored=" + stored);
                assertEquals(stored > 0, world.topic().isPresent());
                assertEquals(stored, next.view.records().size());
                AdminResult again = world.await(next.admin(topic()));
                assertEquals(stored == 0, again instanceof AdminResult.Done, again.toString());
                assertEquals(PARTITIONS, world.partitions().size());
                assertTrue(world.broken.isEmpty(), world.broken.toString());
            }
        });
    }

    // The controller lives on, and only its write is lost or delayed: the topic is created all the same, once.
    @Test
    void shouldCreateTheTopicWhateverBecomesOfAWrite() {
        forEachFault((fault, nth) -> {
            try (World world = new World()) {
                fault.inject(world, nth);
                AdminResult created = world.await(world.first.admin(topic()));
                world.cluster.faults().deliverDelayed(world.first.client);
                world.cluster.advance(Duration.ofSeconds(1));

                assertTrue(created instanceof AdminResult.Done, created.toString());
                assertEquals(PARTITIONS, world.partitions().size());
                assertEquals(PARTITIONS, world.first.view.records().size());
                assertTrue(world.broken.isEmpty(), world.broken.toString());
            }
        });
    }

    // CP-06: the controller dies at each write of an addition; the topic has its old number or the new one, and the
    // addition can be made by the next controller.
    @Test
    void shouldAddAllPartitionsOrNoneWhenTheControllerDiesAtAnyWrite() {
        forEachFault((fault, nth) -> {
            try (World world = new World()) {
                world.await(world.first.admin(new CreateTopic("t", 1, 2, 1, Durability.REPLICATED)));
                AdminWish more = new AddPartitions("t", PARTITIONS + 1, Placement.SPREAD, List.of());
                fault.inject(world, nth);
                world.first.admin(more);
                world.killAtFault();
                ControllerNode next = world.elect(2);
                world.cluster.faults().deliverDelayed(world.first.client);
                world.cluster.advance(Duration.ofSeconds(1));

                int count = world.topic().orElseThrow().partitions();
                assertTrue(count == 1 || count == PARTITIONS + 1, "partitions=" + count);
                assertEquals(count, next.view.records().size());
                AdminResult again = world.await(next.admin(more));
                assertEquals(count == 1, again instanceof AdminResult.Done, again.toString());
                assertEquals(PARTITIONS + 1, world.topic().orElseThrow().partitions());
                assertEquals(PARTITIONS + 1, next.view.records().size());
                assertTrue(world.broken.isEmpty(), world.broken.toString());
            }
        });
    }

    // Somebody else takes the name while the partitions are being stored: these are cleared away.
    @Test
    void shouldClearAwayItsPartitionsWhenTheNameIsTakenMeanwhile() {
        try (World world = new World()) {
            world.cluster.faults().delayRequest(world.first.client, TRANSACTIONS);
            List<AdminResult> results = world.first.admin(topic());
            world.cluster.settle();
            TopicState other = Records.TOPIC;
            world.cluster.put(
                    MetadataKeys.topic("t"),
                    new String(
                            MetadataJson.encode(new TopicState("t", other.topicId(), 1, 1, 1, Durability.REPLICATED)),
                            StandardCharsets.UTF_8));
            world.cluster.faults().deliverDelayed(world.first.client);

            assertTrue(world.await(results) instanceof AdminResult.Exists);
            world.cluster.advance(Duration.ofSeconds(1));
            assertTrue(world.partitions().isEmpty(), world.partitions().toString());
        }
    }

    // A topic's own record is damaged by hand: its partitions are not taken for what a broken attempt left.
    @Test
    void shouldKeepThePartitionsOfATopicThatItCannotRead() {
        try (World world = new World()) {
            world.await(world.first.admin(new CreateTopic("t", 3, 2, 1, Durability.REPLICATED)));
            world.cluster.put(MetadataKeys.topic("t"), "{}");
            world.first.kill();
            ControllerNode next = world.elect(2);
            world.cluster.advance(Duration.ofSeconds(1));

            assertEquals(3, world.partitions().size());
            assertFalse(next.broken.isEmpty());
        }
    }

    private static CreateTopic topic() {
        return new CreateTopic("t", PARTITIONS, 2, 1, Durability.REPLICATED);
    }

    /** What becomes of the nth transaction from now on. */
    enum Fault {
        LOST,
        ANSWER_LOST,
        DELAYED;

        void inject(World world, int nth) {
            switch (this) {
                case LOST -> world.cluster.faults().dropRequest(world.first.client, nth);
                case ANSWER_LOST -> world.cluster.faults().dropReply(world.first.client, nth);
                case DELAYED -> world.cluster.faults().delayRequest(world.first.client, nth);
            }
        }
    }

    private static void forEachFault(BiConsumer<Fault, Integer> test) {
        for (Fault fault : Fault.values()) {
            for (int nth = 1; nth <= TRANSACTIONS; nth++) {
                try {
                    test.accept(fault, nth);
                } catch (AssertionError failed) {
                    throw new AssertionError("fault=" + fault + ", write=" + nth + ": " + failed.getMessage(), failed);
                }
            }
        }
    }

    /** A cluster of three brokers, of which the first is controller, and an observer. */
    static final class World implements AutoCloseable {
        final VirtualCluster cluster = new VirtualCluster();
        final ControllerNode first = new ControllerNode(cluster, 1);
        private final Map<String, Entry> seen = new TreeMap<>();
        final List<String> broken = new ArrayList<>();
        private final Watch watch;

        World() {
            Records.register(cluster, Records.broker(8, 8));
            Records.register(cluster, Records.broker(9, 9));
            cluster.await("elected", () -> first.view.registrations().size() == 3 && first.driver.isInOffice());
            watch = cluster.client("observer").watch(MetadataKeys.TOPICS, new WatchListener() {
                @Override
                public void onSnapshot(Listing state) {
                    seen.clear();
                    state.entries().forEach(entry -> seen.put(entry.key().path(), entry));
                    check();
                }

                @Override
                public void onChanges(List<Change> changes, long revision) {
                    for (Change change : changes) {
                        if (change instanceof Change.Put put) {
                            seen.put(put.entry().key().path(), put.entry());
                        } else {
                            seen.remove(change.key().path());
                        }
                    }
                    check();
                }
            });
            cluster.settle();
        }

        /** Every topic that is there has all its partitions. */
        private void check() {
            Map<String, TopicState> topics = new HashMap<>();
            seen.values().stream()
                    .filter(entry -> MetadataKeys.topicOf(entry.key()).isPresent()
                            && !entry.valueText().equals("{}")
                            && !MetadataJson.isNoTopic(entry.value()))
                    .forEach(entry -> topics.put(
                            entry.key().path(),
                            MetadataJson.decodeTopic(entry.key().path(), entry.value())));
            for (TopicState topic : topics.values()) {
                for (int i = 0; i < topic.partitions(); i++) {
                    PartitionId id = new PartitionId(topic.topicId(), i);
                    if (!topic.topicId().equals(Records.TOPIC.topicId())
                            && !seen.containsKey(MetadataKeys.partitionState(topic.name(), id)
                                    .path())) {
                        broken.add("topic=" + topic + ", missing=" + i);
                    }
                }
            }
        }

        Set<Integer> partitions() {
            Set<Integer> found = new TreeSet<>();
            seen.values()
                    .forEach(entry -> MetadataKeys.partitionOf(entry.key())
                            .ifPresent(key -> found.add(key.id().partition())));
            return found;
        }

        Optional<TopicState> topic() {
            return cluster.entry(MetadataKeys.topic("t"))
                    .filter(entry -> !MetadataJson.isNoTopic(entry.value()))
                    .map(entry -> MetadataJson.decodeTopic("t", entry.value()));
        }

        /** Lets the fault strike, and ends the controller then. */
        void killAtFault() {
            cluster.settle();
            assertFalse(first.failures.isEmpty(), "the fault did not strike");
            first.kill();
        }

        ControllerNode elect(int id) {
            ControllerNode next = new ControllerNode(cluster, id);
            cluster.await("next controller", next.driver::isInOffice);
            return next;
        }

        AdminResult await(List<AdminResult> results) {
            cluster.await("an answer", () -> !results.isEmpty());
            return results.get(0);
        }

        @Override
        public void close() {
            watch.close();
            cluster.close();
        }
    }
}

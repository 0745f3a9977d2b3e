package io.tidemark.conductor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.controller.AdminResult;
import io.tidemark.controller.CreateTopic;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.Durability;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the fail-over of many partitions costs the coordination service. 1 000 partitions on 5 brokers, R=3. */
class FailoverCostTest {
    private static final int PARTITIONS = 1_000;
    private static final int BROKERS = 5;

    /** Brokers, topics, the office's own key, the inboxes, and the election's. */
    private static final int WATCHES_MAX = 6;

    private static final int ELECTION_CALLS_MAX = 5;

    private final VirtualCluster cluster = new VirtualCluster();
    private final Map<Integer, Integer> leaderships = new TreeMap<>();

    @BeforeEach
    void create() {
        for (int id = 2; id <= BROKERS; id++) {
            Records.register(cluster, Records.broker(id, id));
        }
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private ControllerNode elect(int id) {
        ControllerNode node = new ControllerNode(cluster, id);
        cluster.await("in office", node.driver::isInOffice);
        return node;
    }

    private void createTopic(ControllerNode node) {
        cluster.await("all brokers", () -> node.view.registrations().size() == BROKERS);
        List<AdminResult> results = node.admin(new CreateTopic("t", PARTITIONS, 3, 2, Durability.REPLICATED));
        cluster.await("created", () -> !results.isEmpty());
        assertTrue(results.get(0) instanceof AdminResult.Done, results.toString());
        cluster.settle();
    }

    private void count(ControllerNode node) {
        leaderships.clear();
        for (PartitionId id : node.view.partitions()) {
            leaderships.merge(node.known(id).leader().broker(), 1, Integer::sum);
        }
    }

    private static void assertLed(ControllerNode node, int gone) {
        for (PartitionId id : node.view.partitions()) {
            PartitionState state = node.known(id);
            assertTrue(state.leader().broker() != gone, () -> id + ": " + state);
            assertTrue(state.isr().contains(state.leader()), () -> id + ": " + state);
        }
    }

    // C-08, CO-15: one write for each partition that the dead broker led, all of them before the first answer, no read,
    // no watch; answers in any order; one that conflicts costs one read and delays no other. CP-16: the leaderships
    // spread over all that are left.
    @Test
    void shouldMoveAllLeadershipsInOnePass() {
        ControllerNode node = elect(1);
        createTopic(node);
        count(node);
        int led = leaderships.getOrDefault(3, 0);
        Map<Integer, Integer> before = new TreeMap<>(leaderships);
        assertTrue(led >= PARTITIONS / BROKERS / 2, leaderships.toString());
        int writes = node.counted.writes;
        int reads = node.counted.reads;
        int watches = node.counted.watches;
        node.counted.hold();

        cluster.delete(MetadataKeys.brokerId(3));
        cluster.settle();

        assertEquals(led, node.counted.held(), "not all at once");
        assertEquals(led, node.counted.writes - writes);
        assertEquals(0, node.counted.reads - reads);
        assertEquals(0, node.counted.watches - watches);
        assertTrue(watches <= WATCHES_MAX, "watches=" + watches);

        PartitionId contested = node.view.partitions().stream()
                .filter(id -> node.known(id).leader().broker() == 3)
                .findFirst()
                .orElseThrow();
        PartitionState state = node.known(contested);
        cluster.put(
                MetadataKeys.partitionState("t", contested),
                new String(MetadataJson.encode(state.withIsr(state.isr(), state.elr())), StandardCharsets.UTF_8));
        node.counted.release();
        cluster.settle();

        assertLed(node, 3);
        assertEquals(led + 1, node.counted.writes - writes);
        assertTrue(node.counted.reads - reads <= 1, "reads=" + (node.counted.reads - reads));
        count(node);
        List<Integer> gained = leaderships.entrySet().stream()
                .map(entry -> entry.getValue() - before.getOrDefault(entry.getKey(), 0))
                .toList();
        assertEquals(BROKERS - 1, gained.size());
        assertTrue(Collections.max(gained) <= 2 * Collections.min(gained), "gained=" + gained);
    }

    // CP-13: a controller that starts among 1 000 partitions of which some have dead leaders writes these, and reads
    // all by one listing.
    @Test
    void shouldMoveAllLeadershipsOfADeadBrokerAtTakeOver() {
        ControllerNode first = elect(1);
        createTopic(first);
        count(first);
        int led = leaderships.getOrDefault(3, 0);
        first.kill();
        cluster.delete(MetadataKeys.brokerId(3));

        ControllerNode next = elect(6);
        cluster.settle();

        assertLed(next, 3);
        assertTrue(
                next.counted.writes >= led && next.counted.writes <= led + ELECTION_CALLS_MAX,
                "writes=" + next.counted.writes + ", led=" + led);
        assertTrue(next.counted.reads <= ELECTION_CALLS_MAX, "reads=" + next.counted.reads);
        assertTrue(next.counted.watches <= WATCHES_MAX, "watches=" + next.counted.watches);
    }
}

package io.tidemark.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.partition.Durability;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.partition.StateVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ClusterImageTest {
    private static final Replica A = new Replica(1, 10);
    private static final PartitionState STATE = Fixtures.state(A, List.of(A), List.of());
    private static final TopicState TOPIC = new TopicState("t", new UUID(1, 2), 2, 3, 2, Durability.REPLICATED);

    // Readers on other threads keep what they hold.
    @Test
    void shouldNotChangeAnImageByItsCopies() {
        ClusterImage empty = ClusterImage.empty("c");
        PartitionId id = new PartitionId(TOPIC.topicId(), 1);

        ClusterImage image = empty.toBuilder()
                .controller(3, 7)
                .brokers(Fixtures.brokers(Fixtures.broker(1, 10, 10)))
                .topic(TOPIC)
                .partition(id, new VersionedState(STATE, new StateVersion(1, 2, 3)))
                .build();
        ClusterImage later = image.toBuilder()
                .partition(id, new VersionedState(STATE.withIsr(List.of(A), List.of()), new StateVersion(1, 3, 4)))
                .build();

        assertTrue(empty.topics().isEmpty() && empty.brokers().isEmpty());
        assertEquals(ClusterImage.NO_CONTROLLER, empty.controllerBroker());
        assertEquals(STATE, image.partition(id).orElseThrow().state());
        assertEquals(10, later.partition(id).orElseThrow().state().partitionEpoch());
        assertEquals(Optional.of(TOPIC), later.topic("t"));
        assertEquals(Optional.of(TOPIC), later.topic(TOPIC.topicId()));
        assertEquals(3, later.controllerBroker());
        assertEquals(7, later.controllerEpoch());
        assertEquals("c", later.clusterId());
        assertThrows(UnsupportedOperationException.class, () -> image.brokers().clear());
    }

    // C-07: what is published never goes back.
    @Test
    void shouldKeepTheNewestRecordAndController() {
        PartitionId id = new PartitionId(TOPIC.topicId(), 0);
        VersionedState newer = new VersionedState(STATE.withIsr(List.of(A), List.of()), new StateVersion(1, 3, 4));

        ClusterImage image = ClusterImage.empty("c").toBuilder()
                .controller(3, 7)
                .controller(2, 6)
                .partition(id, newer)
                .partition(id, new VersionedState(STATE, new StateVersion(1, 2, 3)))
                .build();

        assertEquals(Optional.of(newer), image.partition(id));
        assertEquals(3, image.controllerBroker());
        assertEquals(Optional.empty(), image.partition(new PartitionId(TOPIC.topicId(), 5)));
        assertEquals(Optional.empty(), image.partition(new PartitionId(new UUID(9, 9), 0)));
    }

    @Test
    void shouldVisitKnownPartitionsInOrder() {
        List<Integer> seen = new ArrayList<>();
        ClusterImage image = ClusterImage.empty("c").toBuilder()
                .partition(new PartitionId(TOPIC.topicId(), 3), new VersionedState(STATE, new StateVersion(1, 2, 3)))
                .partition(new PartitionId(TOPIC.topicId(), 0), new VersionedState(STATE, new StateVersion(1, 2, 3)))
                .build();

        image.forEachPartition((id, state) -> seen.add(id.partition()));

        assertEquals(List.of(0, 3), seen);
    }

    @Test
    void shouldRefuseImpossibleRegistrations() {
        assertThrows(IllegalArgumentException.class, () -> Fixtures.broker(1, 5, 6));
        assertThrows(IllegalArgumentException.class, () -> Fixtures.broker(-1, 5, 5));
        assertThrows(
                IllegalArgumentException.class,
                () -> new BrokerRegistration(1, 1, 1, "h", 0, "", "s", BrokerRegistration.Status.RUNNING));
        assertThrows(
                IllegalArgumentException.class,
                () -> new TopicState("t", new UUID(1, 2), 0, 1, 1, Durability.REPLICATED));
    }
}

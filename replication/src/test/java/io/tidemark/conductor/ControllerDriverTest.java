package io.tidemark.conductor;

import static io.tidemark.conductor.Records.P0;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.controller.AdminResult;
import io.tidemark.controller.BrokerRegistration;
import io.tidemark.controller.CreateTopic;
import io.tidemark.coordination.Entry;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.Durability;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Controllers on one store, each in a broker of its own. */
class ControllerDriverTest {
    private static final Replica ONE = new Replica(1, 1);
    private static final Replica TWO = new Replica(2, 2);
    private static final Replica THREE = new Replica(3, 3);

    private final VirtualCluster cluster = new VirtualCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    // The first one to run is elected, and raises the epoch together with the key.
    @Test
    void shouldElectOneControllerAndRaiseTheEpoch() {
        ControllerNode first = new ControllerNode(cluster, 1);
        ControllerNode second = new ControllerNode(cluster, 2);
        cluster.advance(Duration.ofSeconds(1));

        assertEquals(List.of("elected 1"), first.events);
        assertEquals(List.of(), second.events);
        assertEquals(
                "1", cluster.entry(MetadataKeys.CONTROLLER_EPOCH).orElseThrow().valueText());
        assertEquals(
                ONE,
                MetadataJson.decodeController(
                        "/controller",
                        cluster.entry(MetadataKeys.CONTROLLER).orElseThrow().value()));
        assertEquals(1, first.view.image().controllerBroker());
    }

    @Test
    void shouldElectTheNextControllerWhenTheFirstIsGone() {
        ControllerNode first = new ControllerNode(cluster, 1);
        cluster.advance(Duration.ofMillis(100));
        ControllerNode second = new ControllerNode(cluster, 2);
        cluster.faults().partition(first.client);

        cluster.await("second elected", () -> second.events.contains("elected 2"));

        // K-01: the first one has left by its own clock, before the other one could be elected.
        assertEquals(2, first.events.size());
        assertTrue(first.events.get(1).startsWith("left 1"), first.events.toString());
    }

    // CO-05: the key is deleted by hand while in office.
    @Test
    void shouldResignAndRunAgainWhenItsKeyIsTakenAway() {
        ControllerNode node = new ControllerNode(cluster, 1);
        cluster.await("elected", () -> node.events.contains("elected 1"));

        cluster.delete(MetadataKeys.CONTROLLER);
        cluster.await("elected again", () -> node.events.contains("elected 2"));

        assertEquals(
                List.of("elected 1", "left 1: the key of the controller was taken away", "elected 2"), node.events);
    }

    // A broker's registration vanishes: leadership of its partitions moves, in the same write that drops it.
    @Test
    void shouldMoveLeadershipWhenTheLeaderIsGone() {
        Records.store(cluster, Records.state(ONE, TWO, THREE));
        ControllerNode node = new ControllerNode(cluster, 2);
        register(1, 3);
        cluster.await("elected", () -> node.events.contains("elected 1"));
        assertEquals(ONE, Records.stored(cluster).leader());

        cluster.delete(MetadataKeys.brokerId(1));
        cluster.await("moved", () -> Records.stored(cluster).leaderEpoch() == 1);

        PartitionState moved = Records.stored(cluster);
        assertEquals(TWO, moved.leader());
        assertEquals(List.of(TWO, THREE), moved.isr());
        assertEquals(1, moved.controllerEpoch());
        assertEquals(moved, node.known(P0));
    }

    // The leader is still registered, but two processes found it dead: leadership moves at once.
    @Test
    void shouldMoveLeadershipWhenTheLeaderIsProvenDead() {
        Records.store(cluster, Records.state(ONE, TWO, THREE));
        ControllerNode node = new ControllerNode(cluster, 2);
        register(1);
        cluster.await("elected", () -> node.events.contains("elected 1"));
        assertFalse(
                new ControllerNode(cluster, 3).driver.processDead(ONE, List.of(TWO, THREE)),
                "another broker is in office");

        assertTrue(node.driver.processDead(ONE, List.of(TWO)));
        cluster.settle();
        assertEquals(ONE, Records.stored(cluster).leader());
        assertTrue(node.driver.processDead(ONE, List.of(TWO, THREE)));
        cluster.settle();

        PartitionState moved = Records.stored(cluster);
        assertEquals(TWO, moved.leader());
        assertEquals(List.of(TWO, THREE), moved.isr());
        assertEquals(1, moved.leaderEpoch());
    }

    // A broker that cannot be reached at all is reported, so that its port is probed.
    @Test
    void shouldReportALinkThatCannotBeMade() {
        ControllerNode node = new ControllerNode(cluster, 2);
        register(1);
        cluster.await("linked", () -> !node.transport.connections().isEmpty());

        node.transport.last().end(new IOException("refused"));

        assertEquals(List.of(ONE), node.lost);
    }

    // The leader's process was restarted: the same broker leads again, under its new incarnation, in a new epoch.
    @Test
    void shouldBeginANewEpochWhenTheLeaderWasRestarted() {
        Records.store(cluster, Records.state(ONE, TWO, THREE));
        ControllerNode node = new ControllerNode(cluster, 2);
        register(1, 3);
        cluster.await("elected", () -> node.events.contains("elected 1"));

        cluster.put(
                MetadataKeys.brokerId(1),
                new String(
                        MetadataJson.encode(new BrokerRegistration(
                                1, 9, 1, "10.0.0.1", 7001, "", "folder-1", BrokerRegistration.Status.RUNNING)),
                        StandardCharsets.UTF_8));
        cluster.await("moved", () -> Records.stored(cluster).leaderEpoch() == 1);

        PartitionState moved = Records.stored(cluster);
        assertFalse(moved.leader().equals(ONE), moved.toString());
        assertFalse(moved.isr().contains(ONE), moved.toString());
    }

    // CP-13: the leader was dead before the controller took office.
    @Test
    void shouldMoveLeadershipWhenTheLeaderWasDeadBeforeTheElection() {
        Records.store(cluster, Records.state(ONE, TWO, THREE));
        register(3);
        ControllerNode node = new ControllerNode(cluster, 2);

        cluster.await("moved", () -> Records.stored(cluster).leaderEpoch() == 1);

        assertEquals(TWO, Records.stored(cluster).leader());
        assertEquals(List.of("elected 1"), node.events);
    }

    // CP-13: nobody who may lead is there; the partition waits, and gets a leader as soon as one comes.
    @Test
    void shouldWaitForAReplicaThatMayLead() {
        Records.store(cluster, Records.state(ONE, TWO));
        ControllerNode node = new ControllerNode(cluster, 3);
        cluster.await("elected", () -> node.events.contains("elected 1"));
        cluster.advance(Duration.ofSeconds(5));
        assertEquals(0, Records.stored(cluster).leaderEpoch());

        register(2);
        cluster.await("led", () -> Records.stored(cluster).leaderEpoch() == 1);

        assertEquals(TWO, Records.stored(cluster).leader());
    }

    // CP-01: a controller is paused past its session, another one is elected and changes leaders; then the first one
    // goes on with what it had queued. Everything it writes conflicts, and what the second one decided stays.
    @Test
    void shouldChangeNothingWhenADeposedControllerGoesOn() {
        Records.store(cluster, Records.state(ONE, TWO, THREE));
        ControllerNode paused = new ControllerNode(cluster, 2);
        register(1);
        cluster.await("elected", () -> paused.events.contains("elected 1"));
        paused.pause();
        ControllerNode next = new ControllerNode(cluster, 3);
        cluster.faults().expireSession(paused.session);
        cluster.await("next elected", () -> next.events.contains("elected 2"));
        cluster.delete(MetadataKeys.brokerId(1));
        cluster.await("moved", () -> Records.stored(cluster).leaderEpoch() == 1);
        PartitionState decided = Records.stored(cluster);

        // The zombie wakes up with its queue: the same news, which it judges as if it were in office.
        paused.wakeUpAsZombie();
        cluster.advance(Duration.ofSeconds(2));

        assertEquals(decided, Records.stored(cluster));
        assertEquals(2, decided.controllerEpoch());
        assertTrue(paused.events.get(1).startsWith("left 1"), paused.events.toString());
        assertFalse(paused.driver.admin(topic("late"), 0, result -> {}));
    }

    // CP-16, C-03: all or nothing, and what is written is what brokers learn.
    @Test
    void shouldCreateATopicInOneWrite() {
        ControllerNode node = new ControllerNode(cluster, 1);
        register(2, 3);
        cluster.await(
                "elected",
                () -> node.events.contains("elected 1")
                        && node.view.registrations().size() == 3);

        List<AdminResult> results = node.admin(topic("orders"));
        cluster.settle();

        AdminResult.Done created = (AdminResult.Done) results.get(0);
        Entry stored = cluster.entry(MetadataKeys.topic("orders")).orElseThrow();
        assertEquals(created.topic(), MetadataJson.decodeTopic("orders", stored.value()));
        for (int i = 0; i < 3; i++) {
            PartitionId id = new PartitionId(created.topic().topicId(), i);
            Entry state =
                    cluster.entry(MetadataKeys.partitionState("orders", id)).orElseThrow();
            assertEquals(stored.version().modRevision(), state.version().modRevision());
            assertEquals(node.known(id), MetadataJson.decodePartition("orders", state.value()));
        }
    }

    // Another controller's topic of the same name came first, and this one has not heard of it yet.
    @Test
    void shouldSayThatTheTopicExistsWhenItsNameWasTakenMeanwhile() {
        ControllerNode node = new ControllerNode(cluster, 1);
        register(2, 3);
        cluster.await(
                "elected",
                () -> node.events.contains("elected 1")
                        && node.view.registrations().size() == 3);
        cluster.faults().holdDeliveries(node.client);
        Records.store(cluster, Records.state(ONE, TWO));

        List<AdminResult> results = node.admin(topic("orders"));
        cluster.settle();

        assertTrue(results.get(0) instanceof AdminResult.Exists, results.toString());
        cluster.faults().releaseDeliveries(node.client);
        cluster.settle();
        assertEquals(Records.state(ONE, TWO), node.known(P0));
    }

    // Two requests for one name at the same moment: one winner.
    @Test
    void shouldCreateATopicOnceWhenAskedTwiceAtOnce() {
        ControllerNode node = new ControllerNode(cluster, 1);
        register(2, 3);
        cluster.await(
                "elected",
                () -> node.events.contains("elected 1")
                        && node.view.registrations().size() == 3);

        List<AdminResult> first = node.admin(topic("orders"));
        List<AdminResult> second = node.admin(topic("orders"));
        cluster.settle();

        assertTrue(first.get(0) instanceof AdminResult.Done, first.toString());
        assertTrue(second.get(0) instanceof AdminResult.Busy, second.toString());
        assertTrue(node.admin(topic("orders")).get(0) instanceof AdminResult.Exists);
    }

    // The answer to the write is lost, or the write is: what landed is found, and the rest is written.
    @Test
    void shouldCreateTheTopicAlthoughTheAnswerIsLost() {
        ControllerNode node = new ControllerNode(cluster, 1);
        register(2, 3);
        cluster.await(
                "elected",
                () -> node.events.contains("elected 1")
                        && node.view.registrations().size() == 3);
        cluster.faults().dropNextReply(node.client);
        List<AdminResult> first = node.admin(topic("orders"));
        cluster.await("created", () -> !first.isEmpty());
        cluster.faults().dropNextRequest(node.client);
        List<AdminResult> second = node.admin(topic("others"));
        cluster.await("created", () -> !second.isEmpty());

        assertTrue(first.get(0) instanceof AdminResult.Done, first.toString());
        assertTrue(second.get(0) instanceof AdminResult.Done, second.toString());
        assertTrue(node.view.topic(topicId("orders")) != null);
        assertEquals(2, node.failures.size());
    }

    // A request is on its way when the office ends: the client is sent to the next controller.
    @Test
    void shouldAnswerPendingRequestsWhenTheOfficeEnds() {
        ControllerNode node = new ControllerNode(cluster, 1);
        register(2, 3);
        cluster.await(
                "elected",
                () -> node.events.contains("elected 1")
                        && node.view.registrations().size() == 3);
        List<String> replies = new ArrayList<>();
        cluster.faults().partition(node.client);
        assertTrue(node.driver.admin(topic("orders"), 0, result -> replies.add(String.valueOf(result))));

        node.driver.lost("the session ended");

        assertEquals(List.of("null"), replies);
    }

    // A write of the controller has an unknown outcome: the partition is read, and decided anew.
    @Test
    void shouldMoveLeadershipWhenTheFirstWriteIsLost() {
        Records.store(cluster, Records.state(ONE, TWO, THREE));
        ControllerNode node = new ControllerNode(cluster, 2);
        register(1, 3);
        cluster.await("elected", () -> node.events.contains("elected 1"));
        cluster.faults().dropNextRequest(node.client);

        cluster.delete(MetadataKeys.brokerId(1));
        cluster.await("moved", () -> Records.stored(cluster).leaderEpoch() == 1);

        assertEquals(List.of(TWO, THREE), Records.stored(cluster).isr());
        assertEquals(1, node.failures.size());
    }

    @Test
    void shouldNotMoveTwiceWhenTheAnswerToTheFirstWriteIsLost() {
        Records.store(cluster, Records.state(ONE, TWO, THREE));
        ControllerNode node = new ControllerNode(cluster, 2);
        register(1, 3);
        cluster.await("elected", () -> node.events.contains("elected 1"));
        cluster.faults().dropNextReply(node.client);

        cluster.delete(MetadataKeys.brokerId(1));
        cluster.await("moved", () -> Records.stored(cluster).leaderEpoch() == 1);
        cluster.advance(Duration.ofSeconds(5));

        assertEquals(1, Records.stored(cluster).leaderEpoch());
        assertEquals(Records.stored(cluster), node.known(P0));
    }

    // The leader changes the ISR between the controller's look and its write: the write conflicts and is made anew.
    @Test
    void shouldDecideAnewWhenTheLeaderWroteMeanwhile() {
        Records.store(cluster, Records.state(ONE, TWO, THREE));
        ControllerNode node = new ControllerNode(cluster, 2);
        register(1, 3);
        cluster.await("elected", () -> node.events.contains("elected 1"));
        cluster.faults().holdDeliveries(node.client);
        PartitionState shrunk = Records.stored(cluster).withIsr(List.of(ONE, THREE), List.of());
        Records.overwrite(cluster, shrunk);

        // The news of the broker comes by its own watch, while that of the record is still on its way.
        node.brokersSeen(Map.of(2, node.self, 3, Records.broker(3, 3)));
        cluster.settle();

        assertEquals(THREE, Records.stored(cluster).leader());
        assertEquals(List.of(THREE), Records.stored(cluster).isr());
    }

    // One broken value harms no other.
    @Test
    void shouldPassOverAValueThatItCannotRead() {
        Records.store(cluster, Records.state(ONE, TWO, THREE));
        cluster.put(MetadataKeys.topic("other"), "{\"leader\":7}");
        ControllerNode node = new ControllerNode(cluster, 2);
        register(3);

        cluster.await("moved", () -> Records.stored(cluster).leaderEpoch() == 1);

        assertEquals(1, node.broken.size());
        assertTrue(String.valueOf(node.broken.get(0).getMessage()).contains("/brokers/topics/other/topic"));
    }

    private UUID topicId(String name) {
        Entry entry = cluster.entry(MetadataKeys.topic(name)).orElseThrow();
        return MetadataJson.decodeTopic(name, entry.value()).topicId();
    }

    private static CreateTopic topic(String name) {
        return new CreateTopic(name, 3, 3, 2, Durability.REPLICATED);
    }

    /** Registers brokers that do not run for controller. */
    private void register(int... ids) {
        for (int id : ids) {
            Records.register(cluster, Records.broker(id, id));
        }
        cluster.settle();
    }
}

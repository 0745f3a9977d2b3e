package io.tidemark.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.partition.PartitionId;
import io.tidemark.wire.ErrorCode;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stage that throws, a log that fails, a ring that is full, a lane that is closed. */
class LaneFailureTest {
    private static final int ALL = AppendStage.ACKS_ALL;
    private static final int LEADER = AppendStage.ACKS_LEADER;

    @TempDir
    Path directory;

    private LaneCluster cluster;
    private LaneClient client;
    private PartitionId pid;

    @BeforeEach
    void start() {
        cluster = new LaneCluster(directory, 3);
        pid = cluster.create(0, 2, 1, 2, 3);
        cluster.advanceMs(1000);
        client = connect(1);
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private LaneClient connect(int broker) {
        LaneClient made = cluster.client();
        made.connect("node" + broker, cluster.node(broker).transport().port());
        cluster.run();
        return made;
    }

    private static Throwable failure(String kind) {
        return switch (kind) {
            case "RuntimeException" -> new IllegalStateException("injected");
            case "OutOfMemoryError" -> new OutOfMemoryError("injected");
            case "StackOverflowError" -> new StackOverflowError("injected");
            default -> new AssertionError("injected");
        };
    }

    private void assertFenced(LaneNode node, Throwable cause, long... requests) {
        for (long request : requests) {
            assertEquals(ErrorCode.INTERNAL, client.reply(request).code());
        }
        assertSame(cause, node.conductor.laneFailure);
        long produce = client.produce(pid, -1, LEADER, "later");
        long consume = client.consume(pid, 0, 1000);
        long offsets = client.offsets(pid);
        cluster.run();
        assertEquals(ErrorCode.INTERNAL, client.reply(produce).code());
        assertEquals(ErrorCode.INTERNAL, client.reply(consume).code());
        assertEquals(ErrorCode.INTERNAL, client.reply(offsets).code());
        // Ring events go on draining, so that nobody who publishes is stuck.
        for (int i = 0; i < 3 * LaneLimits.RING_SIZE; i++) {
            assertTrue(node.proxy().peerDead(3, 1));
            node.step();
        }
    }

    // PL-02: the append stage throws at a produce request; that one, the pending one and all later ones fail.
    @ParameterizedTest
    @ValueSource(strings = {"RuntimeException", "OutOfMemoryError", "StackOverflowError", "AssertionError"})
    void shouldFenceTheLaneWhenTheAppendStageThrows(String kind) {
        LaneNode node = cluster.node(1);
        cluster.node(3).transport().frozen = true;
        long pending = client.produce(pid, 0, ALL, "a");
        long parked = client.consume(pid, 0, 60_000);
        cluster.run();
        Throwable cause = failure(kind);
        node.throwOnLease = cause;
        node.throwAtLeaseCall = node.leaseCalls;
        long failing = client.produce(pid, 0, ALL, "b");
        cluster.run();
        assertFenced(node, cause, pending, parked, failing);
        assertEquals(1, node.log(pid).logEndOffset());
    }

    // PL-02: the completion stage throws when it is about to acknowledge.
    @ParameterizedTest
    @ValueSource(strings = {"RuntimeException", "OutOfMemoryError"})
    void shouldFenceTheLaneWhenTheCompletionStageThrows(String kind) {
        LaneNode node = cluster.node(1);
        cluster.node(3).transport().frozen = true;
        long pending = client.produce(pid, 0, ALL, "a");
        cluster.run();
        Throwable cause = failure(kind);
        node.throwOnLease = cause;
        node.throwAtLeaseCall = node.leaseCalls;
        cluster.node(3).transport().frozen = false;
        cluster.run();
        assertFenced(node, cause, pending);
    }

    // PL-02: the progress stage throws while it handles a ring event, with more events behind it in the ring.
    @ParameterizedTest
    @ValueSource(strings = {"RuntimeException", "StackOverflowError"})
    void shouldFenceTheLaneWhenTheProgressStageThrows(String kind) {
        LaneNode node = cluster.node(1);
        cluster.node(3).transport().frozen = true;
        long pending = client.produce(pid, 0, ALL, "a");
        cluster.run();
        Throwable cause = failure(kind);
        node.conductor.throwOnPropose = cause;
        for (int i = 0; i < 10; i++) {
            assertTrue(node.proxy().peerDead(3, 1));
        }
        cluster.run();
        assertFenced(node, cause, pending);
    }

    // Memory behind a log faults late: the logs used in this batch of work are fenced, the others go on.
    @Test
    void shouldFenceOnlyThePartitionsThatWereUsedWhenMemoryFaults() {
        PartitionId solo = cluster.create(1, 1, 1);
        LaneNode node = cluster.node(1);
        cluster.node(3).transport().frozen = true;
        long pending = client.produce(pid, 0, ALL, "a");
        long parked = client.consume(solo, 0, 60_000);
        cluster.run();
        InternalError cause = new InternalError("a fault occurred in an unsafe memory access operation");
        node.throwOnLease = cause;
        // The first call lets the append through; the second is the one at the end of the batch.
        node.throwAtLeaseCall = node.leaseCalls + 1;
        client.produce(solo, 0, ALL, "b");
        cluster.run();
        assertEquals(List.of(solo), node.conductor.failedPartitions);
        assertNull(node.conductor.laneFailure);
        assertTrue(client.isAnswered(parked));
        assertEquals(PartitionRole.NONE, node.gauge(solo).role());
        assertEquals(1L, node.counters.snapshot().get("partitions.failed"));
        long refused = client.produce(solo, -1, LEADER, "c");
        cluster.node(3).transport().frozen = false;
        cluster.run();
        assertEquals(ErrorCode.STORAGE_ERROR, client.reply(refused).code());
        assertEquals(ErrorCode.NONE, client.reply(pending).code());
    }

    // The ring takes as many events as it has slots, refuses one more, and takes it after the lane has run.
    @Test
    void shouldRefuseAnEventWhenTheRingIsFull() {
        LaneProxy proxy = cluster.node(1).proxy();
        for (int i = 0; i < LaneLimits.RING_SIZE; i++) {
            assertTrue(proxy.brokers(List.<BrokerRegistration>of()), "event " + i);
        }
        assertFalse(proxy.peerDead(9, 1));
        cluster.run();
        assertTrue(proxy.peerDead(9, 1));
    }

    // One duty cycle handles a limited number of ring events, and each stage the same ones.
    @Test
    void shouldHandleALimitedNumberOfRingEventsPerCycle() {
        LaneNode node = cluster.node(1);
        for (int i = 0; i < LaneLimits.RING_BATCH_MAX + 1; i++) {
            node.proxy().peerDead(9, 1);
        }
        assertEquals(LaneLimits.RING_BATCH_MAX, node.step());
        assertEquals(1, node.step());
        assertEquals(0, node.step());
    }

    // PL-03: closing answers what waits, closes the connections, and later events are refused; closing twice is fine.
    @Test
    void shouldAnswerEverythingWhenTheLaneIsClosed() {
        LaneNode node = cluster.node(1);
        cluster.node(3).transport().frozen = true;
        long pending = client.produce(pid, 0, ALL, "a");
        long parked = client.consume(pid, 0, 60_000);
        cluster.run();
        LaneAgent agent = node.agent();
        for (int i = 0; i < LaneLimits.RING_SIZE; i++) {
            agent.proxy().peerDead(9, 1);
        }
        agent.proxy().stop();
        assertFalse(agent.proxy().peerDead(9, 1));
        agent.onClose();
        agent.onClose();
        cluster.run();
        assertEquals(ErrorCode.BROKER_CLOSING, client.reply(pending).code());
        assertEquals(ErrorCode.BROKER_CLOSING, client.reply(parked).code());
        assertTrue(client.closed);
        assertEquals(0, agent.doWork());
        assertTrue(agent.proxy().isClosed());
        assertNotNull(agent.address().join());
    }
}

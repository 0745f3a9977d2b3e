package io.tidemark.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.wire.ErrorCode;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A leader of whose end everybody has heard but itself, and a change of role that does not get through. */
class LaneOwnershipTest {
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

    /** Has all but the old leader hear of the next one. */
    private void electBehindItsBack() {
        PartitionState next = cluster.electing(pid, 2, 2, 3);
        cluster.states.put(pid, next);
        cluster.node(2).apply(pid, next);
        cluster.node(3).apply(pid, next);
        cluster.run();
    }

    // R=3, minIsr=2: the partition was taken from its leader, which is cut off from coordination only. Its clients
    // still
    // reach it: what waits for others is not acknowledged, and nothing at all once its lease has ended.
    @Test
    @DisplayName("CO-14: shouldAcknowledgeNothingAfterItsLeaseAndNothingThatOthersLack")
    void shouldAcknowledgeNothingAfterItsLeaseAndNothingThatOthersLack() {
        electBehindItsBack();
        long waiting = client.produce(pid, 0, ALL, "a");
        cluster.run();
        assertFalse(client.isAnswered(waiting));
        cluster.node(1).leaseValid = false;
        long one = client.produce(pid, -1, LEADER, "b");
        long all = client.produce(pid, -1, ALL, "c");
        cluster.run();
        assertEquals(ErrorCode.COORDINATION_LOST, client.reply(one).code());
        assertEquals(ErrorCode.COORDINATION_LOST, client.reply(all).code());
        assertFalse(client.isAnswered(waiting));
        cluster.node(1).proxy().fence("session lost");
        cluster.run();
        assertEquals(ErrorCode.COORDINATION_LOST, client.reply(waiting).code());
        assertEquals(0, cluster.node(2).log(pid).logEndOffset());
    }

    // The record that deposes a leader does not get through while the lane has no room: the old epoch remains whole.
    // Told
    // again, the change is complete, and telling it once more changes nothing.
    @Test
    @DisplayName("CO-13: shouldKeepTheOldEpochOrTakeTheNewOneWhole")
    void shouldKeepTheOldEpochOrTakeTheNewOneWhole() {
        LaneNode node = cluster.node(1);
        PartitionState next = cluster.electing(pid, 2, 2, 1);
        for (int i = 0; i < LaneLimits.RING_SIZE; i++) {
            node.proxy().peerDead(9, 1);
        }
        PartitionAssignment assignment = new PartitionAssignment(LaneCluster.nameOf(pid), pid, next, null, node.self());
        assertFalse(node.proxy().applyState(assignment));
        cluster.run();
        assertEquals(PartitionRole.LEADER, node.gauge(pid).role());
        long before = client.produce(pid, 0, ALL, "a");
        cluster.run();
        assertEquals(ErrorCode.NONE, client.reply(before).code());

        cluster.publish(pid, next);
        cluster.run();
        cluster.publish(pid, next);
        cluster.run();
        assertEquals(PartitionRole.FOLLOWER, node.gauge(pid).role());
        LaneClient other = connect(2);
        long after = other.produce(pid, -1, ALL, "b");
        cluster.advanceMs(1000);
        assertEquals(ErrorCode.NONE, other.reply(after).code());
        assertEquals(2, node.log(pid).logEndOffset());
    }
}

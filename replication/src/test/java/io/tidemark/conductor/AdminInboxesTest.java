package io.tidemark.conductor;

import static io.tidemark.conductor.Records.P0;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.controller.AdminResult;
import io.tidemark.controller.PartitionChanges;
import io.tidemark.controller.PartitionResult;
import io.tidemark.coordination.Key;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a person writes below /admin, and moves whose controller is lost at each of its writes. The partition is on
 * brokers 1, 2 and 3; brokers 4, 5 and 6 are there too. Brokers 7 and 8 run for controller.
 */
class AdminInboxesTest {
    private static final Replica ONE = new Replica(1, 1);
    private static final Replica TWO = new Replica(2, 2);
    private static final Replica THREE = new Replica(3, 3);
    private static final String TO_456 =
            "{\"version\":1,\"partitions\":[{\"topic\":\"orders\",\"partition\":0,\"replicas\":[4,5,6]}]}";

    private VirtualCluster cluster = new VirtualCluster();
    private boolean isGrowing = true;

    @BeforeEach
    void open() {
        isGrowing = true;
        for (int id = 1; id <= 6; id++) {
            Records.register(cluster, Records.broker(id, id));
        }
        Records.store(cluster, Records.state(ONE, TWO, THREE));
        cluster.onTick(now -> actAsLeader());
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    /** Has one more of the wanted replicas join the ISR, as its leader would once it has caught up. */
    private void actAsLeader() {
        PartitionState state = Records.stored(cluster);
        for (int broker : state.target()) {
            if (isGrowing && state.isrIncarnation(broker) < 0) {
                List<Replica> isr = new ArrayList<>(state.isr());
                isr.add(new Replica(broker, broker));
                Records.overwrite(cluster, state.withIsr(isr, List.of()));
                return;
            }
        }
    }

    private ControllerNode elect(int id) {
        ControllerNode node = new ControllerNode(cluster, id);
        cluster.await("in office", node.driver::isInOffice);
        return node;
    }

    private boolean isGone(Key inbox) {
        return cluster.entry(inbox).isEmpty();
    }

    private boolean isMoved() {
        PartitionState state = Records.stored(cluster);
        return state.assignment().equals(List.of(4, 5, 6))
                && !state.isReassigning()
                && state.isr().size() == 3;
    }

    // The inbox is emptied once the record has the target, long before the move is over.
    @Test
    void shouldMoveReplicasAsAPersonWrites() {
        elect(7);
        isGrowing = false;
        cluster.put(MetadataKeys.REASSIGN_PARTITIONS, TO_456);
        cluster.await("inbox is empty", () -> isGone(MetadataKeys.REASSIGN_PARTITIONS));

        PartitionState growing = Records.stored(cluster);
        assertEquals(List.of(1, 2, 3), growing.assignment());
        assertEquals(List.of(4, 5, 6), growing.target());
        assertEquals(0, growing.leaderEpoch());
        isGrowing = true;
        cluster.await("moved", this::isMoved);
        PartitionState moved = Records.stored(cluster);
        assertEquals(new Replica(4, 4), moved.leader());
        assertEquals(1, moved.leaderEpoch());
    }

    // The inbox was written while nobody was controller.
    @Test
    void shouldTakeWhatItFindsAtTakeOver() {
        cluster.put(MetadataKeys.REASSIGN_PARTITIONS, TO_456);
        elect(7);

        cluster.await("moved", () -> isMoved() && isGone(MetadataKeys.REASSIGN_PARTITIONS));
    }

    // CP-08: bad entries are reported, each by itself, and hold up no other.
    @Test
    void shouldReportBadEntriesAndDoTheOthers() {
        ControllerNode node = elect(7);
        cluster.put(
                MetadataKeys.REASSIGN_PARTITIONS,
                "{\"version\":1,\"partitions\":["
                        + "{\"topic\":\"nothing\",\"partition\":0,\"replicas\":[4]},"
                        + "{\"topic\":\"orders\",\"partition\":9,\"replicas\":[4]},"
                        + "{\"topic\":\"orders\",\"partition\":-1,\"replicas\":[4]},"
                        + "{\"topic\":\"orders\",\"partition\":\"x\",\"replicas\":[4]},"
                        + "17,"
                        + "{\"topic\":\"orders\",\"partition\":0,\"replicas\":[4,5,6]}]}");

        cluster.await("moved", () -> isMoved() && isGone(MetadataKeys.REASSIGN_PARTITIONS));
        assertEquals(5, node.refusals.size(), node.refusals.toString());
        node.refusals.clear();

        for (String replicas : List.of("[]", "[4,4]", "[4,99]")) {
            cluster.put(MetadataKeys.REASSIGN_PARTITIONS, TO_456.replace("[4,5,6]", replicas));
            cluster.await("inbox is empty", () -> isGone(MetadataKeys.REASSIGN_PARTITIONS));
        }
        assertEquals(3, node.refusals.size(), node.refusals.toString());
        assertTrue(
                node.refusals.get(2).startsWith("reassign_partitions: a new replica needs a running broker"),
                node.refusals.toString());
    }

    // CP-08: a text that is nothing at all is reported and taken away; the next one counts.
    @Test
    void shouldTakeAwayWhatItCannotRead() {
        ControllerNode node = elect(7);
        cluster.put(MetadataKeys.REASSIGN_PARTITIONS, "move everything, please");
        cluster.await("inbox is empty", () -> isGone(MetadataKeys.REASSIGN_PARTITIONS));
        assertEquals(1, node.refusals.size());

        cluster.put(MetadataKeys.REASSIGN_PARTITIONS, TO_456);
        cluster.await("moved", this::isMoved);
    }

    // A strange key below /admin is somebody else's.
    @Test
    void shouldLeaveOtherKeysAlone() {
        ControllerNode node = elect(7);
        Key other = MetadataKeys.ADMIN.child("note");
        cluster.put(other, "mine");
        cluster.advance(Duration.ofSeconds(1));

        assertEquals("mine", cluster.entry(other).orElseThrow().valueText());
        assertEquals(List.of(), node.refusals);
    }

    // By hand, for one partition and for all; a replica that is not in sync is not elected.
    @Test
    void shouldElectPreferredLeadersAsAPersonWrites() {
        Records.overwrite(cluster, Records.state(ONE, TWO, THREE).withLeader(TWO, List.of(ONE, TWO, THREE), List.of()));
        ControllerNode node = elect(7);
        for (String text : List.of("{\"partitions\":[{\"topic\":\"orders\",\"partition\":0}]}", "{}")) {
            cluster.put(MetadataKeys.PREFERRED_REPLICA_ELECTION, text);
            cluster.await("inbox is empty", () -> isGone(MetadataKeys.PREFERRED_REPLICA_ELECTION));
            assertEquals(ONE, Records.stored(cluster).leader());
            PartitionState state = Records.stored(cluster);
            Records.overwrite(cluster, state.withLeader(TWO, state.isr(), List.of()));
            cluster.settle();
        }
        assertEquals(List.of(), node.refusals);
        PartitionState state = Records.stored(cluster);
        Records.overwrite(cluster, state.withIsr(List.of(TWO, THREE), List.of()));
        cluster.put(MetadataKeys.PREFERRED_REPLICA_ELECTION, "{}");
        cluster.await("inbox is empty", () -> isGone(MetadataKeys.PREFERRED_REPLICA_ELECTION));
        assertEquals(TWO, Records.stored(cluster).leader());
        assertEquals(1, node.refusals.size());
    }

    /** What becomes of a write. */
    private enum Fault {
        LOST,
        ANSWER_LOST,
        DELAYED
    }

    // C-02, CP-08: the controller is lost at each of its writes of a move (the note of the target, the emptying of the
    // inbox, the switch), which is lost, or lands and nobody hears of it, or lands under its successor. The next one
    // ends the job, whatever stood in the store; the old one's delayed write changes nothing.
    @Test
    void shouldEndTheMoveWhateverWriteTheControllerIsLostAt() {
        int struck = 0;
        for (Fault fault : Fault.values()) {
            for (int write = 1; write <= 3; write++) {
                cluster.close();
                cluster = new VirtualCluster();
                open();
                struck += loseAt(fault, write) ? 1 : 0;
            }
        }
        assertEquals(9, struck);
    }

    private boolean loseAt(Fault fault, int write) {
        String where = "fault=" + fault + ", write=" + write;
        ControllerNode first = elect(7);
        switch (fault) {
            case LOST -> cluster.faults().dropRequest(first.client, write);
            case ANSWER_LOST -> cluster.faults().dropReply(first.client, write);
            case DELAYED -> cluster.faults().delayRequest(first.client, write);
        }
        cluster.put(MetadataKeys.REASSIGN_PARTITIONS, TO_456);
        cluster.await(where + " strikes", () -> !first.failures.isEmpty());
        first.kill();
        ControllerNode next = elect(8);
        if (fault == Fault.DELAYED) {
            cluster.faults().deliverDelayed(first.client);
        }
        cluster.await(where + ": moved", () -> isMoved() && isGone(MetadataKeys.REASSIGN_PARTITIONS));
        cluster.advance(Duration.ofSeconds(1));
        PartitionState state = Records.stored(cluster);
        assertTrue(isMoved(), where + ": " + state);
        assertEquals(1, state.leaderEpoch(), where);
        assertEquals(List.of(), next.refusals, where);
        return true;
    }

    // CP-08: a target that is dead for good holds the move up, visibly, and a cancel takes it back. The controller is
    // lost at the cancel's write; who asked asks again.
    @Test
    void shouldCancelAMoveWhoseTargetIsDead() {
        for (Fault fault : Fault.values()) {
            cluster.close();
            cluster = new VirtualCluster();
            open();
            ControllerNode first = elect(7);
            isGrowing = false;
            cluster.put(MetadataKeys.REASSIGN_PARTITIONS, TO_456);
            cluster.await("inbox is empty", () -> isGone(MetadataKeys.REASSIGN_PARTITIONS));
            PartitionState growing = Records.stored(cluster);
            Records.overwrite(
                    cluster,
                    growing.withIsr(List.of(ONE, TWO, THREE, new Replica(4, 4), new Replica(5, 5)), List.of()));
            cluster.delete(MetadataKeys.brokerId(6));
            cluster.advance(Duration.ofSeconds(1));
            assertEquals(List.of(4, 5, 6), Records.stored(cluster).target());
            switch (fault) {
                case LOST -> cluster.faults().dropNextRequest(first.client);
                case ANSWER_LOST -> cluster.faults().dropNextReply(first.client);
                case DELAYED -> cluster.faults().delayRequest(first.client, 1);
            }
            first.failures.clear();
            var unanswered = first.admin(cancel());
            cluster.await("strikes", () -> !first.failures.isEmpty());
            first.kill();
            assertEquals(List.of(), unanswered);

            ControllerNode next = elect(8);
            List<AdminResult> results = next.admin(cancel());
            cluster.await("answered", () -> !results.isEmpty());
            if (fault == Fault.DELAYED) {
                cluster.faults().deliverDelayed(first.client);
                cluster.advance(Duration.ofSeconds(1));
            }

            PartitionState state = Records.stored(cluster);
            assertEquals(List.of(1, 2, 3), state.assignment());
            assertEquals(List.of(ONE, TWO, THREE), state.isr());
            assertEquals(List.of(), state.target());
            PartitionResult result =
                    ((AdminResult.Partitions) results.get(0)).results().get(0);
            boolean hadLanded = fault == Fault.ANSWER_LOST;
            assertEquals(
                    hadLanded ? PartitionResult.Outcome.NO_CHANGE : PartitionResult.Outcome.DONE, result.outcome());
        }
    }

    private static PartitionChanges cancel() {
        return new PartitionChanges(
                PartitionChanges.Kind.CANCEL_REASSIGNMENT,
                List.of(new PartitionChanges.Target("orders", P0.partition(), List.of())));
    }
}

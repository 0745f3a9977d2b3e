package io.tidemark.pipeline;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.wire.ErrorCode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The path of an append through three lanes, stepped in one thread. */
class LaneCommitTest {
    private static final int ALL = AppendStage.ACKS_ALL;
    private static final int LEADER = AppendStage.ACKS_LEADER;
    private static final int NONE = AppendStage.ACKS_NONE;

    @TempDir
    Path directory;

    private LaneCluster cluster;
    private LaneClient client;

    @BeforeEach
    void start() {
        cluster = new LaneCluster(directory, 3);
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
        assertEquals(ErrorCode.NONE, made.greeting);
        return made;
    }

    private PartitionId three() {
        PartitionId pid = cluster.create(0, 2, 1, 2, 3);
        cluster.advanceMs(1000);
        return pid;
    }

    // R=3, minIsr=2, all live: an acknowledged batch is on all three, byte for byte, and the HW stands at its end.
    @Test
    void shouldAcknowledgeWhenAllOfTheIsrHaveTheBatch() {
        PartitionId pid = three();
        long first = client.produce(pid, 0, ALL, "a", "b");
        long second = client.produce(pid, 0, ALL, "c");
        cluster.run();
        assertEquals(ErrorCode.NONE, client.reply(first).code());
        assertEquals(0, client.reply(first).first());
        assertEquals(2, client.reply(first).next());
        assertEquals(2, client.reply(second).first());
        assertEquals(3, client.reply(second).next());
        assertEquals(3, cluster.node(1).gauge(pid).highWatermark());
        byte[] expected = LaneCluster.bytesOf(cluster.node(1).log(pid), 3);
        for (int id = 2; id <= 3; id++) {
            assertEquals(3, cluster.node(id).log(pid).logEndOffset());
            assertArrayEquals(expected, LaneCluster.bytesOf(cluster.node(id).log(pid), 3));
        }
    }

    // A follower that stands still holds the acknowledgement back, though the other one has the batch.
    @Test
    void shouldNotAcknowledgeWhileOneMemberOfTheIsrLacksTheBatch() {
        PartitionId pid = three();
        cluster.node(3).transport().frozen = true;
        long id = client.produce(pid, 0, ALL, "a");
        cluster.run();
        assertEquals(1, cluster.node(2).log(pid).logEndOffset());
        assertFalse(client.isAnswered(id));
        assertEquals(0, cluster.node(1).gauge(pid).highWatermark());
        cluster.node(3).transport().frozen = false;
        cluster.run();
        assertEquals(ErrorCode.NONE, client.reply(id).code());
    }

    // PL-07: one record and no other traffic; each kind of acknowledgement comes without time passing.
    @Test
    void shouldAcknowledgeASingleBatchWithoutLaterTraffic() {
        PartitionId pid = three();
        long all = client.produce(pid, 0, ALL, "a");
        cluster.run();
        assertEquals(ErrorCode.NONE, client.reply(all).code());
        cluster.node(2).transport().frozen = true;
        cluster.node(3).transport().frozen = true;
        long leader = client.produce(pid, 0, LEADER, "b");
        long none = client.produce(pid, 0, NONE, "c");
        cluster.run();
        assertEquals(ErrorCode.NONE, client.reply(leader).code());
        assertEquals(1, client.reply(leader).first());
        assertFalse(client.isAnswered(none));
        assertEquals(3, cluster.node(1).log(pid).logEndOffset());
    }

    // A partition with one replica commits by itself.
    @Test
    void shouldCommitAloneWhenThereIsOneReplica() {
        PartitionId pid = cluster.create(5, 2, 1);
        long id = client.produce(pid, -1, ALL, "a");
        cluster.run();
        assertEquals(ErrorCode.NONE, client.reply(id).code());
        assertEquals(1, cluster.node(1).gauge(pid).highWatermark());
    }

    // The stored ISR is below minISR: nothing is appended with acks ALL, and the HW stands still for acks LEADER.
    @Test
    void shouldRefuseAcksAllWhenTheIsrIsTooSmall() {
        PartitionId pid = three();
        cluster.commitProposals = false;
        cluster.elect(pid, 1, 1);
        int epoch = cluster.state(pid).leaderEpoch();
        long all = client.produce(pid, epoch, ALL, "a");
        long leader = client.produce(pid, epoch, LEADER, "b");
        cluster.run();
        assertEquals(ErrorCode.NOT_ENOUGH_REPLICAS, client.reply(all).code());
        assertEquals(ErrorCode.NONE, client.reply(leader).code());
        assertEquals(0, client.reply(leader).first());
        assertEquals(0, cluster.node(1).gauge(pid).highWatermark());
    }

    // Requests in an older, a newer and any epoch; at a follower; for an unknown partition.
    @Test
    void shouldCheckTheEpochAndTheRoleOfAProduceRequest() {
        PartitionId pid = three();
        cluster.elect(pid, 1, 1, 2, 3);
        LaneClient follower = connect(2);
        PartitionId unknown = new PartitionId(pid.topicId(), 9);
        long stale = client.produce(pid, 0, ALL, "a");
        long early = client.produce(pid, 2, ALL, "a");
        long any = client.produce(pid, -1, ALL, "a");
        long nowhere = client.produce(unknown, -1, ALL, "a");
        long elsewhere = follower.produce(pid, -1, ALL, "a");
        cluster.run();
        assertEquals(ErrorCode.STALE_EPOCH, client.reply(stale).code());
        assertEquals(ErrorCode.UNKNOWN_EPOCH, client.reply(early).code());
        assertEquals(ErrorCode.NONE, client.reply(any).code());
        assertEquals(ErrorCode.UNKNOWN_TOPIC, client.reply(nowhere).code());
        assertEquals(ErrorCode.NOT_LEADER, follower.reply(elsewhere).code());
        assertEquals(1, cluster.node(1).log(pid).logEndOffset());
    }

    // A flipped bit, two batches in one request, and bad acks: refused, nothing appended.
    @Test
    void shouldRefuseABatchThatIsNotWholeAndSound() {
        PartitionId pid = three();
        byte[] sound = client.batch(-1, -1, -1, "value");
        byte[] flipped = sound.clone();
        flipped[flipped.length - 1] ^= 1;
        byte[] twice = new byte[2 * sound.length];
        System.arraycopy(sound, 0, twice, 0, sound.length);
        System.arraycopy(sound, 0, twice, sound.length, sound.length);
        long corrupt = client.produce(pid, 0, ALL, 1000, flipped);
        long two = client.produce(pid, 0, ALL, 1000, twice);
        long acks = client.produce(pid, 0, 2, 1000, sound);
        cluster.run();
        assertEquals(ErrorCode.CORRUPT_BATCH, client.reply(corrupt).code());
        assertEquals(ErrorCode.INVALID_REQUEST, client.reply(two).code());
        assertEquals(ErrorCode.INVALID_REQUEST, client.reply(acks).code());
        assertEquals(0, cluster.node(1).log(pid).logEndOffset());
    }

    // A pending request ends at its own time with an unknown outcome; one with more time goes on waiting.
    @Test
    void shouldTimeOutAPendingRequest() {
        PartitionId pid = three();
        cluster.node(3).transport().frozen = true;
        long brief = client.produce(pid, 0, ALL, 100, client.batch(-1, -1, -1, "a"));
        long patient = client.produce(pid, 0, ALL, 5000, client.batch(-1, -1, -1, "b"));
        cluster.advanceMs(200);
        assertEquals(ErrorCode.REQUEST_TIMED_OUT, client.reply(brief).code());
        assertFalse(client.isAnswered(patient));
        cluster.node(3).transport().frozen = false;
        cluster.run();
        assertEquals(ErrorCode.NONE, client.reply(patient).code());
    }

    // R10: with the lease lost before the append nothing is appended; lost after it, the ack waits for it.
    @Test
    void shouldAcknowledgeNothingWithoutALease() {
        PartitionId pid = three();
        cluster.node(3).transport().frozen = true;
        long pending = client.produce(pid, 0, ALL, "a");
        cluster.run();
        cluster.node(1).leaseValid = false;
        cluster.node(3).transport().frozen = false;
        long refused = client.produce(pid, 0, LEADER, "b");
        cluster.run();
        assertEquals(ErrorCode.COORDINATION_LOST, client.reply(refused).code());
        assertEquals(1, cluster.node(1).gauge(pid).highWatermark());
        assertFalse(client.isAnswered(pending));
        cluster.node(1).leaseValid = true;
        cluster.advanceMs(100);
        assertEquals(ErrorCode.NONE, client.reply(pending).code());
    }

    // A deposed leader fails what waits, and answers later requests with NOT_LEADER.
    @Test
    void shouldFailPendingRequestsWhenTheRoleChanges() {
        PartitionId pid = three();
        cluster.node(3).transport().frozen = true;
        long pending = client.produce(pid, 0, ALL, "a");
        cluster.run();
        cluster.elect(pid, 2, 2, 1);
        long late = client.produce(pid, -1, ALL, "b");
        cluster.run();
        assertEquals(ErrorCode.NOT_LEADER, client.reply(pending).code());
        assertEquals(ErrorCode.NOT_LEADER, client.reply(late).code());
        assertEquals(PartitionRole.FOLLOWER, cluster.node(1).gauge(pid).role());
        assertEquals(PartitionRole.LEADER, cluster.node(2).gauge(pid).role());
    }

    // The session is lost: what waits fails, nothing is led, and a stale record does not give the role back.
    @Test
    void shouldFenceAllPartitionsWhenTheSessionIsLost() {
        PartitionId pid = three();
        cluster.node(3).transport().frozen = true;
        long pending = client.produce(pid, 0, ALL, "a");
        cluster.run();
        LaneNode node = cluster.node(1);
        node.proxy().fence("session lost");
        cluster.run();
        assertEquals(ErrorCode.COORDINATION_LOST, client.reply(pending).code());
        assertEquals(PartitionRole.NONE, node.gauge(pid).role());
        node.incarnation++;
        node.proxy().registered(node.self(), LaneCluster.CLUSTER_ID);
        node.apply(pid, cluster.state(pid));
        long late = client.produce(pid, -1, LEADER, "b");
        cluster.run();
        assertEquals(ErrorCode.NOT_LEADER, client.reply(late).code());
        cluster.elect(pid, 1, 1, 2);
        long after = client.produce(pid, -1, LEADER, "c");
        cluster.run();
        assertEquals(ErrorCode.NONE, client.reply(after).code());
    }

    // A repeated batch whose original is not committed waits with it; both get the same offsets, in order.
    @Test
    void shouldLetADuplicateWaitForItsOriginal() {
        PartitionId pid = three();
        cluster.node(3).transport().frozen = true;
        byte[] batch = client.batch(7, 0, 0, "a");
        long original = client.produce(pid, 0, ALL, 30_000, batch);
        long later = client.produce(pid, 0, ALL, 30_000, client.batch(7, 0, 1, "b"));
        long repeated = client.produce(pid, 0, ALL, 30_000, batch);
        cluster.run();
        assertFalse(client.isAnswered(repeated));
        assertEquals(2, cluster.node(1).log(pid).logEndOffset());
        cluster.node(3).transport().frozen = false;
        cluster.run();
        assertEquals(0, client.reply(original).first());
        assertEquals(0, client.reply(repeated).first());
        assertEquals(1, client.reply(repeated).next());
        assertEquals(1, client.reply(later).first());
        long committed = client.produce(pid, 0, ALL, 30_000, batch);
        cluster.run();
        assertEquals(0, client.reply(committed).first());
    }

    // CL-06: five batches, three replicated, the leader dies; at the new leader each is stored once, at its old offset.
    @Test
    void shouldStoreARetryAtTheNewLeaderOnce() {
        PartitionId pid = three();
        List<byte[]> batches = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            batches.add(client.batch(7, 0, i, "v" + i));
        }
        for (int i = 0; i < 3; i++) {
            client.produce(pid, 0, ALL, 30_000, batches.get(i));
        }
        cluster.run();
        cluster.node(1).stop();
        cluster.publishBrokers();
        cluster.elect(pid, 2, 2, 3);
        LaneClient next = connect(2);
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 5; i++) {
                long id = next.produce(pid, 1, ALL, 30_000, batches.get(i));
                cluster.run();
                assertEquals(ErrorCode.NONE, next.reply(id).code(), "round=" + round + ", batch=" + i);
                assertEquals(i, next.reply(id).first());
            }
        }
        assertEquals(5, cluster.node(2).log(pid).logEndOffset());
        assertEquals(5, cluster.node(3).log(pid).logEndOffset());
        next.produce(pid, 1, ALL, 30_000, next.batch(7, 0, 5, "v5"));
        long forgotten = next.produce(pid, 1, ALL, 30_000, batches.get(0));
        long gap = next.produce(pid, 1, ALL, 30_000, next.batch(7, 0, 9, "v9"));
        long unknown = next.produce(pid, 1, ALL, 30_000, next.batch(8, 0, 3, "x"));
        cluster.run();
        assertEquals(ErrorCode.DUPLICATE_SEQUENCE, next.reply(forgotten).code());
        assertEquals(ErrorCode.OUT_OF_ORDER_SEQUENCE, next.reply(gap).code());
        assertEquals(ErrorCode.UNKNOWN_PRODUCER, next.reply(unknown).code());
        assertEquals(6, cluster.node(2).log(pid).logEndOffset());
    }

    // A dead follower, proven by a probe, leaves the ISR at once; what waited for it is acknowledged.
    @Test
    void shouldGoOnWithoutAFollowerThatIsProvenDead() {
        PartitionId pid = three();
        long dead = cluster.node(3).incarnation;
        cluster.node(3).stop();
        long pending = client.produce(pid, 0, ALL, "a");
        cluster.run();
        assertFalse(client.isAnswered(pending));
        assertTrue(cluster.node(1).conductor.lost.contains("3@" + dead));
        cluster.node(1).proxy().peerDead(3, dead);
        cluster.run();
        assertEquals(ErrorCode.NONE, client.reply(pending).code());
        PartitionState state = cluster.state(pid);
        assertEquals(2, state.isr().size());
        assertEquals(1L, cluster.node(1).counters.snapshot().get("isr.shrinks"));
    }

    // The follower comes back in a new incarnation, catches up and joins the ISR again.
    @Test
    void shouldTakeARestartedFollowerBackIntoTheIsr() {
        PartitionId pid = three();
        cluster.node(3).stop();
        cluster.publishBrokers();
        cluster.node(1).proxy().peerDead(3, 1);
        client.produce(pid, 0, ALL, "a");
        cluster.run();
        cluster.node(3).start();
        cluster.publishBrokers();
        cluster.node(3).apply(pid, cluster.state(pid));
        cluster.advanceMs(500);
        assertEquals(1, cluster.node(3).log(pid).logEndOffset());
        assertTrue(cluster.state(pid).isInIsr(3, 2), cluster.state(pid).toString());
        assertEquals(1L, cluster.node(1).counters.snapshot().get("isr.grows"));
    }

    // The HW alone wakes nobody; the end of the wait carries it to the followers.
    @Test
    void shouldCarryTheHighWatermarkToFollowersAtTheEndOfTheWait() {
        PartitionId pid = three();
        client.produce(pid, 0, ALL, "a");
        cluster.run();
        assertEquals(0, cluster.node(2).gauge(pid).highWatermark());
        cluster.advanceMs(600);
        assertEquals(1, cluster.node(2).gauge(pid).highWatermark());
        assertEquals(1, cluster.node(3).gauge(pid).highWatermark());
    }
}

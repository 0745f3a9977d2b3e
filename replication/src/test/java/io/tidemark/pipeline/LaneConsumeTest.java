package io.tidemark.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.Log;
import io.tidemark.partition.PartitionId;
import io.tidemark.wire.ErrorCode;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads of clients: nothing at or above the high watermark, and long polls that wake when it moves. */
class LaneConsumeTest {
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

    private LaneClient.Reply consume(LaneClient from, long offset) {
        long id = from.consume(pid, offset, 0);
        cluster.run();
        return from.reply(id);
    }

    private void holdFollowersBack() {
        cluster.node(2).transport().frozen = true;
        cluster.node(3).transport().frozen = true;
    }

    // CL-10: HW=2, LEO=4. Below the HW data; from the HW to the end "not yet"; outside out of range, with the bounds.
    @Test
    void shouldAnswerEachOffsetAroundTheHighWatermark() {
        client.produce(pid, 0, ALL, "a");
        client.produce(pid, 0, ALL, "b");
        cluster.run();
        holdFollowersBack();
        client.produce(pid, 0, LEADER, "c");
        client.produce(pid, 0, LEADER, "d");
        cluster.run();
        assertEquals(List.of("a", "b"), consume(client, 0).values());
        assertEquals(List.of("b"), consume(client, 1).values());
        for (long offset = 2; offset <= 4; offset++) {
            LaneClient.Reply reply = consume(client, offset);
            assertEquals(ErrorCode.NONE, reply.code(), "offset=" + offset);
            assertEquals(List.of(), reply.values(), "offset=" + offset);
        }
        for (long offset : new long[] {-1, 5, Long.MAX_VALUE, Long.MIN_VALUE}) {
            LaneClient.Reply reply = consume(client, offset);
            assertEquals(ErrorCode.OFFSET_OUT_OF_RANGE, reply.code(), "offset=" + offset);
            assertEquals(2, reply.highWatermark());
        }
    }

    // A batch that straddles the HW does not exist: batches commit whole. Each answer ends at or below its HW.
    @Test
    void shouldNeverShowABatchAboveTheHighWatermark() {
        for (int round = 0; round < 50; round++) {
            cluster.node(2).transport().frozen = round % 3 == 0;
            client.produce(pid, 0, LEADER, "x" + round, "y" + round);
            long id = client.consume(pid, 0, 0);
            cluster.run();
            LaneClient.Reply reply = client.reply(id);
            assertTrue(reply.next() <= reply.highWatermark(), "round=" + round + ", reply=" + reply);
            assertEquals(Math.max(0, reply.highWatermark()), reply.values().size());
        }
    }

    // A long poll at the HW is answered when it moves, without time passing; at its deadline it is answered empty.
    @Test
    void shouldWakeALongPollWhenTheHighWatermarkMoves() {
        long waiting = client.consume(pid, 0, 10_000);
        long brief = client.consume(pid, 0, 50);
        cluster.run();
        assertFalse(client.isAnswered(waiting));
        cluster.advanceMs(100);
        assertEquals(List.of(), client.reply(brief).values());
        holdFollowersBack();
        client.produce(pid, 0, LEADER, "a");
        cluster.run();
        assertFalse(client.isAnswered(waiting));
        cluster.node(2).transport().frozen = false;
        cluster.node(3).transport().frozen = false;
        cluster.run();
        assertEquals(List.of("a"), client.reply(waiting).values());
    }

    // The leader changes while a read is parked: it is told to look elsewhere, at once.
    @Test
    void shouldAnswerParkedReadsWhenTheLeaderChanges() {
        long waiting = client.consume(pid, 0, 10_000);
        cluster.run();
        cluster.elect(pid, 2, 1, 2, 3);
        assertEquals(ErrorCode.NOT_LEADER, client.reply(waiting).code());
        assertEquals(ErrorCode.NOT_LEADER, consume(client, 0).code());
    }

    // RP-14: HW 1 at the new leader, whose log ends at 2: the end offset is "not available", never lower; no reset.
    @Test
    void shouldNotShowAnEndOffsetBelowTheStartOfTheEpoch() {
        client.produce(pid, 0, ALL, "a");
        cluster.run();
        cluster.advanceMs(600);
        client.produce(pid, 0, ALL, "b");
        cluster.run();
        long before = client.offsets(pid);
        cluster.run();
        assertEquals(2, client.reply(before).next());
        cluster.node(1).stop();
        cluster.publishBrokers();
        cluster.node(3).transport().frozen = true;
        cluster.elect(pid, 2, 2, 3);
        LaneClient next = connect(2);
        assertEquals(1, cluster.node(2).gauge(pid).highWatermark());
        long during = next.offsets(pid);
        cluster.run();
        assertEquals(ErrorCode.OFFSET_NOT_AVAILABLE, next.reply(during).code());
        LaneClient.Reply atEnd = consume(next, 2);
        assertEquals(ErrorCode.NONE, atEnd.code());
        assertEquals(List.of(), atEnd.values());
        cluster.node(3).transport().frozen = false;
        cluster.advanceMs(100);
        long after = next.offsets(pid);
        cluster.run();
        assertEquals(2, next.reply(after).next());
    }

    // A follower answers neither reads nor questions for offsets.
    @Test
    void shouldServeClientsAtTheLeaderOnly() {
        LaneClient follower = connect(2);
        assertEquals(ErrorCode.NOT_LEADER, consume(follower, 0).code());
        long id = follower.offsets(pid);
        cluster.run();
        assertEquals(ErrorCode.NOT_LEADER, follower.reply(id).code());
        PartitionId unknown = new PartitionId(pid.topicId(), 8);
        long nowhere = client.consume(unknown, 0, 0);
        long offsets = client.offsets(unknown);
        cluster.run();
        assertEquals(ErrorCode.UNKNOWN_TOPIC, client.reply(nowhere).code());
        assertEquals(ErrorCode.UNKNOWN_TOPIC, client.reply(offsets).code());
    }

    // What a closed connection waited for is dropped: nothing is counted as parked any more.
    @Test
    void shouldDropReadsOfAClosedConnection() {
        long waiting = client.consume(pid, 0, 10_000);
        cluster.run();
        assertFalse(client.isAnswered(waiting));
        client.connection().close();
        cluster.run();
        LaneClient other = connect(1);
        other.produce(pid, 0, ALL, "a");
        long read = other.consume(pid, 0, 1000);
        cluster.run();
        assertEquals(List.of("a"), other.reply(read).values());
        Log log = cluster.node(1).log(pid);
        assertEquals(1, log.logEndOffset());
    }
}

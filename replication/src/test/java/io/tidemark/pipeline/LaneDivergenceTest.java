package io.tidemark.pipeline;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.sbe.FetchReplyDecoder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Followers whose log left the leader's, or whose leader sends what must not be taken. */
class LaneDivergenceTest {
    private static final int ALL = AppendStage.ACKS_ALL;
    private static final int LEADER = AppendStage.ACKS_LEADER;

    @TempDir
    Path directory;

    private LaneCluster cluster;

    @BeforeEach
    void start() {
        cluster = new LaneCluster(directory, 3);
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private LaneClient connect(int broker) {
        LaneClient client = cluster.client();
        client.connect("node" + broker, cluster.node(broker).transport().port());
        cluster.run();
        return client;
    }

    private long produce(LaneClient client, PartitionId pid, int acks, String value) {
        long id = client.produce(pid, -1, acks, value);
        cluster.run();
        return id;
    }

    private void assertSameLog(PartitionId pid, long end, int... brokers) {
        byte[] expected = LaneCluster.bytesOf(cluster.node(brokers[0]).log(pid), end);
        for (int broker : brokers) {
            assertEquals(end, cluster.node(broker).log(pid).logEndOffset(), "broker=" + broker);
            assertArrayEquals(expected, LaneCluster.bytesOf(cluster.node(broker).log(pid), end));
        }
    }

    // RP-01 (i): R=2, minIsr=1. B restarts knowing an old HW, then A dies before B fetches: B keeps what was committed.
    @Test
    void shouldKeepCommittedRecordsWhenAFollowerRestartsAndLeads() {
        PartitionId pid = cluster.create(0, 1, 1, 2);
        cluster.advanceMs(1000);
        LaneClient client = connect(1);
        produce(client, pid, ALL, "m1");
        long id = produce(client, pid, ALL, "m2");
        assertEquals(ErrorCode.NONE, client.reply(id).code());
        assertEquals(1, cluster.node(2).gauge(pid).highWatermark());
        cluster.node(2).stop();
        cluster.node(2).start();
        cluster.node(1).stop();
        cluster.publishBrokers();
        cluster.node(2).apply(pid, cluster.state(pid));
        cluster.run();
        assertEquals(2, cluster.node(2).log(pid).logEndOffset());
        cluster.elect(pid, 2, 2);
        assertEquals(2, cluster.node(2).log(pid).logEndOffset());
        assertEquals(2, cluster.node(2).gauge(pid).highWatermark());
    }

    // RP-06: F misses the epoch in which B ruled; A leads again. F's own tail of epoch 0 goes.
    @Test
    void shouldReconcileInEachEpochAlsoWithTheSameLeader() {
        PartitionId pid = cluster.create(0, 1, 1, 2, 3);
        cluster.advanceMs(1000);
        LaneClient a = connect(1);
        produce(a, pid, ALL, "common");
        // Node 3 leads briefly and keeps a tail that nobody else has; the others never hear of it.
        PartitionState strayed = cluster.electing(pid, 3, 3);
        cluster.network.cut(cluster.node(1).transport(), cluster.node(3).transport());
        cluster.network.cut(cluster.node(3).transport(), cluster.node(1).transport());
        cluster.node(3).apply(pid, strayed);
        cluster.run();
        LaneClient c = connect(3);
        produce(c, pid, LEADER, "tail-1");
        produce(c, pid, LEADER, "tail-2");
        assertEquals(3, cluster.node(3).log(pid).logEndOffset());
        // Epochs 1 (elsewhere) and 2: node 2 rules and appends, then node 1 leads again with node 2's records.
        PartitionState two = cluster.electing(pid, 2, 1, 2)
                .withLeader(
                        cluster.node(2).self(),
                        List.of(cluster.node(1).self(), cluster.node(2).self()),
                        List.of());
        cluster.states.put(pid, two);
        cluster.node(1).apply(pid, two);
        cluster.node(2).apply(pid, two);
        cluster.run();
        LaneClient b = connect(2);
        produce(b, pid, ALL, "ruled-by-b");
        cluster.elect(pid, 1, 1, 2);
        cluster.advanceMs(1000);
        assertSameLog(pid, 2, 1, 2, 3);
        assertEquals(1L, cluster.node(3).counters.snapshot().get("log.truncations"));
    }

    // Simulator seed 1: the answer says where the common part ends. A follower that is told of no such place throws
    // everything away, committed records too, and fetches it anew.
    @Test
    void shouldCutADivergedLogNoFurtherThanWhereTheLeadersEpochEnds() {
        PartitionId pid = cluster.create(0, 1, 1, 2);
        cluster.advanceMs(1000);
        LaneClient client = connect(1);
        for (int i = 0; i < 5; i++) {
            produce(client, pid, ALL, "common");
        }
        // Node 2 alone takes a tail, as a leader nobody else heard of; then node 1 leads on.
        PartitionState strayed = cluster.electing(pid, 2, 2);
        cluster.node(2).apply(pid, strayed);
        cluster.run();
        produce(connect(2), pid, LEADER, "tail");
        assertEquals(6, cluster.node(2).log(pid).logEndOffset());
        long[] least = {Long.MAX_VALUE};
        cluster.network.intercept(sent -> {
            least[0] = Math.min(least[0], cluster.node(2).log(pid).logEndOffset());
            return sent;
        });
        PartitionState back = strayed.withLeader(
                cluster.node(1).self(), List.of(cluster.node(1).self()), List.of());
        cluster.publish(pid, back);
        cluster.advanceMs(200);
        assertEquals(5, least[0]);
        assertSameLog(pid, 5, 1, 2);
    }

    // RP-07: the answer that says DIVERGED carries a HW above the deposed leader's tail; the HW in it is not taken.
    @Test
    void shouldIgnoreTheHighWatermarkOfADivergingAnswer() {
        PartitionId pid = cluster.create(0, 1, 1, 2, 3);
        cluster.advanceMs(1000);
        LaneClient client = connect(1);
        produce(client, pid, ALL, "committed");
        cluster.advanceMs(600);
        cluster.network.intercept(
                sent -> sent.templateId() == FetchReplyDecoder.TEMPLATE_ID && sent.payload().length > 0 ? null : sent);
        for (int i = 0; i < 5; i++) {
            produce(client, pid, LEADER, "uncommitted");
        }
        cluster.network.cut(cluster.node(2).transport(), cluster.node(1).transport());
        cluster.network.cut(cluster.node(3).transport(), cluster.node(1).transport());
        PartitionState second = cluster.electing(pid, 2, 2, 3);
        cluster.states.put(pid, second);
        cluster.network.intercept(sent -> sent);
        cluster.node(2).apply(pid, second);
        cluster.node(3).apply(pid, second);
        cluster.advanceMs(200);
        LaneClient next = connect(2);
        for (int i = 0; i < 3; i++) {
            produce(next, pid, ALL, "other");
        }
        assertEquals(4, cluster.node(2).gauge(pid).highWatermark());
        long[] seen = {0};
        cluster.network.intercept(sent -> {
            long highWatermark = cluster.node(1).gauge(pid).highWatermark();
            if (cluster.node(1).log(pid).logEndOffset() > 4) {
                seen[0] = Math.max(seen[0], highWatermark);
            }
            return sent;
        });
        cluster.node(1).apply(pid, second);
        cluster.advanceMs(600);
        assertEquals(1, seen[0], "HW of node 1 while it still had its own tail");
        assertSameLog(pid, 4, 1, 2, 3);
    }

    // Simulator seed 1004: an error answer counted as having told the high watermark, which a follower takes from no
    // error; when nothing new came, it never learnt it.
    @Test
    void shouldTellTheHighWatermarkToAFollowerWhoseLastAnswerWasAnError() {
        PartitionId pid = cluster.create(0, 1, 1, 2);
        cluster.advanceMs(1000);
        LaneClient client = connect(1);
        produce(client, pid, ALL, "m1");
        assertEquals(0, cluster.node(2).gauge(pid).highWatermark());
        PartitionState next = cluster.electing(pid, 1, 1, 2);
        cluster.states.put(pid, next);
        // The follower hears of the epoch first, and asks a leader that does not know it yet.
        cluster.node(2).apply(pid, next);
        cluster.run();
        cluster.node(1).apply(pid, next);
        cluster.advanceMs(2000);
        assertEquals(1, cluster.node(1).gauge(pid).highWatermark());
        assertEquals(1, cluster.node(2).gauge(pid).highWatermark());
    }

    // RP-18: a thousand empty answers, then an election: divergence is still found.
    @Test
    void shouldRememberTheLastEpochOverEmptyAnswers() {
        PartitionId pid = cluster.create(0, 1, 1, 2);
        cluster.advanceMs(1000);
        LaneClient client = connect(1);
        produce(client, pid, ALL, "m1");
        int[] empty = {0};
        cluster.network.intercept(sent -> {
            empty[0] += sent.templateId() == FetchReplyDecoder.TEMPLATE_ID && sent.payload().length == 0 ? 1 : 0;
            return sent;
        });
        for (int i = 0; i < 1000; i++) {
            cluster.nowNs += 501_000_000L;
            cluster.run();
        }
        assertTrue(empty[0] >= 1000, "empty answers: " + empty[0]);
        // Node 2 alone takes a tail, as a leader nobody else heard of; then node 1 leads on.
        PartitionState strayed = cluster.electing(pid, 2, 2);
        cluster.node(2).apply(pid, strayed);
        cluster.run();
        LaneClient other = connect(2);
        produce(other, pid, LEADER, "tail");
        assertEquals(2, cluster.node(2).log(pid).logEndOffset());
        PartitionState back = strayed.withLeader(
                cluster.node(1).self(), List.of(cluster.node(1).self()), List.of());
        cluster.publish(pid, back);
        cluster.advanceMs(200);
        assertSameLog(pid, 1, 1, 2);
    }

    // RP-19: a fencing answer to a question of epoch 0 arrives when the follower is in epoch 1: it goes on fetching.
    @Test
    void shouldDropAnswersOfAnotherEpoch() {
        PartitionId pid = cluster.create(0, 1, 1, 2);
        cluster.advanceMs(1000);
        LaneClient client = connect(1);
        PartitionState next = cluster.electing(pid, 1, 1, 2);
        // The leader hears of its new epoch first, and answers the parked fetch of the old one with an error.
        cluster.states.put(pid, next);
        cluster.node(1).apply(pid, next);
        cluster.node(1).step();
        cluster.node(2).apply(pid, next);
        cluster.run();
        long id = produce(client, pid, ALL, "m1");
        assertEquals(ErrorCode.NONE, client.reply(id).code());
        assertSameLog(pid, 1, 1, 2);
    }

    // RP-20: one partition's bytes are bad for a while; it backs off, the others go on, and it recovers by itself.
    @Test
    void shouldKeepOtherPartitionsGoingWhenOneIsCorrupt() {
        PartitionId bad = cluster.create(0, 1, 1, 2);
        PartitionId good = cluster.create(1, 1, 1, 2);
        cluster.advanceMs(1000);
        LaneClient client = connect(1);
        int[] corrupted = {0};
        cluster.network.intercept(sent -> corrupt(sent, bad, corrupted));
        long stuck = produce(client, bad, ALL, "bad");
        for (int i = 0; i < 20; i++) {
            long id = produce(client, good, ALL, "good-" + i);
            assertEquals(ErrorCode.NONE, client.reply(id).code());
            cluster.advanceMs(50);
        }
        assertFalse(client.isAnswered(stuck));
        assertEquals(0, cluster.node(2).log(bad).logEndOffset());
        assertTrue(corrupted[0] >= 5 && corrupted[0] <= 15, "asked again after pauses only: " + corrupted[0]);
        cluster.network.intercept(sent -> sent);
        cluster.advanceMs(200);
        assertEquals(ErrorCode.NONE, client.reply(stuck).code());
        assertSameLog(bad, 1, 1, 2);
        assertSameLog(good, 20, 1, 2);
    }

    private static FakeNetwork.Sent corrupt(FakeNetwork.Sent sent, PartitionId bad, int[] count) {
        if (sent.templateId() != FetchReplyDecoder.TEMPLATE_ID || sent.payload().length == 0) {
            return sent;
        }
        FetchReplyDecoder reply =
                new MessageReader().fetchReply(new UnsafeBuffer(sent.header()), 0, sent.header().length);
        byte[] payload = sent.payload().clone();
        int at = 0;
        for (FetchReplyDecoder.PartitionsDecoder p : reply.partitions()) {
            if (p.partition() == bad.partition() && p.payloadLength() > 0) {
                payload[at + p.payloadLength() - 1] ^= 1;
                count[0]++;
            }
            at += p.payloadLength();
        }
        return new FakeNetwork.Sent(sent.header(), payload);
    }

    // RP-22: an idle topic; the follower loses its disk and comes back: it is complete and in the ISR without traffic.
    @Test
    void shouldRefillAWipedFollowerWithoutNewTraffic() throws IOException {
        PartitionId pid = cluster.create(0, 1, 1, 2);
        cluster.advanceMs(1000);
        LaneClient client = connect(1);
        for (int i = 0; i < 10; i++) {
            produce(client, pid, ALL, "v" + i);
        }
        cluster.node(2).stop();
        cluster.node(1).proxy().peerDead(2, 1);
        try (Stream<Path> files = Files.walk(cluster.node(2).directory)) {
            for (Path path : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
        cluster.run();
        assertFalse(cluster.state(pid).isInIsr(2, 1));
        cluster.node(2).start();
        cluster.publishBrokers();
        cluster.node(2).apply(pid, cluster.state(pid));
        cluster.advanceMs(1000);
        assertSameLog(pid, 10, 1, 2);
        assertTrue(cluster.state(pid).isr().contains(new Replica(2, 2)));
    }

    // A follower that ends below the leader's log start restarts there; its HW goes along.
    @Test
    void shouldRestartAtTheLeadersLogStart() {
        PartitionId pid = cluster.create(0, 1, 1, 2);
        cluster.advanceMs(1000);
        LaneClient client = connect(1);
        produce(client, pid, ALL, "v0");
        cluster.node(2).stop();
        cluster.node(1).proxy().peerDead(2, 1);
        cluster.run();
        cluster.node(1).stop();
        cluster.node(1).start();
        cluster.publishBrokers();
        cluster.node(1).apply(pid, cluster.state(pid));
        cluster.run();
        cluster.node(1).log(pid).truncateFullyAndStartAt(1000);
        cluster.elect(pid, 1, 1);
        LaneClient again = connect(1);
        produce(again, pid, ALL, "v1000");
        cluster.node(2).start();
        cluster.publishBrokers();
        cluster.node(2).apply(pid, cluster.state(pid));
        cluster.advanceMs(1500);
        assertEquals(1000, cluster.node(2).log(pid).logStartOffset());
        assertSameLog(pid, 1001, 1, 2);
        assertEquals(1001, cluster.node(2).gauge(pid).highWatermark());
    }
}

package io.tidemark.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.fetch.FetchConfig;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.sbe.FetchReplyDecoder;
import io.tidemark.wire.sbe.FetchRequestDecoder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Fetch sessions: what a round trip carries, fairness, and requests that take the place of parked ones. */
class LaneFetchTest {
    private static final int ALL = AppendStage.ACKS_ALL;
    private static final int PARTITIONS = 20;

    @TempDir
    Path directory;

    private LaneCluster cluster;
    private final List<Integer> mentioned = new ArrayList<>();
    private final List<Set<Integer>> answered = new ArrayList<>();

    @BeforeEach
    void start() {
        FetchConfig defaults = FetchConfig.defaults();
        FetchConfig small = new FetchConfig(
                defaults.maxWaitMs(),
                1,
                defaults.connectTimeoutNs(),
                defaults.replyTimeoutNs(),
                defaults.backOffMinNs(),
                defaults.backOffMaxNs(),
                defaults.partitionBackOffNs());
        cluster = new LaneCluster(directory, 2, LaneLimits.defaults(), small);
        cluster.network.intercept(this::watch);
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private FakeNetwork.Sent watch(FakeNetwork.Sent sent) {
        MessageReader reader = new MessageReader();
        UnsafeBuffer header = new UnsafeBuffer(sent.header());
        if (sent.templateId() == FetchRequestDecoder.TEMPLATE_ID) {
            mentioned.add(reader.fetchRequest(header, 0, header.capacity())
                    .partitions()
                    .count());
        } else if (sent.templateId() == FetchReplyDecoder.TEMPLATE_ID && sent.payload().length > 0) {
            Set<Integer> partitions = new HashSet<>();
            for (FetchReplyDecoder.PartitionsDecoder p :
                    reader.fetchReply(header, 0, header.capacity()).partitions()) {
                if (p.payloadLength() > 0) {
                    partitions.add(p.partition());
                }
            }
            answered.add(partitions);
        }
        return sent;
    }

    private List<PartitionId> createAll() {
        List<PartitionId> pids = new ArrayList<>();
        for (int i = 0; i < PARTITIONS; i++) {
            pids.add(cluster.create(i, 1, 1, 2));
        }
        cluster.advanceMs(1200);
        mentioned.clear();
        answered.clear();
        return pids;
    }

    private LaneClient connect() {
        LaneClient client = cluster.client();
        client.connect("node1", cluster.node(1).transport().port());
        cluster.run();
        return client;
    }

    // 20 partitions, 1 with traffic: a round trip mentions the one that changed, an idle one nothing.
    @Test
    void shouldMentionOnlyPartitionsThatChanged() {
        List<PartitionId> pids = createAll();
        LaneClient client = connect();
        for (int i = 0; i < 10; i++) {
            client.produce(pids.get(3), 0, ALL, "v" + i);
            cluster.run();
        }
        assertEquals(10, mentioned.size());
        for (int count : mentioned) {
            assertEquals(1, count);
        }
        cluster.advanceMs(2000);
        mentioned.clear();
        cluster.advanceMs(2000);
        assertTrue(mentioned.size() <= 5, "requests of two idle seconds: " + mentioned.size());
        for (int count : mentioned) {
            assertEquals(0, count);
        }
    }

    // A reply has room for one batch: all partitions with data take turns, though the first always has more.
    @Test
    void shouldServePartitionsInTurns() {
        List<PartitionId> pids = createAll();
        LaneClient client = connect();
        cluster.node(2).transport().frozen = true;
        List<Long> ids = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            for (PartitionId pid : pids) {
                ids.add(client.produce(pid, 0, ALL, "v" + round));
            }
        }
        cluster.run();
        answered.clear();
        cluster.node(2).transport().frozen = false;
        cluster.run();
        for (long id : ids) {
            assertEquals(ErrorCode.NONE, client.reply(id).code());
        }
        Set<Integer> inFirstRound = new HashSet<>();
        for (int i = 0; i < PARTITIONS - 1; i++) {
            assertEquals(1, answered.get(i).size());
            inFirstRound.addAll(answered.get(i));
        }
        assertEquals(PARTITIONS - 1, inFirstRound.size(), "each other partition came once before any came twice");
    }

    // A fetch is parked for half a second; a new epoch of one partition does not wait for its end.
    @Test
    void shouldNotWaitForTheEndOfAParkToAskInANewEpoch() {
        List<PartitionId> pids = createAll();
        PartitionId pid = pids.get(7);
        cluster.elect(pid, 1, 1, 2);
        LaneClient client = connect();
        long id = client.produce(pid, 1, ALL, "v");
        cluster.run();
        assertEquals(ErrorCode.NONE, client.reply(id).code());
    }

    // The leader moves to the follower and back: each side's session forgets what it does not follow any more.
    @Test
    void shouldMoveAPartitionBetweenSessions() {
        List<PartitionId> pids = createAll();
        PartitionId pid = pids.get(0);
        LaneClient first = connect();
        LaneClient second = cluster.client();
        second.connect("node2", cluster.node(2).transport().port());
        cluster.run();
        for (int epoch = 1; epoch <= 6; epoch++) {
            int leader = epoch % 2 == 0 ? 1 : 2;
            cluster.elect(pid, leader, 1, 2);
            LaneClient client = leader == 1 ? first : second;
            cluster.advanceMs(100);
            long id = client.produce(pid, epoch, ALL, "e" + epoch);
            cluster.run();
            assertEquals(ErrorCode.NONE, client.reply(id).code(), "epoch=" + epoch);
        }
        assertEquals(6, cluster.node(1).log(pid).logEndOffset());
        assertEquals(6, cluster.node(2).log(pid).logEndOffset());
        PartitionState state = cluster.state(pid);
        assertEquals(2, state.isr().size());
    }

    // The connection breaks again and again; the follower comes back after a pause and misses nothing.
    @Test
    void shouldComeBackAfterABrokenConnection() {
        List<PartitionId> pids = createAll();
        LaneClient client = connect();
        for (int i = 0; i < 10; i++) {
            cluster.network.cut(cluster.node(2).transport(), cluster.node(1).transport());
            long id = client.produce(pids.get(i), 0, ALL, "v" + i);
            cluster.run();
            assertFalse(client.isAnswered(id));
            cluster.advanceMs(100);
            assertEquals(ErrorCode.NONE, client.reply(id).code());
        }
        assertTrue(cluster.node(1).conductor.lost.contains("2@1"));
        assertTrue(cluster.node(2).conductor.lost.contains("1@1"));
    }
}

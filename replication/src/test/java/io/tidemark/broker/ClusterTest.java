package io.tidemark.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.controller.TopicState;
import io.tidemark.controller.VersionedState;
import io.tidemark.log.BatchBuilder;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.Durability;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.partition.StateVersion;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.Role;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three brokers in one JVM. */
class ClusterTest {
    private static final int ACKS_ALL = -1;

    @TempDir
    Path root;

    private Cluster cluster;

    @BeforeEach
    void open() {
        cluster = new Cluster(root);
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    // R=3, minIsr=2: a topic is created, and a record with acks ALL is acknowledged.
    @Test
    void shouldAcknowledgeARecordOfANewTopic() {
        cluster.startAll(3);

        RawClient.Created created = create("orders", 3);
        assertEquals(ErrorCode.NONE, created.code(), created.message());

        for (int partition = 0; partition < 3; partition++) {
            assertEquals(3, cluster.state("orders", partition).isr().size());
            assertEquals(0, produce(created, partition, "a").baseOffset());
            assertEquals(1, produce(created, partition, "b").baseOffset());
        }
    }

    // R=3, minIsr=2, the leader dies: another leads in a later epoch, and what was acknowledged is there.
    @Test
    void shouldElectANewLeaderWhenTheLeaderDies() {
        cluster.startAll(3);
        RawClient.Created created = create("orders", 1);
        produce(created, 0, "a");
        PartitionState before = cluster.state("orders", 0);

        cluster.abort(before.leader().broker());

        Duration took =
                Cluster.await("new leader", () -> cluster.state("orders", 0).leaderEpoch() > before.leaderEpoch());
        PartitionState after = cluster.state("orders", 0);
        assertTrue(before.isr().contains(after.leader()), after.toString());
        assertEquals(before.leaderEpoch() + 1, after.leaderEpoch());
        assertTrue(took.compareTo(Cluster.TTL.multipliedBy(2)) < 0, "took=" + took);
        assertEquals(1, produce(created, 0, "b").baseOffset());

        cluster.start(before.leader().broker());
        Cluster.await("back in the ISR", () -> cluster.state("orders", 0).isr().size() == 3);
        assertEquals(2, produce(created, 0, "c").baseOffset());
    }

    // R=3, minIsr=2, a follower dies: its session outlives it by far, but commits go on and the ISR shrinks at once.
    @Test
    void shouldShrinkTheIsrAtOnceWhenAFollowerDies() {
        cluster.sessionTtl(Duration.ofSeconds(20));
        cluster.startAll(3);
        RawClient.Created created = create("orders", 1);
        produce(created, 0, "a");
        PartitionState before = cluster.state("orders", 0);
        int follower = before.isr().stream()
                .map(Replica::broker)
                .filter(broker -> broker != before.leader().broker())
                .findFirst()
                .orElseThrow();

        cluster.abort(follower);

        Duration took = Cluster.await(
                "smaller ISR", () -> cluster.state("orders", 0).isr().size() == 2);
        // Well below the session's time and the lag time; on an idle machine it is some 50 ms.
        assertTrue(took.compareTo(Duration.ofSeconds(5)) < 0, "took=" + took);
        assertEquals(before.leaderEpoch(), cluster.state("orders", 0).leaderEpoch());
        assertEquals(1, produce(created, 0, "b").baseOffset());
        assertEquals(1L, cluster.broker(before.leader().broker()).counters().get("isr.shrinks"));

        cluster.start(follower);
        Cluster.await("back in the ISR", () -> cluster.state("orders", 0).isr().size() == 3);
        assertEquals(List.of("a", "b"), read(created, 0));
    }

    // All processes die at once under the same kernel: all come back, and nothing acknowledged is lost.
    @Test
    void shouldLoseNothingWhenAllBrokersDieAtOnce() {
        cluster.startAll(3);
        RawClient.Created created = create("orders", 2);
        List<String> sent = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            sent.add("value-" + i);
            produce(created, 0, "value-" + i);
            produce(created, 1, "value-" + i);
        }
        PartitionState before = cluster.state("orders", 0);

        List.of(1, 2, 3).forEach(cluster::abort);
        List.of(1, 2, 3).forEach(cluster::start);

        Cluster.await(
                "whole again",
                () -> cluster.states("orders").values().stream()
                        .allMatch(state -> state.isr().size() == 3 && cluster.isAlive(state.leader())));
        assertTrue(cluster.state("orders", 0).leaderEpoch() > before.leaderEpoch());
        assertEquals(sent, read(created, 0));
        assertEquals(sent, read(created, 1));
        assertEquals(20, produce(created, 0, "more").baseOffset());
    }

    // The controller dies: another one is elected in a later term, and topics can be created.
    @Test
    void shouldElectANewControllerWhenTheControllerDies() {
        cluster.startAll(3);
        create("orders", 1);
        Replica before = cluster.controller();

        cluster.abort(before.broker());

        Cluster.await(
                "a new controller",
                () -> !cluster.controller().isNone() && !cluster.controller().equals(before));
        cluster.start(before.broker());
        assertEquals(ErrorCode.NONE, create("payments", 1).code());
        assertEquals(
                "2", cluster.read(MetadataKeys.CONTROLLER_EPOCH).orElseThrow().valueText());
    }

    // The service ends the session of a broker that is alive: it fences itself and comes back as another incarnation.
    @Test
    void shouldComeBackAsAnotherIncarnationWhenTheSessionOfALeaderExpires() {
        cluster.startAll(3);
        RawClient.Created created = create("orders", 1);
        produce(created, 0, "a");
        PartitionState before = cluster.state("orders", 0);
        long sessionId = cluster.read(MetadataKeys.brokerId(before.leader().broker()))
                .orElseThrow()
                .ownerSessionId()
                .orElseThrow();

        cluster.store().faults().expireSession(sessionId);

        Cluster.await("new epoch", () -> cluster.state("orders", 0).leaderEpoch() > before.leaderEpoch());
        Cluster.await(
                "whole again",
                () -> cluster.state("orders", 0).isr().size() == 3
                        && !cluster.state("orders", 0).isr().contains(before.leader()));
        assertEquals(1, produce(created, 0, "b").baseOffset());
        assertEquals(List.of("a", "b"), read(created, 0));
    }

    // I-16: a controller that was deposed long ago has a message on the way; it changes nothing.
    @Test
    void shouldRefuseRecordsWhenTheyComeFromAnOlderController() {
        cluster.startAll(3);
        RawClient.Created created = create("orders", 1);
        produce(created, 0, "a");
        PartitionState before = cluster.state("orders", 0);
        Broker leader = cluster.broker(before.leader().broker());
        PartitionState forged = before.withLeader(before.isr().get(1), before.isr(), List.of());
        TopicState topic = new TopicState("orders", created.topicId(), 1, 3, 2, Durability.REPLICATED);

        String clusterId = cluster.read(MetadataKeys.CLUSTER_ID).orElseThrow().valueText();
        try (RawClient zombie = new RawClient(leader.address(), Role.CONTROLLER, 9, 1, 0, clusterId)) {
            assertEquals(
                    ErrorCode.STALE_CONTROLLER_EPOCH,
                    zombie.updateStates(9, 0, new VersionedState(forged, new StateVersion(1, 1_000_000, 1)), topic, 0));
        }

        assertEquals(1, produce(created, 0, "b").baseOffset());
        assertEquals(before.leaderEpoch(), cluster.state("orders", 0).leaderEpoch());
    }

    // C-03: two clients create the same topic at once; one wins, the other one is told.
    @Test
    void shouldCreateATopicOnceWhenAskedTwice() {
        cluster.startAll(3);
        RawClient.Created first = create("orders", 3);
        RawClient.Created second = create("orders", 5);

        assertEquals(ErrorCode.NONE, first.code());
        assertEquals(ErrorCode.TOPIC_EXISTS, second.code());
        assertTrue(second.message().startsWith("topic exists: topic=orders;"), second.message());
        assertEquals(3, cluster.states("orders").size());
    }

    @Test
    void shouldSayWhatIsMissingWhenThereAreTooFewBrokers() {
        cluster.start(1);
        RawClient.Created created = create("orders", 1);

        assertEquals(ErrorCode.INVALID_REQUEST, created.code());
        assertTrue(
                created.message()
                        .startsWith("too few brokers for the replication factor: topic=orders, replicationFactor=3,"
                                + " runningBrokers=[1]; start 2 more brokers"),
                created.message());
    }

    // Only the controller decides about topics.
    @Test
    void shouldSendTheClientAwayWhenTheBrokerIsNotTheController() {
        cluster.startAll(3);
        Cluster.await("a controller", () -> !cluster.controller().isNone());
        int other = cluster.controller().broker() == 1 ? 2 : 1;

        try (RawClient client = new RawClient(cluster.broker(other).address())) {
            RawClient.Created created = client.createTopic("orders", 1, 3, 2);
            assertEquals(ErrorCode.NOT_CONTROLLER, created.code());
            assertTrue(created.message().contains("brokerId=" + other), created.message());
        }
    }

    // Producer ids are given out by every broker, and never twice.
    @Test
    void shouldNeverGiveAProducerIdTwice() {
        cluster.startAll(2);
        Set<Long> ids = new HashSet<>();
        for (Broker broker : cluster.running()) {
            try (RawClient client = new RawClient(broker.address())) {
                for (int i = 0; i < 3; i++) {
                    assertTrue(ids.add(client.initProducerId()), ids.toString());
                }
            }
        }
        assertEquals(6, ids.size());
    }

    @Test
    void shouldTellItsCounters() {
        cluster.startAll(1);
        try (RawClient client = new RawClient(cluster.broker(1).address())) {
            assertEquals(
                    cluster.broker(1).counters().keySet(), client.describe().keySet());
        }
        assertEquals(1L, cluster.broker(1).counters().get("controller.terms"));
    }

    private List<String> read(RawClient.Created topic, int partition) {
        List<String> values = new ArrayList<>();
        Cluster.await("read to the high watermark", () -> {
            values.clear();
            int leader = cluster.state("orders", partition).leader().broker();
            try (RawClient client = new RawClient(cluster.broker(leader).address())) {
                long offset = 0;
                while (true) {
                    RawClient.Consumed consumed = client.consume(topic.topicId(), partition, offset);
                    if (consumed.code() != ErrorCode.NONE) {
                        return false;
                    }
                    values.addAll(consumed.values());
                    offset = consumed.nextOffset();
                    if (consumed.values().isEmpty()) {
                        return offset == consumed.highWatermark();
                    }
                }
            }
        });
        return values;
    }

    private RawClient.Created create(String topic, int partitions) {
        Cluster.await("a controller", () -> !cluster.controller().isNone());
        for (int attempt = 0; ; attempt++) {
            try (RawClient client =
                    new RawClient(cluster.broker(cluster.controller().broker()).address())) {
                RawClient.Created created = client.createTopic(topic, partitions, 3, 2);
                if (created.code() != ErrorCode.NOT_CONTROLLER || attempt > 1000) {
                    return created;
                }
            }
        }
    }

    private RawClient.Produced produce(RawClient.Created topic, int partition, String value) {
        BatchBuilder builder = new BatchBuilder(1024);
        builder.append(1, null, value.getBytes(StandardCharsets.UTF_8));
        int length = builder.build(-1, (short) -1, -1);
        byte[] bytes = new byte[length];
        builder.buffer().getBytes(0, bytes);
        UnsafeBuffer batch = new UnsafeBuffer(bytes);
        RawClient.Produced[] last = new RawClient.Produced[1];
        Cluster.await("acknowledged", () -> {
            int leader = cluster.state("orders", partition).leader().broker();
            if (cluster.running().stream().noneMatch(broker -> broker.brokerId() == leader)) {
                return false;
            }
            try (RawClient client = new RawClient(cluster.broker(leader).address())) {
                last[0] = client.produce(topic.topicId(), partition, ACKS_ALL, batch);
                return last[0].code() == ErrorCode.NONE;
            }
        });
        return last[0];
    }
}

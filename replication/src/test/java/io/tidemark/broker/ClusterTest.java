package io.tidemark.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.BatchBuilder;
import io.tidemark.partition.PartitionState;
import io.tidemark.wire.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
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

    private RawClient.Created create(String topic, int partitions) {
        Cluster.await("a controller", () -> !cluster.controller().isNone());
        Cluster.await("all registered", () -> cluster.registrations().entries().size() == 3);
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

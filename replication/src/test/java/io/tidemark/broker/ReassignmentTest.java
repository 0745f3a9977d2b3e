package io.tidemark.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.client.Client;
import io.tidemark.client.ConsumedRecord;
import io.tidemark.client.Consumer;
import io.tidemark.client.NewTopic;
import io.tidemark.client.PartitionMove;
import io.tidemark.client.PartitionOutcome;
import io.tidemark.client.Producer;
import io.tidemark.client.RecordPosition;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A partition on brokers 1, 2 and 3 moves to 4, 5 and 6 while records are under way. minIsr=2, acks ALL. */
class ReassignmentTest {
    private static final String TOPIC = "orders";
    private static final int LOADED = 8_000;
    private static final int VALUE_SIZE = 1_000;
    private static final int OUTSTANDING_MAX = 200;

    @TempDir
    Path root;

    // C-04: nothing is lost, repeated or reordered, and producing goes on; what the hand-over costs is printed.
    @Test
    void shouldMoveALoadedPartitionWhileProducing() throws ExecutionException, InterruptedException, TimeoutException {
        try (Cluster cluster = new Cluster(root)) {
            cluster.startAll(6);
            try (Client client = Client.connect(cluster.addresses())) {
                create(cluster, client);
                Load load = new Load(client.producer());
                load.sendUntil(() -> load.sent.size() >= LOADED);
                List<PartitionOutcome> started =
                        client.admin().reassign(List.of(new PartitionMove(TOPIC, 0, List.of(4, 5, 6))));
                assertTrue(started.get(0).isMet(), started.toString());
                load.sendUntil(() -> isOn(cluster, 4, 5, 6));
                int moved = load.sent.size();
                load.sendUntil(() -> load.sent.size() >= moved + LOADED / 4);
                load.awaitAll();

                System.out.println("ReassignmentTest: records=" + load.sent.size() + ", longest produce gap="
                        + TimeUnit.NANOSECONDS.toMillis(load.gapNs.get()) + " ms");
                assertEquals(4, cluster.state(TOPIC, 0).leader().broker());
                assertReadInOrder(client, load.sent.size());
                // The old ones may go, all of them.
                cluster.close(1);
                cluster.close(2);
                cluster.close(3);
                load.sendUntil(() -> load.sent.size() >= moved + LOADED / 2);
                load.awaitAll();
            }
        }
    }

    // C-04, CP-08: one target cannot take its replica; at two thirds of the way a cancel brings everything back, and
    // the move may be asked for again.
    @Test
    void shouldRestoreTheReplicasWhenCancelledHalfWay()
            throws IOException, ExecutionException, InterruptedException, TimeoutException {
        try (Cluster cluster = new Cluster(root)) {
            cluster.startAll(6);
            Path obstacle = root.resolve("broker-6").resolve(TOPIC + "-0");
            Files.writeString(obstacle, "in the way");
            try (Client client = Client.connect(cluster.addresses())) {
                create(cluster, client);
                Load load = new Load(client.producer());
                load.sendUntil(() -> load.sent.size() >= LOADED / 4);
                client.admin().reassign(List.of(new PartitionMove(TOPIC, 0, List.of(4, 5, 6))));
                load.sendUntil(() -> isInSync(cluster, 4) && isInSync(cluster, 5));
                PartitionState half = cluster.state(TOPIC, 0);
                assertEquals(List.of(1, 2, 3), half.assignment());
                assertEquals(List.of(4, 5, 6), half.target());

                List<PartitionOutcome> cancelled = client.admin().cancelReassignments(List.of(TOPIC));
                assertTrue(cancelled.get(0).isMet(), cancelled.toString());
                PartitionState restored = cluster.state(TOPIC, 0);
                assertEquals(List.of(1, 2, 3), restored.assignment());
                assertEquals(List.of(), restored.target());
                assertEquals(half.leader(), restored.leader());
                assertTrue(restored.isr().stream().allMatch(member -> member.broker() <= 3), restored.toString());
                int before = load.sent.size();
                load.sendUntil(() -> load.sent.size() >= before + LOADED / 4);
                load.awaitAll();
                assertReadInOrder(client, load.sent.size());
            }
        }
    }

    // The two inboxes, written by hand: a move of one replica, then the preferred leader.
    @Test
    void shouldDoWhatAPersonWritesIntoTheInboxes() {
        try (Cluster cluster = new Cluster(root)) {
            cluster.startAll(4);
            try (Client client = Client.connect(cluster.addresses())) {
                create(cluster, client);
                cluster.write(
                        MetadataKeys.REASSIGN_PARTITIONS,
                        "{\"partitions\":[{\"topic\":\"orders\",\"partition\":0,\"replicas\":[2,1,4]}]}");
                Cluster.await("moved", () -> isOn(cluster, 2, 1, 4));
                assertEquals(1, cluster.state(TOPIC, 0).leader().broker());
                cluster.write(MetadataKeys.PREFERRED_REPLICA_ELECTION, "{}");
                Cluster.await("elected", () -> cluster.state(TOPIC, 0).leader().broker() == 2);
                Cluster.await(
                        "taken away",
                        () -> cluster.read(MetadataKeys.PREFERRED_REPLICA_ELECTION)
                                        .isEmpty()
                                && cluster.read(MetadataKeys.REASSIGN_PARTITIONS)
                                        .isEmpty());
            }
        }
    }

    // L-10: the leader dies and comes back; once it has been there for an interval it leads again, without being asked.
    @Test
    void shouldGiveLeadershipBackByItself() {
        try (Cluster cluster = new Cluster(root)) {
            cluster.controller(config -> config.withLeaderRebalanceInterval(Duration.ofSeconds(1)));
            cluster.startAll(3);
            try (Client client = Client.connect(cluster.addresses())) {
                create(cluster, client);
                cluster.abort(1);
                Cluster.await("moved", () -> cluster.state(TOPIC, 0).leader().broker() == 2);
                cluster.start(1);
                Cluster.await("back", () -> cluster.state(TOPIC, 0).leader().broker() == 1);
                assertEquals(3, cluster.state(TOPIC, 0).isr().size());
            }
        }
    }

    private static void create(Cluster cluster, Client client) {
        client.admin()
                .createTopic(NewTopic.builder(TOPIC)
                        .assignment(List.of(List.of(1, 2, 3)))
                        .minIsr(2)
                        .build());
        Cluster.await("whole", () -> cluster.state(TOPIC, 0).isr().size() == 3);
    }

    private static boolean isOn(Cluster cluster, Integer... brokers) {
        PartitionState state = cluster.state(TOPIC, 0);
        return state.assignment().equals(List.of(brokers))
                && !state.isReassigning()
                && state.isr().size() == brokers.length;
    }

    private static boolean isInSync(Cluster cluster, int broker) {
        return cluster.state(TOPIC, 0).isr().stream().map(Replica::broker).anyMatch(member -> member == broker);
    }

    private static void assertReadInOrder(Client client, int records) {
        try (Consumer consumer = client.consumer()) {
            consumer.assign(TOPIC);
            consumer.seekToBeginning();
            int[] next = new int[1];
            Cluster.await("everything is read", () -> {
                for (ConsumedRecord record : consumer.poll(Duration.ofMillis(100))) {
                    byte[] value = Objects.requireNonNull(record.value());
                    assertEquals(next[0], ByteBuffer.wrap(value).getInt());
                    assertEquals(next[0]++, record.offset());
                }
                return next[0] >= records;
            });
        }
    }

    /** One sender that never has more than a window under way. */
    private static final class Load {
        private final Producer producer;
        private final List<CompletableFuture<RecordPosition>> sent = new ArrayList<>();
        private final AtomicLong lastAckNs = new AtomicLong();
        private final AtomicLong gapNs = new AtomicLong();
        private final AtomicLong acked = new AtomicLong();

        private Load(Producer producer) {
            this.producer = producer;
        }

        private void sendUntil(BooleanSupplier condition) {
            Cluster.await("enough is sent", () -> {
                for (int i = 0; i < OUTSTANDING_MAX && sent.size() - acked.get() < OUTSTANDING_MAX; i++) {
                    send();
                }
                return condition.getAsBoolean();
            });
        }

        private void send() {
            byte[] value = ByteBuffer.allocate(VALUE_SIZE).putInt(sent.size()).array();
            CompletableFuture<RecordPosition> future =
                    producer.send(TOPIC, 0, "key".getBytes(StandardCharsets.UTF_8), value);
            sent.add(future.whenComplete((position, failure) -> {
                long nowNs = System.nanoTime();
                long before = lastAckNs.getAndSet(nowNs);
                if (before != 0) {
                    gapNs.accumulateAndGet(nowNs - before, Math::max);
                }
                acked.incrementAndGet();
            }));
        }

        private void awaitAll() throws ExecutionException, InterruptedException, TimeoutException {
            for (int i = 0; i < sent.size(); i++) {
                assertEquals(new RecordPosition(TOPIC, 0, i), sent.get(i).get(60, TimeUnit.SECONDS));
            }
            lastAckNs.set(0);
        }
    }
}

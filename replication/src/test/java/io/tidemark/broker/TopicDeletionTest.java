package io.tidemark.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.client.Admin;
import io.tidemark.client.Client;
import io.tidemark.client.ConsumedRecord;
import io.tidemark.client.Consumer;
import io.tidemark.client.NewTopic;
import io.tidemark.client.Producer;
import io.tidemark.client.UnknownTopicException;
import io.tidemark.log.BatchBuilder;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.wire.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Deleted topics on real brokers: the records are gone for everybody, and so is their space. */
@Timeout(120)
class TopicDeletionTest {
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

    private Client client() {
        return Client.connect(cluster.addresses());
    }

    private static UUID create(Admin admin, int partitions) {
        admin.createTopic(NewTopic.builder("orders")
                .partitions(partitions)
                .replicationFactor(3)
                .minIsr(2)
                .build());
        return admin.describeTopic("orders").topicId();
    }

    private static void send(Client client, String... values) throws ExecutionException, InterruptedException {
        try (Producer producer = client.producer()) {
            for (String value : values) {
                producer.send("orders", 0, null, value.getBytes(StandardCharsets.UTF_8))
                        .get();
            }
        }
    }

    private static List<String> read(Client client, int count) {
        List<String> values = new ArrayList<>();
        try (Consumer consumer = client.consumer()) {
            consumer.assign("orders", 0);
            while (values.size() < count) {
                for (ConsumedRecord record : consumer.poll(Duration.ofSeconds(1))) {
                    values.add(new String(record.value(), StandardCharsets.UTF_8));
                }
            }
        }
        return values;
    }

    /** The folders of a broker whose names begin with the topic's, whatever they end with. */
    private List<String> folders(int id) {
        try (Stream<Path> paths = Files.list(cluster.folder(id))) {
            return paths.map(path -> path.getFileName().toString())
                    .filter(name -> name.startsWith("orders"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // CP-03, D-14, must be seen: R=3, a broker is down while the topic is deleted and created anew. When it is back it
    // serves no old byte, and the old space is freed on all three.
    @Test
    void shouldServeNoOldByteWhenABrokerReturnsAfterADeletion() throws Exception {
        cluster.startAll(3);
        try (Client client = client()) {
            UUID old = create(client.admin(), 2);
            send(client, "old-1", "old-2", "old-3");
            assertEquals(List.of("old-1", "old-2", "old-3"), read(client, 3));
            cluster.abort(3);
            Cluster.await("smaller ISR", () -> cluster.state("orders", 0).isr().size() == 2);
            Cluster.await("gone", () -> cluster.registrations().entries().size() == 2);

            client.admin().deleteTopic("orders");

            assertTrue(cluster.read(MetadataKeys.tombstone(old)).isPresent());
            Cluster.await(
                    "space freed", () -> folders(1).isEmpty() && folders(2).isEmpty());
            assertEquals(List.of("orders-0", "orders-1"), folders(3));
            cluster.start(3);
            Cluster.await("space freed on the third", () -> folders(3).isEmpty());
            assertNotEquals(old, create(client.admin(), 2));
            send(client, "new-1");
            assertEquals(List.of("new-1"), read(client, 1));
        }
    }

    // The same, but the name is used again before the broker returns: it finds both, deletes one and fetches the other.
    @Test
    void shouldFollowTheNewTopicWhenABrokerReturnsWithTheOldOne() throws Exception {
        cluster.startAll(3);
        try (Client client = client()) {
            UUID old = create(client.admin(), 2);
            send(client, "old-1", "old-2", "old-3");
            cluster.abort(3);
            Cluster.await("gone", () -> cluster.registrations().entries().size() == 2);
            client.admin().deleteTopic("orders");
            client.admin()
                    .createTopic(NewTopic.builder("orders")
                            .assignment(List.of(List.of(1, 2)))
                            .minIsr(1)
                            .build());
            send(client, "new-1");

            cluster.start(3);
            client.admin().addPartitions("orders", 2, List.of(List.of(3, 1)));

            try (Producer producer = client.producer()) {
                List<Long> offsets = new ArrayList<>();
                Cluster.await("the client knows the partition", () -> {
                    try {
                        offsets.add(producer.send("orders", 1, null, new byte[] {1})
                                .join()
                                .offset());
                        return true;
                    } catch (IllegalArgumentException notYet) {
                        client.admin().describeTopic("orders");
                        return false;
                    }
                });
                assertEquals(List.of(0L), offsets);
            }
            assertEquals(List.of("new-1"), read(client, 1));
            Cluster.await("old space freed", () -> folders(3).equals(List.of("orders-1")));
            String id = Files.readString(cluster.folder(3).resolve("orders-1").resolve("partition.metadata"));
            assertEquals(Files.readString(cluster.folder(1).resolve("orders-1").resolve("partition.metadata")), id);
            assertNotEquals(old, client.admin().describeTopic("orders").topicId());
        }
    }

    // C-03: deleted and created again and again, without a pause between.
    @Test
    void shouldCreateATopicAnewAtOnceAgainAndAgain() throws Exception {
        cluster.startAll(3);
        try (Client client = client()) {
            for (int round = 0; round < 5; round++) {
                create(client.admin(), 3);
                send(client, "round-" + round);
                assertEquals(List.of("round-" + round), read(client, 1));
                client.admin().deleteTopic("orders");
            }
            for (int id = 1; id <= 3; id++) {
                int broker = id;
                Cluster.await("space freed on " + id, () -> folders(broker).isEmpty());
            }
            assertEquals(List.of(), client.admin().listTopics());
        }
    }

    // CO-14: the leader loses its session, and the topic is deleted and created anew. From the end of its lease on it
    // acknowledges nothing; when it is back, the old topic is unknown to it, whatever a client still connected sends.
    @Test
    void shouldAcknowledgeNothingForATopicThatWasDeletedBehindTheLeader() throws Exception {
        cluster.startAll(3);
        try (Client client = client()) {
            UUID old = create(client.admin(), 1);
            send(client, "old-1");
            int leader = cluster.state("orders", 0).leader().broker();
            try (RawClient raw = new RawClient(cluster.broker(leader).address())) {
                assertEquals(ErrorCode.NONE, produce(raw, old).code());
                cluster.store().faults().partition(cluster.clientOf(leader));
                Cluster.await("gone", () -> cluster.registrations().entries().size() == 2);
                // Its lease ended before anybody else could be elected.
                assertNotEquals(ErrorCode.NONE, produce(raw, old).code());
                client.admin().deleteTopic("orders");
                assertNotEquals(ErrorCode.NONE, produce(raw, old).code());

                cluster.store().faults().heal(cluster.clientOf(leader));
                Cluster.await("space freed", () -> folders(leader).isEmpty());

                UUID anew = create(client.admin(), 1);
                assertNotEquals(old, anew);
                assertEquals(ErrorCode.UNKNOWN_TOPIC, produce(raw, old).code());
            }
            send(client, "new-1");
            assertEquals(List.of("new-1"), read(client, 1));
        }
    }

    private static RawClient.Produced produce(RawClient client, UUID topicId) {
        BatchBuilder builder = new BatchBuilder(1024);
        builder.append(1, null, new byte[] {7});
        int length = builder.build(-1, (short) -1, -1);
        byte[] bytes = new byte[length];
        builder.buffer().getBytes(0, bytes);
        return client.produce(topicId, 0, -1, new UnsafeBuffer(bytes));
    }

    // What clients that go on see: the topic is unknown, within seconds and not at the end of the delivery timeout.
    @Test
    void shouldTellProducersAndConsumersThatTheTopicIsGone() throws Exception {
        cluster.startAll(3);
        try (Client client = client();
                Producer producer = client.producer();
                Consumer consumer = client.consumer()) {
            create(client.admin(), 1);
            producer.send("orders", 0, null, new byte[] {1}).get();
            consumer.assign("orders", 0);
            assertEquals(1, consumer.poll(Duration.ofSeconds(10)).size());
            client.admin().deleteTopic("orders");
            long beganNs = System.nanoTime();

            ExecutionException failed = assertThrows(
                    ExecutionException.class,
                    () -> producer.send("orders", 0, null, new byte[] {2}).get());
            assertTrue(failed.getCause() instanceof UnknownTopicException, failed.toString());
            assertThrows(UnknownTopicException.class, () -> {
                while (true) {
                    assertEquals(0, consumer.poll(Duration.ofSeconds(1)).size());
                }
            });
            assertTrue(System.nanoTime() - beganNs < Duration.ofSeconds(30).toNanos());
        }
    }

    // A folder that no record and no tombstone accounts for is kept out of the way, and not deleted; its name is free.
    @Test
    void shouldSetAsideWhatNobodyAccountsFor() throws Exception {
        cluster.start(1);
        cluster.close(1);
        Path stray = Files.createDirectories(cluster.folder(1).resolve("orders-0"));
        Files.writeString(stray.resolve("partition.metadata"), "version: 0\ntopic_id: AAAAAAAAAAEAAAAAAAAAAg\n");
        Files.writeString(stray.resolve("witness"), "kept");

        cluster.start(1);

        Cluster.await(
                "set aside", () -> folders(1).size() == 1 && folders(1).get(0).endsWith("-stray"));
        assertEquals(
                "kept",
                Files.readString(cluster.folder(1).resolve(folders(1).get(0)).resolve("witness")));
    }
}

package io.tidemark.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.wire.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConsumerAndAdminTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final FakeCluster cluster = new FakeCluster(2);
    private final List<FakePartition> topic = cluster.createTopic("t", 2);
    private final Client client = Client.connect(
            cluster.addresses(),
            ClientConfig.builder().requestTimeout(Duration.ofSeconds(5)).build());

    @AfterEach
    void close() {
        client.close();
        cluster.close();
    }

    private void produce(int partition, int from, int to) {
        final Producer producer =
                client.producer(ProducerConfig.builder().batchBytes(1024).build());
        CompletableFuture<RecordPosition> last = new CompletableFuture<>();
        for (int i = from; i < to; i++) {
            last = producer.send("t", partition, null, String.valueOf(i).getBytes(StandardCharsets.UTF_8));
        }
        producer.close();
        assertEquals(partition, last.join().partition());
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static List<String> read(Consumer consumer, int count) {
        final List<String> values = new ArrayList<>();
        while (values.size() < count) {
            final int got = consumer.poll(LONG, record -> {
                final byte[] value = record.value();
                values.add(value == null ? "" : text(value));
            });
            assertTrue(got > 0, "nothing came in time: have " + values.size());
        }
        return values;
    }

    private static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(String::valueOf).toList();
    }

    // From the beginning, in order, then what comes later; the position is where it says.
    @Test
    void shouldReadInOrder() {
        produce(0, 0, 5_000);
        try (Consumer consumer =
                client.consumer(ConsumerConfig.builder().fetchMaxBytes(4096).build())) {
            consumer.assign("t", 0);
            assertEquals(0, consumer.position("t", 0));
            assertEquals(numbers(0, 5_000), read(consumer, 5_000));
            assertEquals(5_000, consumer.position("t", 0));
            assertEquals(List.of(), consumer.poll(Duration.ZERO));
            produce(0, 5_000, 5_010);
            assertEquals(numbers(5_000, 5_010), read(consumer, 10));
        }
    }

    // Follows the leader when it moves and when connections break.
    @Test
    void shouldFollowTheLeader() {
        produce(0, 0, 2_000);
        final Consumer consumer =
                client.consumer(ConsumerConfig.builder().fetchMaxBytes(1024).build());
        consumer.assign("t", 0);
        final List<String> values = new ArrayList<>(read(consumer, 100));
        cluster.moveLeader(topic.get(0), 2);
        cluster.reset(1);
        values.addAll(read(consumer, 2_000 - values.size()));
        assertEquals(numbers(0, 2_000), values);
    }

    // Seeks to an offset inside a batch, to both ends; records keep their keys and times.
    @Test
    void shouldSeek() {
        produce(1, 0, 500);
        final Consumer consumer = client.consumer();
        consumer.assign("t");
        consumer.seek("t", 1, 321);
        assertEquals("321", read(consumer, 1).get(0));
        consumer.seekToEnd();
        assertEquals(500, consumer.position("t", 1));
        assertEquals(0, consumer.position("t", 0));
        consumer.seekToBeginning();
        assertEquals(numbers(0, 500), read(consumer, 500));
        client.producer().send("t", 1, new byte[] {7}, null).join();
        final ConsumedRecord record = consumer.poll(LONG).get(0);
        assertEquals(500, record.offset());
        assertEquals(1, record.partition());
        final byte[] key = record.key();
        assertTrue(key != null && key[0] == 7 && record.value() == null && record.timestamp() > 0);
        assertThrows(IllegalStateException.class, () -> consumer.seek("t", 5, 0));
        assertThrows(IllegalArgumentException.class, () -> consumer.seek("t", 1, -1));
    }

    // CL-10: outside the log is an exception with the bounds; after a seek it goes on.
    @Test
    void shouldSayWhenThePositionIsOutsideTheLog() {
        produce(0, 0, 10);
        final Consumer consumer = client.consumer();
        consumer.assign("t", 0);
        consumer.seek("t", 0, 11);
        final OffsetOutOfRangeException outside =
                assertThrows(OffsetOutOfRangeException.class, () -> consumer.poll(LONG));
        assertEquals(0, outside.logStartOffset());
        assertEquals(10, outside.endOffset());
        assertEquals(
                "position outside the log: topic=t, partition=0, position=11, logStartOffset=0, endOffset=10; seek into"
                        + " that range to go on",
                outside.getMessage());
        consumer.seek("t", 0, 9);
        assertEquals(List.of("9"), read(consumer, 1));
    }

    // A handler that throws gets the same record again.
    @Test
    void shouldHandOverAgainWhatAHandlerDidNotTake() {
        produce(0, 0, 10);
        final Consumer consumer = client.consumer();
        consumer.assign("t", 0);
        assertThrows(
                UnsupportedOperationException.class,
                () -> consumer.poll(LONG, record -> {
                    if (record.offset() == 4) {
                        throw new UnsupportedOperationException("not now");
                    }
                }));
        assertEquals(4, consumer.position("t", 0));
        assertEquals(numbers(4, 10), read(consumer, 6));
    }

    // CL-04: deleted and created anew: an explicit signal, neither silence nor old data.
    @Test
    void shouldSayWhenTheTopicWasCreatedAnew() {
        produce(0, 0, 10);
        final Consumer consumer = client.consumer();
        consumer.assign("t", 0);
        read(consumer, 10);
        cluster.createTopic("t", 2);
        final OffsetOutOfRangeException anew = assertThrows(OffsetOutOfRangeException.class, () -> consumer.poll(LONG));
        assertTrue(String.valueOf(anew.getMessage()).contains("deleted and created anew"));
        produce(0, 100, 110);
        consumer.seekToBeginning();
        assertEquals(numbers(100, 110), read(consumer, 10));
    }

    // A closed consumer, or client, says so, also to a thread that waits in a poll.
    @Test
    void shouldEndAPollWhenClosed() throws InterruptedException {
        final Consumer consumer = client.consumer();
        consumer.assign("t");
        final List<Throwable> thrown = new ArrayList<>();
        final Thread waiting = new Thread(() -> {
            try {
                consumer.poll(LONG);
            } catch (ClientClosedException e) {
                thrown.add(e);
            }
        });
        waiting.start();
        client.close();
        waiting.join();
        assertEquals(1, thrown.size());
        assertThrows(ClientClosedException.class, () -> consumer.poll(Duration.ZERO));
        consumer.close();
    }

    // Topics are created by the controller, wherever it is, and can be used at once.
    @Test
    void shouldCreateAndDescribeTopics() {
        cluster.on(() -> cluster.controller = 2);
        final Admin admin = client.admin();
        admin.createTopic("new", 3, 1);
        assertEquals(List.of("new", "t"), admin.listTopics());
        final TopicDescription description = admin.describeTopic("new");
        assertEquals(3, description.partitions().size());
        assertEquals(List.of(1), description.partitions().get(0).isr());
        final TidemarkException exists = assertThrows(TidemarkException.class, () -> admin.createTopic("new", 3, 1));
        assertEquals(ErrorCode.TOPIC_EXISTS, exists.reason());
        assertEquals("topic exists: topic=new", exists.getMessage());
        assertThrows(UnknownTopicException.class, () -> admin.describeTopic("nowhere"));
        assertThrows(IllegalArgumentException.class, () -> admin.createTopic("x", 0, 1));
        assertThrows(IllegalArgumentException.class, () -> admin.createTopic("x", 1, 2, 3));
    }

    // The cluster and its brokers.
    @Test
    void shouldDescribeTheClusterAndItsBrokers() {
        final ClusterDescription description = client.admin().describeCluster();
        assertEquals("fake", description.clusterId());
        assertEquals(1, description.controller());
        assertEquals(2, description.brokers().size());
        assertEquals("rack-2", description.brokers().get(1).rack());
        assertEquals(
                List.of(false, true),
                description.brokers().stream().map(BrokerDescription::leaving).toList());
        final PartitionDescription partition =
                client.admin().describeTopics().get(0).partitions().get(0);
        assertEquals(List.of(2), partition.adding());
        assertTrue(partition.isReassigning());
        assertEquals(false, description.isOffline(partition));
        assertEquals(Map.of("acks.sent", 20L), client.admin().brokerCounters(2));
    }

    // Nobody answers: the addresses and the time are named, and nothing is left running.
    @Test
    void shouldNameTheAddressesThatCannotBeReached() {
        final String address = cluster.address(1);
        client.close();
        cluster.close();
        final BrokersUnreachableException unreachable = assertThrows(
                BrokersUnreachableException.class,
                () -> Client.connect(
                        address,
                        ClientConfig.builder()
                                .connectTimeout(Duration.ofMillis(300))
                                .build()));
        assertTrue(
                String.valueOf(unreachable.getMessage())
                        .startsWith("no broker answered: addresses=[" + address + "], connectTimeoutMs=300, failures=["
                                + address + ": connection refused"),
                unreachable.getMessage());
        assertThrows(IllegalArgumentException.class, () -> Client.connect("no port"));
        assertThrows(IllegalArgumentException.class, () -> Client.connect(""));
    }
}

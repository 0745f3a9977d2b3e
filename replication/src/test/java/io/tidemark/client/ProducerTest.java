package io.tidemark.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.client.FakeCluster.Act;
import io.tidemark.wire.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProducerTest {
    private final FakeCluster cluster = new FakeCluster(2);
    private final List<FakePartition> topic = cluster.createTopic("t", 3);
    private final Client client = Client.connect(
            cluster.addresses(),
            ClientConfig.builder().requestTimeout(Duration.ofSeconds(3)).build());

    @AfterEach
    void close() {
        client.close();
        cluster.close();
    }

    private static byte[] bytes(int number) {
        return String.valueOf(number).getBytes(StandardCharsets.UTF_8);
    }

    private static ProducerConfig.Builder small() {
        return ProducerConfig.builder().batchBytes(1024).deliveryTimeout(Duration.ofSeconds(60));
    }

    private static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(String::valueOf).toList();
    }

    /** Sends numbers to partition 0 and notes the order of completions. */
    private static List<CompletableFuture<RecordPosition>> send(
            Producer producer, int from, int to, List<Integer> completed) {
        final List<CompletableFuture<RecordPosition>> futures = new ArrayList<>();
        for (int i = from; i < to; i++) {
            final int number = i;
            final CompletableFuture<RecordPosition> future = producer.send("t", 0, null, bytes(i));
            futures.add(future.whenComplete((position, failure) -> completed.add(number)));
        }
        return futures;
    }

    private static TidemarkException failure(CompletableFuture<RecordPosition> future) {
        final ExecutionException thrown =
                assertThrows(ExecutionException.class, () -> future.get(60, TimeUnit.SECONDS));
        return assertInstanceOf(TidemarkException.class, thrown.getCause());
    }

    private void assertStoredOnceInOrder(int count, List<CompletableFuture<RecordPosition>> futures) {
        assertEquals(numbers(0, count), cluster.values(topic.get(0)));
        for (int i = 0; i < count; i++) {
            assertEquals(new RecordPosition("t", 0, i), futures.get(i).join());
        }
    }

    // Futures get the offsets at which the records are, in the order of sending; callbacks too.
    @Test
    void shouldCompleteInOrderWithPositions() throws InterruptedException {
        final List<Integer> completed = Collections.synchronizedList(new ArrayList<>());
        final Producer producer = client.producer(small().build());
        final List<CompletableFuture<RecordPosition>> futures = send(producer, 0, 5_000, completed);
        producer.flush();
        assertStoredOnceInOrder(5_000, futures);
        assertEquals(IntStream.range(0, 5_000).boxed().toList(), completed);

        final CountDownLatch called = new CountDownLatch(1);
        producer.send("t", 0, null, bytes(5_000), (position, failure) -> {
            assertEquals(new RecordPosition("t", 0, 5_000), position);
            called.countDown();
        });
        called.await();
    }

    // CL-06, P-03: refused, lost and silent brokers, resets and moved leaders, in every mixture: each record is stored
    // once, in order, and completed once, in order.
    @Test
    void shouldStoreOnceAndInOrderWhateverFails() {
        for (long seed = 1; seed <= 6; seed++) {
            System.out.println("ProducerTest seed=" + seed + "; replay: run this method with only this seed");
            final SplittableRandom random = new SplittableRandom(seed);
            final List<FakePartition> fresh = cluster.createTopic("s" + seed, 1);
            final FakePartition partition = fresh.get(0);
            final String name = "s" + seed;
            cluster.on(() -> cluster.script = (broker, target, batch) -> switch (random.nextInt(40)) {
                case 0 -> Act.REFUSE;
                case 1 -> Act.CLOSE;
                case 2 -> Act.APPEND_AND_CLOSE;
                case 3 -> {
                    target.leader = 3 - target.leader;
                    target.leaderEpoch++;
                    yield Act.APPEND_AND_CLOSE;
                }
                default -> Act.SERVE;
            });
            final List<Integer> completed = Collections.synchronizedList(new ArrayList<>());
            final List<CompletableFuture<RecordPosition>> futures = new ArrayList<>();
            try (Producer producer = client.producer(small().build())) {
                for (int i = 0; i < 3_000; i++) {
                    final int number = i;
                    final CompletableFuture<RecordPosition> future = producer.send(name, 0, null, bytes(i));
                    futures.add(future.whenComplete((position, failure) -> completed.add(number)));
                }
            }
            assertEquals(numbers(0, 3_000), cluster.values(partition), "seed=" + seed);
            for (int i = 0; i < futures.size(); i++) {
                assertEquals(i, futures.get(i).join().offset(), "seed=" + seed);
            }
            assertEquals(IntStream.range(0, 3_000).boxed().toList(), completed, "seed=" + seed);
        }
    }

    // CL-08: partition 0 loses a sequence for good while partition 1 is idle: all go on in the next epoch, nothing is
    // stored twice, nothing is refused for ever.
    @Test
    void shouldRaiseTheEpochAfterAGapAndGoOnEverywhere() {
        final Producer producer =
                client.producer(small().deliveryTimeout(Duration.ofSeconds(4)).build());
        producer.send("t", 1, null, bytes(0)).join();
        producer.send("t", 0, null, bytes(0)).join();
        cluster.on(
                () -> cluster.script = (broker, partition, batch) -> partition.partition == 0 ? Act.IGNORE : Act.SERVE);
        final CompletableFuture<RecordPosition> lost = producer.send("t", 0, null, bytes(1));
        assertInstanceOf(DeliveryTimeoutException.class, failure(lost));
        cluster.on(() -> cluster.script = (broker, partition, batch) -> Act.SERVE);
        for (int partition = 0; partition < 3; partition++) {
            producer.send("t", partition, null, bytes(2)).join();
        }
        assertEquals(List.of("0", "2"), cluster.values(topic.get(0)));
        assertEquals(List.of("0", "2"), cluster.values(topic.get(1)));
        assertEquals(List.of("2"), cluster.values(topic.get(2)));
        assertEquals(1, cluster.on(() -> topic.get(1).largestProducerEpoch));
        assertEquals(2, cluster.on(() -> cluster.producerIdRequests));
    }

    // CL-09: the broker has forgotten the producer: the next batch is refused as unknown, and comes again in a new
    // epoch.
    @Test
    void shouldGoOnWhenTheBrokerForgotTheProducer() {
        final Producer producer = client.producer(small().build());
        producer.send("t", 0, null, bytes(0)).join();
        cluster.on(() -> {
            topic.get(0).producers.clear();
            return true;
        });
        assertEquals(1, producer.send("t", 0, null, bytes(1)).join().offset());
        assertEquals(List.of("0", "1"), cluster.values(topic.get(0)));
    }

    // CL-04: the topic is deleted and created anew: the producer goes on within a refresh.
    @Test
    void shouldGoOnWithATopicCreatedAnew() {
        final Producer producer = client.producer(small().build());
        producer.send("t", 0, null, bytes(0)).join();
        final List<FakePartition> anew = cluster.createTopic("t", 3);
        producer.send("t", 0, null, bytes(1)).join();
        assertEquals(List.of("1"), cluster.values(anew.get(0)));
    }

    // CL-01: partitions that do not exist are refused at once and disturb nobody.
    @Test
    void shouldRefusePartitionsOutOfRange() {
        final Producer producer = client.producer();
        for (int partition : new int[] {-1, 3, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            final IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> producer.send("t", partition, null, bytes(1)));
            assertEquals(
                    "no such partition: topic=t, partition=" + partition
                            + ", partitionCount=3; the record was not sent",
                    refused.getMessage());
        }
        assertEquals(0, producer.send("t", 2, null, bytes(1)).join().offset());
    }

    // An unknown topic fails the future, naming it.
    @Test
    void shouldFailForAnUnknownTopic() {
        final TidemarkException failure = failure(client.producer().send("nowhere", null, bytes(1)));
        assertInstanceOf(UnknownTopicException.class, failure);
        assertTrue(String.valueOf(failure.getMessage()).startsWith("unknown topic: topic=nowhere, timesAsked="));
    }

    // Too few replicas until the end of the time: definitely not stored, and said so.
    @Test
    void shouldSayWhenTooFewReplicasWereInSync() {
        cluster.on(() -> {
            cluster.refusal = ErrorCode.NOT_ENOUGH_REPLICAS;
            cluster.script = (broker, partition, batch) -> Act.REFUSE;
            return true;
        });
        final Producer producer =
                client.producer(small().deliveryTimeout(Duration.ofSeconds(5)).build());
        assertInstanceOf(NotEnoughReplicasException.class, failure(producer.send("t", 0, null, bytes(1))));
        assertEquals(List.of(), cluster.values(topic.get(0)));
    }

    // A refusal that stays fails the record, and the producer goes on.
    @Test
    void shouldFailWhatTheBrokerRefuses() {
        cluster.on(() -> {
            cluster.refusal = ErrorCode.BATCH_TOO_LARGE;
            cluster.script = (broker, partition, batch) -> Act.REFUSE;
            return true;
        });
        final Producer producer = client.producer(small().build());
        final TidemarkException failure = failure(producer.send("t", 0, null, bytes(1)));
        assertEquals(ErrorCode.BATCH_TOO_LARGE, failure.reason());
        cluster.on(() -> cluster.script = (broker, partition, batch) -> Act.SERVE);
        assertEquals(0, producer.send("t", 0, null, bytes(2)).join().offset());
    }

    // Memory is bounded: a send waits for it, and says so when its time is over; afterwards all is well.
    @Test
    void shouldBoundItsMemory() {
        cluster.on(() -> cluster.script = (broker, partition, batch) -> Act.IGNORE);
        final Producer producer = client.producer(small().bufferBytes(2 * 1024)
                .blockTimeout(Duration.ofMillis(200))
                .deliveryTimeout(Duration.ofSeconds(5))
                .build());
        final List<CompletableFuture<RecordPosition>> futures = new ArrayList<>();
        final BackPressureException refused = assertThrows(BackPressureException.class, () -> {
            while (true) {
                futures.add(producer.send("t", 0, null, new byte[600]));
            }
        });
        assertEquals(2, futures.size());
        assertTrue(String.valueOf(refused.getMessage()).startsWith("no memory for a record in time: topic=t"));
        futures.forEach(future -> assertInstanceOf(DeliveryTimeoutException.class, failure(future)));
        cluster.on(() -> cluster.script = (broker, partition, batch) -> Act.SERVE);
        producer.send("t", 0, null, bytes(1)).join();
    }

    // The largest record fits, one byte more is refused at once.
    @Test
    void shouldRefuseRecordsLargerThanABatch() {
        final Producer producer = client.producer(small().build());
        int largest = 1024;
        while (true) {
            try {
                producer.send("t", 0, null, new byte[largest]).join();
                break;
            } catch (IllegalArgumentException e) {
                assertTrue(String.valueOf(e.getMessage()).contains("batchBytes=1024"));
                largest--;
            }
        }
        final int tooLarge = largest + 1;
        assertThrows(IllegalArgumentException.class, () -> producer.send("t", 0, null, new byte[tooLarge]));
        assertTrue(largest > 900, "largest=" + largest);
    }

    // PL-07: a single record is answered without later traffic, for all acks, with and without linger.
    @Test
    void shouldAnswerASingleRecord() {
        for (Acks acks : Acks.values()) {
            for (Duration linger : List.of(Duration.ZERO, Duration.ofMillis(10))) {
                final Producer producer =
                        client.producer(small().acks(acks).linger(linger).build());
                final RecordPosition position =
                        producer.send("t", 1, null, bytes(1)).join();
                assertEquals(acks == Acks.NONE, position.offset() == RecordPosition.NO_OFFSET, "acks=" + acks);
            }
        }
    }

    // A callback may send again.
    @Test
    void shouldAllowSendingFromACallback() {
        final Producer producer = client.producer(small().build());
        final CompletableFuture<RecordPosition> second =
                producer.send("t", 0, null, bytes(0)).thenCompose(position -> producer.send("t", 0, null, bytes(1)));
        assertEquals(1, second.join().offset());
        final CompletableFuture<Boolean> refused = new CompletableFuture<>();
        producer.send("t", 0, null, bytes(2), (position, failure) -> {
            try {
                producer.flush();
                refused.complete(false);
            } catch (IllegalStateException e) {
                refused.complete(true);
            }
        });
        assertTrue(refused.join());
    }

    // closing the client completes everything; later sends are refused.
    @Test
    void shouldFailWhatIsUnderWayWhenTheClientCloses() {
        cluster.on(() -> cluster.script = (broker, partition, batch) -> Act.IGNORE);
        final Producer producer = client.producer(small().build());
        final CompletableFuture<RecordPosition> future = producer.send("t", 0, null, bytes(1));
        client.close();
        assertTrue(future.isDone());
        assertInstanceOf(ClientClosedException.class, failure(future));
        assertThrows(ClientClosedException.class, () -> producer.send("t", 0, null, bytes(1)));
        producer.close();
    }
}

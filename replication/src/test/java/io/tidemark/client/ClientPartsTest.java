package io.tidemark.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;

class ClientPartsTest {
    private static PartitionDescription partition(int number, int leader, int leaderEpoch, int partitionEpoch) {
        return new PartitionDescription(
                number,
                leader,
                1,
                leaderEpoch,
                partitionEpoch,
                List.of(leader),
                List.of(),
                List.of(leader),
                1,
                List.of(),
                List.of());
    }

    private static ClusterDescription cluster(int... ports) {
        final List<BrokerDescription> brokers = new ArrayList<>();
        for (int i = 0; i < ports.length; i++) {
            brokers.add(new BrokerDescription(i + 1, 1, "h", ports[i], "", false));
        }
        return new ClusterDescription("c", 1, 1, brokers);
    }

    private static TopicDescription topic(UUID id, PartitionDescription... partitions) {
        return new TopicDescription("t", id, List.of(partitions));
    }

    // P-01: keys land where Kafka's producer puts them, by Kafka's own code and by fixed vectors.
    @Test
    void shouldHashKeysAsKafkaDoes() {
        assertEquals(-973932308, Murmur2.hash("21".getBytes(StandardCharsets.UTF_8)));
        assertEquals(-790332482, Murmur2.hash("foobar".getBytes(StandardCharsets.UTF_8)));
        assertEquals(-985981536, Murmur2.hash("a-little-bit-long-string".getBytes(StandardCharsets.UTF_8)));
        final SplittableRandom random = new SplittableRandom(1);
        for (int length = 0; length < 300; length++) {
            final byte[] key = new byte[length];
            random.nextBytes(key);
            assertEquals(Utils.murmur2(key), Murmur2.hash(key), "length=" + length);
            assertEquals(Utils.toPositive(Utils.murmur2(key)) % 7, Murmur2.partition(key, 7));
        }
    }

    // CL-11: timeouts of any length, on a clock of any value.
    @Test
    void shouldSaturateDeadlines() {
        final long forever = Deadlines.durationNs(Duration.ofSeconds(Long.MAX_VALUE));
        assertEquals(1, Deadlines.durationNs(Duration.ofNanos(1)));
        for (long now : new long[] {0, -5, Long.MAX_VALUE / 2, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertFalse(Deadlines.passed(now, Deadlines.after(now, forever)));
            assertFalse(Deadlines.passed(now + Deadlines.FOREVER_NS - 1, Deadlines.after(now, forever)));
            assertTrue(Deadlines.passed(now, Deadlines.after(now, 0)));
            assertFalse(Deadlines.passed(now, Deadlines.after(now, 1)));
            assertTrue(Deadlines.passed(now + 1, Deadlines.after(now, 1)));
            assertEquals(0, Deadlines.left(now, Deadlines.after(now, 0)));
            assertEquals(7, Deadlines.left(now, Deadlines.after(now, 7)));
        }
    }

    // CL-04, P-03: per topic id knowledge never goes back; another id replaces it, and the old one does not return.
    @Test
    void shouldNeverGoBackInEpochsOfOneTopicId() {
        final UUID first = new UUID(1, 1);
        final UUID second = new UUID(2, 2);
        ClusterView view = ClusterView.EMPTY.with(cluster(1), List.of(topic(first, partition(0, 1, 5, 9))));
        view = view.with(cluster(1), List.of(topic(first, partition(0, 2, 4, 99))));
        assertEquals(5, leaderEpoch(view));
        view = view.with(cluster(1), List.of(topic(first, partition(0, 2, 5, 8))));
        assertEquals(1, leader(view));
        view = view.with(cluster(1), List.of(topic(first, partition(0, 2, 5, 10), partition(1, 1, 1, 1))));
        assertEquals(2, leader(view));
        view = view.with(cluster(1), List.of(topic(first, partition(0, 2, 5, 10))));
        assertEquals(2, known(view).partitions().size());
        view = view.with(cluster(1), List.of(topic(second, partition(0, 1, 1, 1))));
        assertEquals(1, leaderEpoch(view));
        view = view.with(cluster(1), List.of(topic(first, partition(0, 2, 50, 50))));
        assertEquals(1, leaderEpoch(view));
        final ClusterDescription older = new ClusterDescription("c", 7, 0, List.of());
        assertEquals(1, view.with(older, List.of()).cluster().controller());
    }

    private static TopicDescription known(ClusterView view) {
        final TopicDescription topic = view.topic("t");
        assertNotNull(topic);
        return topic;
    }

    private static int leaderEpoch(ClusterView view) {
        return known(view).partitions().get(0).leaderEpoch();
    }

    private static int leader(ClusterView view) {
        return known(view).partitions().get(0).leader();
    }

    // CL-03: round robin is fair, skips a partition without a leader, comes back to it, and uses new partitions.
    @Test
    void shouldSpreadRecordsEvenly() {
        final UUID id = new UUID(1, 1);
        final TopicQueues queues = new TopicQueues("t", new BatchPool(1024, 10_240), 1);
        final ClusterView all = ClusterView.EMPTY.with(
                cluster(1), List.of(topic(id, partition(0, 1, 1, 1), partition(1, 1, 1, 1), partition(2, 1, 1, 1))));
        assertEquals(List.of(100, 100, 100), count(queues, all, 300, 3));
        final ClusterView without =
                all.with(cluster(1), List.of(topic(id, partition(0, 1, 1, 1), partition(1, -1, 2, 2))));
        assertEquals(List.of(150, 0, 150), count(queues, without, 300, 3));
        final ClusterView grown = all.with(
                cluster(1),
                List.of(topic(
                        id,
                        partition(0, 1, 1, 1),
                        partition(1, 1, 3, 1),
                        partition(2, 1, 1, 1),
                        partition(3, 1, 1, 1))));
        assertEquals(List.of(75, 75, 75, 75), count(queues, grown, 300, 4));
    }

    private static List<Integer> count(TopicQueues queues, ClusterView view, int records, int partitions) {
        final int[] counts = new int[partitions];
        for (int i = 0; i < records; i++) {
            counts[queues.select(view, null).partition()]++;
        }
        return java.util.Arrays.stream(counts).boxed().toList();
    }

    // CL-05: after 2147483647 comes 0; a new term starts at 0 wherever the old one was.
    @Test
    void shouldWrapSequences() {
        final PartitionQueue queue = new PartitionQueue("t", 0, new BatchPool(1024, 1024), 1);
        assertEquals(0, queue.takeSequences(1, Integer.MAX_VALUE - 1));
        assertEquals(Integer.MAX_VALUE - 1, queue.takeSequences(1, 1));
        assertEquals(Integer.MAX_VALUE, queue.takeSequences(1, 1));
        assertEquals(0, queue.takeSequences(1, 5));
        assertEquals(5, queue.takeSequences(1, Integer.MAX_VALUE));
        assertEquals(4, queue.takeSequences(1, 1));
        assertEquals(0, queue.takeSequences(2, 3));
        assertEquals(3, queue.takeSequences(2, 3));
    }

    // All problems of a configuration are named at once.
    @Test
    void shouldNameAllProblemsOfAConfiguration() {
        final IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class,
                () -> ProducerConfig.builder()
                        .batchBytes(1023)
                        .linger(Duration.ofMillis(-1))
                        .build());
        assertEquals(
                "ProducerConfig: linger=PT-0.001S, allowed: zero or more; batchBytes=1023, allowed: 1 KiB to 8 MiB",
                refused.getMessage());
        assertEquals(1024, ProducerConfig.builder().batchBytes(1024).build().batchBytes());
    }

    // Addresses in all their forms, and what is none.
    @Test
    void shouldReadAddresses() {
        assertEquals(List.of(new HostPort("a", 1), new HostPort("::1", 65_535)), HostPort.parse("a:1, [::1]:65535"));
        for (String wrong : List.of("", "a", "a:", ":1", "a:0", "a:65536", "a:1,", "a:x")) {
            assertThrows(IllegalArgumentException.class, () -> HostPort.parse(wrong), wrong);
        }
    }
}

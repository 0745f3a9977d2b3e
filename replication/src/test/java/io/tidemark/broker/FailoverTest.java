package io.tidemark.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.client.Client;
import io.tidemark.client.ConsumedRecord;
import io.tidemark.client.Consumer;
import io.tidemark.client.Producer;
import io.tidemark.client.RecordPosition;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Brokers die while thousands of records are under way. R=3, minIsr=2, acks ALL, idempotent. */
class FailoverTest {
    private static final String TOPIC = "orders";
    private static final int PARTITIONS = 2;
    private static final int RECORDS = 20_000;

    @TempDir
    Path root;

    /** Who dies. */
    enum Victim {
        LEADER,
        FOLLOWER,
        CONTROLLER,
        ALL
    }

    // Every record is acknowledged in the end, and is there exactly once, in the order in which it was sent.
    @ParameterizedTest
    @EnumSource
    void shouldLoseRepeatAndReorderNothingWhenBrokersDie(Victim victim)
            throws ExecutionException, InterruptedException, TimeoutException {
        try (Cluster cluster = new Cluster(root)) {
            cluster.startAll(3);
            try (Client client = Client.connect(cluster.addresses())) {
                client.admin().createTopic(TOPIC, PARTITIONS, 3, 2);
                Cluster.await("whole", () -> isWhole(cluster));
                Producer producer = client.producer();
                List<CompletableFuture<RecordPosition>> sent = new ArrayList<>();
                send(producer, sent, RECORDS / 2);
                PartitionState before = cluster.state(TOPIC, 0);
                List<Integer> victims = victims(victim, cluster, before);
                victims.forEach(cluster::abort);
                if (victim == Victim.ALL) {
                    victims.forEach(cluster::start);
                }

                send(producer, sent, RECORDS);
                for (CompletableFuture<RecordPosition> future : sent) {
                    future.get(60, TimeUnit.SECONDS);
                }
                if (victim != Victim.ALL) {
                    victims.forEach(cluster::start);
                }
                Cluster.await("whole again", () -> isWhole(cluster));

                if (victim == Victim.LEADER || victim == Victim.ALL) {
                    assertTrue(cluster.state(TOPIC, 0).leaderEpoch() > before.leaderEpoch());
                }
                assertReadInOrder(client);
                assertPositionsMatch(sent);
            }
        }
    }

    private static List<Integer> victims(Victim victim, Cluster cluster, PartitionState state) {
        int leader = state.leader().broker();
        return switch (victim) {
            case LEADER -> List.of(leader);
            case FOLLOWER ->
                List.of(state.isr().stream()
                        .map(Replica::broker)
                        .filter(broker -> broker != leader)
                        .findFirst()
                        .orElseThrow());
            case CONTROLLER -> List.of(cluster.controller().broker());
            case ALL -> List.of(1, 2, 3);
        };
    }

    /** Whether every partition has all replicas in sync and a leader that is registered. */
    private static boolean isWhole(Cluster cluster) {
        var states = cluster.states(TOPIC);
        return states.size() == PARTITIONS
                && states.values().stream()
                        .allMatch(state -> state.isr().size() == 3 && cluster.isAlive(state.leader()));
    }

    private static void send(Producer producer, List<CompletableFuture<RecordPosition>> sent, int until) {
        while (sent.size() < until) {
            int number = sent.size();
            byte[] value = Integer.toString(number).getBytes(StandardCharsets.UTF_8);
            sent.add(producer.send(TOPIC, number % PARTITIONS, null, value));
        }
    }

    private static void assertReadInOrder(Client client) {
        Consumer consumer = client.consumer();
        consumer.assign(TOPIC);
        consumer.seekToBeginning();
        List<List<Integer>> numbers = List.of(new ArrayList<>(), new ArrayList<>());
        Cluster.await("everything is read", () -> {
            for (ConsumedRecord record : consumer.poll(Duration.ofMillis(100))) {
                numbers.get(record.partition())
                        .add(Integer.parseInt(
                                new String(Objects.requireNonNull(record.value()), StandardCharsets.UTF_8)));
            }
            return numbers.get(0).size() + numbers.get(1).size() >= RECORDS;
        });
        for (int partition = 0; partition < PARTITIONS; partition++) {
            List<Integer> expected = new ArrayList<>();
            for (int number = partition; number < RECORDS; number += PARTITIONS) {
                expected.add(number);
            }
            assertEquals(expected, numbers.get(partition), "partition=" + partition);
        }
    }

    private static void assertPositionsMatch(List<CompletableFuture<RecordPosition>> sent) {
        for (int number = 0; number < sent.size(); number++) {
            assertEquals(
                    new RecordPosition(TOPIC, number % PARTITIONS, number / PARTITIONS),
                    sent.get(number).join());
        }
    }
}

package io.tidemark.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.client.Client;
import io.tidemark.client.Producer;
import io.tidemark.client.RecordPosition;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.PartitionState;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Brokers are closed one after the other while records are under way. R=3, minIsr=2, acks ALL. */
class ControlledShutdownTest {
    private static final String TOPIC = "orders";
    private static final int PARTITIONS = 3;
    private static final int RECORDS = 600;

    @TempDir
    Path root;

    // C-06, F06: when the close comes back, others lead, and no ISR has the broker. It comes back as what it was. The
    // controller is among the closed ones: it hands over what it leads before it leaves its office.
    @Test
    void shouldHandOverEverythingBeforeTheRegistrationEnds()
            throws ExecutionException, InterruptedException, TimeoutException {
        try (Cluster cluster = new Cluster(root)) {
            cluster.startAll(3);
            try (Client client = Client.connect(cluster.addresses())) {
                client.admin().createTopic(TOPIC, PARTITIONS, 3, 2);
                Cluster.await("whole", () -> isWhole(cluster));
                List<CompletableFuture<RecordPosition>> sent = new ArrayList<>();
                Producer producer = client.producer();
                for (int broker = 1; broker <= 3; broker++) {
                    send(producer, sent, RECORDS * broker);
                    long life = incarnation(cluster, broker);
                    cluster.close(broker);

                    for (PartitionState state : cluster.states(TOPIC).values()) {
                        assertTrue(cluster.isAlive(state.leader()), "no leader: state=" + state);
                        assertEquals(2, state.isr().size(), "state=" + state);
                        assertEquals(-1, state.isrIncarnation(broker), "in the ISR: state=" + state);
                    }
                    cluster.start(broker);
                    assertTrue(intactSince(cluster, broker) <= life, "the stop left no proof of being clean");
                    Cluster.await("whole again", () -> isWhole(cluster));
                }
                for (CompletableFuture<RecordPosition> future : sent) {
                    future.get(60, TimeUnit.SECONDS);
                }
                for (int number = 0; number < sent.size(); number++) {
                    assertEquals(
                            new RecordPosition(TOPIC, number % PARTITIONS, number / PARTITIONS),
                            sent.get(number).join());
                }
            }
        }
    }

    private static long incarnation(Cluster cluster, int broker) {
        return MetadataJson.decodeBroker(
                        "/brokers/ids",
                        cluster.read(MetadataKeys.brokerId(broker))
                                .orElseThrow()
                                .value())
                .incarnation();
    }

    private static long intactSince(Cluster cluster, int broker) {
        return MetadataJson.decodeBroker(
                        "/brokers/ids",
                        cluster.read(MetadataKeys.brokerId(broker))
                                .orElseThrow()
                                .value())
                .intactSince();
    }

    private static boolean isWhole(Cluster cluster) {
        var states = cluster.states(TOPIC);
        return states.size() == PARTITIONS
                && states.values().stream()
                        .allMatch(state -> state.isr().size() == 3
                                && state.isr().stream().allMatch(cluster::isAlive)
                                && cluster.isAlive(state.leader()));
    }

    private static void send(Producer producer, List<CompletableFuture<RecordPosition>> sent, int until) {
        while (sent.size() < until) {
            int number = sent.size();
            byte[] value = Integer.toString(number).getBytes(StandardCharsets.UTF_8);
            sent.add(producer.send(TOPIC, number % PARTITIONS, null, value));
        }
    }
}

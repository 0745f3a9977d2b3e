package io.tidemark.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.client.Client;
import io.tidemark.client.Producer;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes die while their sessions have ten minutes left to live: whatever happens in time here happens because the
 * others found them dead.
 */
class EarlyFailoverTest {
    private static final String TOPIC = "orders";
    private static final Duration TTL = Duration.ofMinutes(10);

    @TempDir
    Path root;

    // The leader of a partition dies; it may be the controller's broker or not.
    @Test
    void shouldMoveLeadershipLongBeforeTheSessionEnds() throws Exception {
        try (Cluster cluster = new Cluster(root)) {
            cluster.sessionTtl(TTL);
            cluster.startAll(3);
            try (Client client = Client.connect(cluster.addresses())) {
                client.admin().createTopic(TOPIC, 3, 3, 2);
                Cluster.await(
                        "whole",
                        () -> cluster.states(TOPIC).size() == 3
                                && cluster.states(TOPIC).values().stream()
                                        .allMatch(state -> state.isr().size() == 3));
                Replica controller = cluster.controller();
                int partition = partitionNotLedBy(cluster, controller.broker());
                PartitionState before = cluster.state(TOPIC, partition);

                cluster.abort(before.leader().broker());

                Cluster.await(
                        "another leader", () -> cluster.state(TOPIC, partition).leaderEpoch() > before.leaderEpoch());
                PartitionState after = cluster.state(TOPIC, partition);
                assertNotEquals(before.leader(), after.leader());
                assertEquals(2, after.isr().size());
                assertEquals(controller, cluster.controller());
                assertTrue(cluster.isAlive(before.leader()), "its registration has not ended");
                Producer producer = client.producer();
                producer.send(TOPIC, partition, null, "after".getBytes(StandardCharsets.UTF_8))
                        .get(30, TimeUnit.SECONDS);
            }
        }
    }

    // The controller's broker dies, and with it the leader of some partitions.
    @Test
    void shouldElectAnotherControllerAndLeadersLongBeforeTheSessionEnds() throws Exception {
        try (Cluster cluster = new Cluster(root)) {
            cluster.sessionTtl(TTL);
            cluster.startAll(3);
            try (Client client = Client.connect(cluster.addresses())) {
                client.admin().createTopic(TOPIC, 3, 3, 2);
                Cluster.await(
                        "whole",
                        () -> cluster.states(TOPIC).size() == 3
                                && cluster.states(TOPIC).values().stream()
                                        .allMatch(state -> state.isr().size() == 3));
                Replica controller = cluster.controller();

                cluster.abort(controller.broker());

                Cluster.await(
                        "nothing is led by it",
                        () -> cluster.states(TOPIC).values().stream()
                                .noneMatch(state -> state.leader().equals(controller)));
                assertNotEquals(controller, cluster.controller());
                assertTrue(cluster.isAlive(controller), "its registration has not ended");
            }
        }
    }

    private static int partitionNotLedBy(Cluster cluster, int broker) {
        for (int partition = 0; partition < 3; partition++) {
            if (cluster.state(TOPIC, partition).leader().broker() != broker) {
                return partition;
            }
        }
        throw new AssertionError("one broker leads everything: " + cluster.states(TOPIC));
    }
}

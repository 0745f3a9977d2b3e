package io.tidemark.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.metadata.MetadataKeys;
import io.tidemark.wire.ErrorCode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two brokers in one JVM do not notice each other, and nothing of a closed one is left. */
class BrokerCloseTest {
    @TempDir
    Path root;

    @Test
    void shouldLeaveNothingBehindWhenClosed() {
        warmUp();
        long socketsBefore = Leftovers.sockets();
        try (Cluster cluster = new Cluster(root)) {
            cluster.startAll(2);
            Cluster.await("a controller", () -> !cluster.controller().isNone());
            createTopic(cluster);
            Cluster.await("replicas", () -> cluster.state("orders", 0).isr().size() == 2);
            assertEquals(
                    Set.of(
                            "tidemark-1-conductor",
                            "tidemark-1-lane-0",
                            "tidemark-1-maintenance",
                            "tidemark-2-conductor",
                            "tidemark-2-lane-0",
                            "tidemark-2-maintenance"),
                    Leftovers.threads());
            assertFalse(Leftovers.files(root.resolve("broker-1")).isEmpty());

            cluster.close(1);

            assertEquals(Set.of(), Leftovers.files(root.resolve("broker-1")));
            assertEquals(
                    Set.of("tidemark-2-conductor", "tidemark-2-lane-0", "tidemark-2-maintenance"), Leftovers.threads());
            assertTrue(cluster.read(MetadataKeys.brokerId(1)).isEmpty(), "the registration is there");
            // The other one goes on, and takes over.
            Cluster.await("leads", () -> cluster.state("orders", 0).leader().broker() == 2);
            assertEquals(2, cluster.broker(2).brokerId());
        }
        assertEquals(Set.of(), Leftovers.threads());
        assertEquals(Set.of(), Leftovers.files(root));
        Cluster.await("sockets are gone", () -> Leftovers.sockets() <= socketsBefore);
    }

    // An abrupt stop leaves no thread or file either; only the registration stays, as that of a dead process would.
    @Test
    void shouldLeaveOnlyTheRegistrationBehindWhenAborted() {
        try (Cluster cluster = new Cluster(root)) {
            cluster.sessionTtl(Duration.ofSeconds(20));
            cluster.startAll(1);

            cluster.abort(1);

            assertEquals(Set.of(), Leftovers.threads());
            assertEquals(Set.of(), Leftovers.files(root));
            assertTrue(cluster.read(MetadataKeys.brokerId(1)).isPresent(), "the registration is gone");
        }
    }

    @Test
    void shouldDoNothingWhenClosedTwice() {
        try (Cluster cluster = new Cluster(root)) {
            Broker broker = cluster.start(1);
            broker.close();
            broker.close();
            broker.abort();

            assertEquals(Set.of(), Leftovers.threads());
        }
    }

    // CO-12: the service is away; the close ends within its deadlines, and the folder is marked as cleanly stopped.
    @Test
    void shouldCloseInTimeWhenCoordinationIsAway() {
        try (Cluster cluster = new Cluster(root)) {
            Broker broker = cluster.start(1);
            cluster.store().faults().partition(cluster.clientOf(1));
            long beganNs = System.nanoTime();

            broker.close();

            Duration took = Duration.ofNanos(System.nanoTime() - beganNs);
            assertTrue(took.compareTo(Duration.ofSeconds(25)) < 0, "took=" + took);
            assertEquals(Set.of(), Leftovers.threads());
            assertEquals(Set.of(), Leftovers.files(root));
        }
    }

    /** Classes and pools that the JVM keeps are loaded before anything is counted. */
    private void warmUp() {
        try (Cluster cluster = new Cluster(root.resolve("warm-up"))) {
            cluster.startAll(1);
        }
    }

    private static void createTopic(Cluster cluster) {
        Cluster.await("created", () -> {
            try (RawClient client =
                    new RawClient(cluster.broker(cluster.controller().broker()).address())) {
                return client.createTopic("orders", 2, 2, 1).code() == ErrorCode.NONE;
            }
        });
    }
}

package io.tidemark.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.local.LocalStore;
import io.tidemark.metadata.MetadataKeys;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A start that cannot succeed says why in one line, and leaves nothing behind. */
class BrokerStartTest {
    @TempDir
    Path root;

    private final LocalStore store = LocalStore.create();
    private final Coordination client =
            store.connect(CoordinationConfig.builder().clientName("test").build());

    @AfterEach
    void close() {
        client.close();
        store.close();
        assertEquals(Set.of(), Leftovers.threads());
        assertEquals(Set.of(), Leftovers.files(root));
    }

    @Test
    void shouldSayThatThePortIsInUse() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String text = refusal(config(1).port(taken.getLocalPort()));

            assertTrue(text.contains("127.0.0.1:" + taken.getLocalPort()), text);
            assertTrue(text.contains("in use"), text);
        }
    }

    @Test
    void shouldSayThatTheFolderBelongsToAnotherBroker() {
        Broker.start(config(1).build(), client).close();

        String text = refusal(config(2).dataDirectory(root.resolve("broker-1")));

        assertEquals(
                "data folder belongs to another broker: dataDirectory=" + root.resolve("broker-1")
                        + ", folderBrokerId=1, brokerId=2; start broker 1 with it, or give broker 2 a folder of its"
                        + " own",
                text);
    }

    @Test
    void shouldSayThatTheFolderBelongsToAnotherCluster() {
        Broker.start(config(1).build(), client).close();
        try (LocalStore otherStore = LocalStore.create();
                Coordination other = otherStore.connect(CoordinationConfig.defaults())) {
            assertTrue(other.commit(Txn.builder()
                            .create(MetadataKeys.CLUSTER_ID, "another".getBytes(StandardCharsets.UTF_8))
                            .build())
                    .toCompletableFuture()
                    .join()
                    .isCommitted());

            String text = String.valueOf(assertThrows(
                            BrokerStartException.class,
                            () -> Broker.start(config(1).build(), other))
                    .getMessage());

            assertTrue(text.startsWith("data folder belongs to another cluster: dataDirectory="), text);
            assertTrue(text.contains("storeClusterId=another; check the coordination URI"), text);
        }
    }

    @Test
    void shouldSayThatTheFolderIsInUse() {
        try (Broker running = Broker.start(config(1).build(), client)) {
            String text = refusal(config(1));

            assertTrue(text.contains("data folder is in use: folder=" + root.resolve("broker-1")), text);
            assertEquals(1, running.brokerId());
        }
    }

    @Test
    void shouldSayThatTheFolderCannotBeWritten() throws IOException {
        Path file = Files.writeString(root.resolve("a-file"), "not a folder");

        String text = refusal(config(1).dataDirectory(file));

        assertTrue(text.contains("data folder cannot be opened"), text);
        assertTrue(text.contains(file.toString()), text);
    }

    @Test
    void shouldSayThatTheSchemeIsUnknown() {
        String text = String.valueOf(assertThrows(
                        BrokerStartException.class,
                        () -> Broker.start(config(1).coordination("paxos://h:1").build()))
                .getMessage());

        assertTrue(text.contains("no coordination back end serves this scheme: scheme=paxos"), text);
        assertTrue(text.contains("known=[local"), text);
    }

    @Test
    void shouldSayThatCoordinationCannotBeReached() {
        store.faults().disconnect(client);

        String text = refusal(config(1).coordination("zk://h1:2181/x").startTimeout(Duration.ofSeconds(1)));

        assertTrue(
                text.startsWith("broker could not register in time: brokerId=1, coordination=zk://h1:2181/x,"
                        + " waited=PT1S; check that the coordination service is up and can be reached from here"),
                text);
        assertTrue(text.contains("last failure: "), text);
    }

    @Test
    void shouldSayThatTheIdIsInUse() {
        try (Broker running = Broker.start(config(1).build(), client)) {
            String text = refusal(config(1).dataDirectory(root.resolve("other-folder")));

            assertTrue(text.startsWith("broker id is in use by another data folder: brokerId=1, host=127.0.0.1"), text);
            assertTrue(text.contains("give each broker its own id"), text);
            assertTrue(running.address().startsWith("127.0.0.1:"), running.address());
        }
    }

    // A start that failed must not stand in the way of the next one.
    @Test
    void shouldStartWhenTheReasonIsGone() {
        store.faults().disconnect(client);
        refusal(config(1).startTimeout(Duration.ofSeconds(1)));
        store.faults().heal(client);

        try (Broker broker = Broker.start(config(1).build(), client)) {
            assertEquals(1, broker.brokerId());
        }
    }

    private String refusal(BrokerConfig.Builder config) {
        String text =
                String.valueOf(assertThrows(BrokerStartException.class, () -> Broker.start(config.build(), client))
                        .getMessage());
        assertEquals(1, text.lines().count(), text);
        return text;
    }

    private BrokerConfig.Builder config(int id) {
        return BrokerConfig.builder()
                .brokerId(id)
                .dataDirectory(root.resolve("broker-" + id))
                .coordination("local:")
                .sessionTtl(Duration.ofSeconds(2))
                .startTimeout(Duration.ofSeconds(20));
    }
}

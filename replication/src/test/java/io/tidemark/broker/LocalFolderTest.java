package io.tidemark.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.client.Client;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A single broker whose coordination is kept in a folder of its own. */
class LocalFolderTest {
    @TempDir
    Path root;

    private Broker start() {
        return Broker.start(config(1, "data"));
    }

    private BrokerConfig config(int id, String data) {
        return BrokerConfig.builder()
                .brokerId(id)
                .dataDirectory(root.resolve(data))
                .coordination("local:" + root.resolve("coordination"))
                .sessionTtl(Duration.ofSeconds(6))
                .segmentBytes(1 << 20)
                .build();
    }

    // R=1, closed and started again twice: the cluster, its topics and its records are the same.
    @Test
    void shouldGoOnAfterARestart() {
        for (int life = 0; life < 3; life++) {
            try (Broker broker = start();
                    Client client = Client.connect(broker.address())) {
                if (life == 0) {
                    client.admin().createTopic("orders", 1, 1);
                }
                assertEquals(List.of("orders"), client.admin().listTopics());
                try (var producer = client.producer()) {
                    byte[] value = ("life " + life).getBytes(StandardCharsets.UTF_8);
                    assertEquals(
                            life, producer.send("orders", value, value).join().offset());
                }
            }
        }
    }

    // A second broker cannot share the folder, and is told so.
    @Test
    void shouldRefuseAFolderThatAnotherBrokerHas() {
        try (Broker broker = start()) {
            BrokerStartException refused =
                    assertThrows(BrokerStartException.class, () -> Broker.start(config(2, "other")));
            assertTrue(
                    String.valueOf(refused.getMessage()).startsWith("the folder of a local: store is in use: folder="),
                    refused.getMessage());
            assertFalse(broker.address().isEmpty());
        }
    }
}

package io.tidemark.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.coordination.CoordinationSecurity;
import io.tidemark.coordination.Credentials;
import io.tidemark.coordination.TlsConfig;
import io.tidemark.coordination.TlsStore;
import io.tidemark.log.LogConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokerConfigTest {
    // The defaults are the ones which the documentation promises; a default that can lose data is a bug.
    @Test
    void shouldHaveSafeDefaults() {
        BrokerConfig config = valid().build();

        assertEquals(Duration.ofSeconds(6), config.sessionTtl());
        assertEquals(Duration.ofSeconds(10), config.replicaLagMax());
        assertEquals(2, config.minIsr());
        assertEquals(1 << 30, config.segmentBytes());
        assertEquals(4096, config.indexIntervalBytes());
        assertEquals(1 << 20, config.batchBytesMax());
        assertEquals("127.0.0.1", config.host());
        assertEquals("127.0.0.1", config.advertisedHost());
        assertEquals(0, config.port());
    }

    // One message tells everything that is wrong, so that nobody mends one value per attempt.
    @Test
    void shouldListAllProblemsAtOnceWhenValuesAreOutOfRange() {
        BrokerConfig.Builder builder = BrokerConfig.builder()
                .brokerId(-5)
                .coordination("")
                .port(70_000)
                .minIsr(0)
                .segmentBytes(5000)
                .batchBytesMax(6000);

        String message = problems(builder);

        assertTrue(message.startsWith("invalid broker configuration: "), message);
        assertTrue(message.contains("brokerId must lie between 0 and 2147483647: brokerId=-5"), message);
        assertTrue(message.contains("dataDirectory must be set"), message);
        assertTrue(message.contains("coordination must be set; give a URI such as zk://"), message);
        assertTrue(message.contains("port must lie between 0 and 65535: port=70000"), message);
        assertTrue(message.contains("minIsr must lie between 1 and 100: minIsr=0"), message);
        assertTrue(message.contains("batchBytesMax must not exceed segmentBytes: batchBytesMax=6000"), message);
        assertTrue(message.lines().count() == 1, message);
    }

    // A lag time below the session's time to live would shrink the ISR for pauses which the session survives.
    @Test
    void shouldRejectReplicaLagWhenItIsShorterThanTheSession() {
        String message = problems(valid().sessionTtl(Duration.ofSeconds(8)).replicaLagMax(Duration.ofSeconds(7)));

        assertTrue(message.contains("replicaLagMax=PT7S, sessionTtl=PT8S"), message);
    }

    // Nobody can connect to a wildcard.
    @Test
    void shouldDemandAnAdvertisedHostWhenTheHostIsAWildcard() {
        String message = problems(valid().host("0.0.0.0"));

        assertTrue(message.contains("advertisedHost=0.0.0.0; set it beside host=0.0.0.0"), message);
        assertEquals(
                "db7", valid().host("0.0.0.0").advertisedHost("db7").build().advertisedHost());
    }

    @Test
    void shouldRejectCoordinationWhenItHasNoScheme() {
        assertTrue(
                problems(valid().coordination("nowhere")).contains("coordination has no scheme: coordination=nowhere"));
        assertTrue(problems(valid().coordination("zk://a b")).contains("coordination is no URI: "));
    }

    @Test
    void shouldReadEveryKeyWhenMadeFromProperties() {
        Properties properties = new Properties();
        properties.setProperty("broker.id", "7");
        properties.setProperty("data.directory", "/tmp/x");
        properties.setProperty("coordination", "local:");
        properties.setProperty("host", "0.0.0.0");
        properties.setProperty("advertised.host", "db7");
        properties.setProperty("coordination.tls.trust.file", "ca.pem");
        properties.setProperty("coordination.tls.verify.hostname", "false");
        properties.setProperty("port", "9092");
        properties.setProperty("rack", "r1");
        properties.setProperty("session.ttl.ms", "3000");
        properties.setProperty("replica.lag.max.ms", "4000");
        properties.setProperty("min.isr", "1");
        properties.setProperty("segment.bytes", "1048576");
        properties.setProperty("index.interval.bytes", "512");
        properties.setProperty("batch.bytes.max", "65536");
        properties.setProperty("retention.ms", "-1");
        properties.setProperty("retention.bytes", "1000000000000");
        properties.setProperty("data.bytes.max", "-1");
        properties.setProperty("delete.topic.enable", "false");
        properties.setProperty("reserve.bytes", "5000000000");
        properties.setProperty("flush.interval.ms", "1000");
        properties.setProperty("start.timeout.ms", "2000");
        properties.setProperty("close.timeout.ms", "1500");
        properties.setProperty("auto.leader.rebalance.enable", "false");
        properties.setProperty("leader.imbalance.percent", "25");
        properties.setProperty("leader.rebalance.interval.ms", "3000");

        BrokerConfig config = BrokerConfig.from(properties);

        assertEquals(
                new BrokerConfig(
                        7,
                        Path.of("/tmp/x"),
                        "local:",
                        CoordinationSecurity.none()
                                .with(TlsConfig.ofTrust(TlsStore.of(Path.of("ca.pem")))
                                        .withoutHostnameCheck()),
                        "0.0.0.0",
                        "db7",
                        9092,
                        "r1",
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(4),
                        1,
                        false,
                        1048576,
                        512,
                        65536,
                        LogConfig.FOREVER,
                        1_000_000_000_000L,
                        LogConfig.UNLIMITED,
                        5_000_000_000L,
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(2),
                        Duration.ofMillis(1500),
                        new ControllerConfig(false, 25, Duration.ofSeconds(3))),
                config);
    }

    // The password is in a file, and neither it nor a user in the URI is ever shown.
    @Test
    void shouldReadCredentialsFromAFile(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("credentials"), "user=alice\npassword=hush-31\n");
        Properties properties = new Properties();
        properties.setProperty("broker.id", "7");
        properties.setProperty("data.directory", "/tmp/x");
        properties.setProperty("coordination", "zk://127.0.0.1/test");
        properties.setProperty("coordination.credentials.file", file.toString());

        BrokerConfig config = BrokerConfig.from(properties);

        Credentials credentials = config.coordinationSecurity().credentials().orElseThrow();
        assertEquals("alice", credentials.user());
        assertEquals("hush-31", credentials.password().reveal());
        assertFalse(config.toString().contains("hush-31"), config.toString());
        properties.setProperty("coordination", "zk://alice:hush-31@127.0.0.1/test");
        properties.setProperty(
                "coordination.credentials.file", folder.resolve("none").toString());
        assertRefusedWithout("hush-31", "credentials cannot be read: file=" + folder.resolve("none"), properties);
        properties.remove("coordination.credentials.file");
        assertRefusedWithout("hush-31", "coordination must not hold a user", properties);
    }

    private static void assertRefusedWithout(String secret, String expected, Properties properties) {
        String message =
                String.valueOf(assertThrows(IllegalArgumentException.class, () -> BrokerConfig.from(properties))
                        .getMessage());
        assertTrue(message.contains(expected), message);
        assertFalse(message.contains(secret), message);
    }

    // A misspelt key must not be taken as "use the default".
    @Test
    void shouldRejectPropertiesWhenAKeyIsUnknownOrAValueIsNoNumber() {
        Properties properties = new Properties();
        properties.setProperty("broker.ids", "7");
        properties.setProperty("port", "http");

        String message =
                String.valueOf(assertThrows(IllegalArgumentException.class, () -> BrokerConfig.from(properties))
                        .getMessage());

        assertTrue(
                message.contains("unknown key: key=broker.ids, known=[advertised.host, auto.leader.rebalance.enable,"),
                message);
        assertTrue(message.contains("port must be a whole number: port=http"), message);
    }

    private static BrokerConfig.Builder valid() {
        return BrokerConfig.builder().brokerId(1).dataDirectory(Path.of("data")).coordination("local:");
    }

    private static String problems(BrokerConfig.Builder builder) {
        return String.valueOf(
                assertThrows(IllegalArgumentException.class, builder::build).getMessage());
    }
}

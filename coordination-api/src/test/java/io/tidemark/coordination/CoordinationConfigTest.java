package io.tidemark.coordination;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The checks of configuration and limits. */
final class CoordinationConfigTest {
    @Test
    void shouldListAllProblemsAtOnce() {
        CoordinationConfig.Builder builder = CoordinationConfig.builder()
                .operationTimeout(Duration.ZERO)
                .connectTimeout(Duration.ofHours(2))
                .clientName(" ");
        String message = String.valueOf(
                assertThrows(IllegalArgumentException.class, builder::build).getMessage());
        assertEquals(
                "invalid coordination configuration: operationTimeout must lie between PT0.001S and PT1H:"
                        + " operationTimeout=PT0S; connectTimeout must lie between PT0.001S and PT1H:"
                        + " connectTimeout=PT2H;"
                        + " clientName must have 1 to 64 characters: clientName= ",
                message);
    }

    @Test
    void shouldTakeTheLimitsOfEachRange() {
        CoordinationConfig config = CoordinationConfig.builder()
                .operationTimeout(Duration.ofMillis(1))
                .connectTimeout(Duration.ofHours(1))
                .clientName("n".repeat(64))
                .build();
        assertEquals(Duration.ofMillis(1), config.operationTimeout());
        assertEquals(Duration.ofHours(1), config.connectTimeout());
        assertTrue(config.callbackExecutor().isEmpty());
    }

    @Test
    void shouldBringTheTimeToLiveIntoTheRange() {
        Limits limits = Limits.PORTABLE;
        assertEquals(limits.minTtl(), limits.clampTtl(Duration.ofNanos(1)));
        assertEquals(Duration.ofSeconds(6), limits.clampTtl(Duration.ofSeconds(6)));
        assertEquals(limits.maxTtl(), limits.clampTtl(Duration.ofDays(1)));
        assertThrows(IllegalArgumentException.class, () -> limits.clampTtl(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> limits.clampTtl(Duration.ofSeconds(-1)));
    }

    @Test
    void shouldRefuseLimitsThatMakeNoSense() {
        Duration second = Duration.ofSeconds(1);
        assertThrows(IllegalArgumentException.class, () -> new Limits(0, 1, 1, 1, second, second));
        assertThrows(IllegalArgumentException.class, () -> new Limits(1, 1, 1, 1, second, second.minusNanos(1)));
        assertThrows(IllegalArgumentException.class, () -> new Limits(1, 1, 1, 1, Duration.ZERO, second));
    }

    @Test
    void shouldWalkKeysUpAndDown() {
        Key key = Key.of("/a/b");
        assertEquals(Key.of("/a"), key.parent());
        assertEquals(Key.ROOT, key.parent().parent());
        assertThrows(IllegalStateException.class, Key.ROOT::parent);
        assertEquals(key, Key.ROOT.child("a").child("b"));
        assertEquals("b", key.name());
        assertEquals("", Key.ROOT.name());
        assertTrue(Key.ROOT.isAncestorOf(key) && Key.of("/a").isAncestorOf(key));
        assertTrue(
                !key.isAncestorOf(key) && !Key.of("/a/b").isAncestorOf(Key.of("/a/bc")) && !key.isAncestorOf(Key.ROOT));
    }
}

package io.tidemark.broker;

import io.tidemark.coordination.CoordinationSecurity;
import io.tidemark.log.LogConfig;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/** Reads a {@link BrokerConfig} from text. Stateless; each key stands here once, beside the setter that takes it. */
final class BrokerProperties {
    private static final long NO_LIMIT = -1;
    private static final Map<String, BiConsumer<BrokerConfig.Builder, String>> SETTERS = new TreeMap<>(Map.ofEntries(
            Map.entry("broker.id", (builder, text) -> builder.brokerId(number(text))),
            Map.entry("data.directory", (builder, text) -> builder.dataDirectory(path(text))),
            Map.entry("coordination", BrokerConfig.Builder::coordination),
            Map.entry("host", BrokerConfig.Builder::host),
            Map.entry("advertised.host", BrokerConfig.Builder::advertisedHost),
            Map.entry("port", (builder, text) -> builder.port(number(text))),
            Map.entry("rack", BrokerConfig.Builder::rack),
            Map.entry("session.ttl.ms", (builder, text) -> builder.sessionTtl(millis(text))),
            Map.entry("replica.lag.max.ms", (builder, text) -> builder.replicaLagMax(millis(text))),
            Map.entry("min.isr", (builder, text) -> builder.minIsr(number(text))),
            Map.entry("delete.topic.enable", (builder, text) -> builder.deleteTopicEnable(truth(text))),
            Map.entry("segment.bytes", (builder, text) -> builder.segmentBytes(number(text))),
            Map.entry("index.interval.bytes", (builder, text) -> builder.indexIntervalBytes(number(text))),
            Map.entry("batch.bytes.max", (builder, text) -> builder.batchBytesMax(number(text))),
            Map.entry("retention.ms", (builder, text) -> builder.retentionAge(limit(text))),
            Map.entry("retention.bytes", (builder, text) -> builder.retentionBytes(bytes(text))),
            Map.entry("data.bytes.max", (builder, text) -> builder.dataBytesMax(bytes(text))),
            Map.entry("reserve.bytes", (builder, text) -> builder.reserveBytes(Long.parseLong(text))),
            Map.entry("flush.interval.ms", (builder, text) -> builder.flushInterval(limit(text))),
            Map.entry("start.timeout.ms", (builder, text) -> builder.startTimeout(millis(text))),
            Map.entry("close.timeout.ms", (builder, text) -> builder.closeTimeout(millis(text))),
            Map.entry("auto.leader.rebalance.enable", (builder, text) -> {
                boolean isOn = truth(text);
                builder.controller(config -> config.withAutoLeaderRebalance(isOn));
            }),
            Map.entry("leader.imbalance.percent", (builder, text) -> {
                int percent = number(text);
                builder.controller(config -> config.withLeaderImbalancePercent(percent));
            }),
            Map.entry("leader.rebalance.interval.ms", (builder, text) -> {
                Duration interval = millis(text);
                builder.controller(config -> config.withLeaderRebalanceInterval(interval));
            })));

    /** Stands before the settings of {@link CoordinationSecurity}. */
    private static final String SECURITY = "coordination.";

    private BrokerProperties() {}

    /**
     * Reads all keys.
     *
     * @param properties the values by key
     * @return a builder that holds them
     * @throws IllegalArgumentException if a key is unknown or a value cannot be read; the message lists all of them
     */
    static BrokerConfig.Builder parse(Properties properties) {
        BrokerConfig.Builder builder = BrokerConfig.builder();
        List<String> problems = new ArrayList<>();
        Map<String, String> security = new TreeMap<>();
        for (String key : new TreeSet<>(properties.stringPropertyNames())) {
            String name = key.startsWith(SECURITY) ? key.substring(SECURITY.length()) : "";
            if (CoordinationSecurity.SETTINGS.contains(name)) {
                security.put(name, properties.getProperty(key));
                continue;
            }
            BiConsumer<BrokerConfig.Builder, String> setter = SETTERS.get(key);
            if (setter == null) {
                problems.add("unknown key: key=" + key + ", known=" + SETTERS.keySet() + ", and " + SECURITY
                        + " with one of " + CoordinationSecurity.SETTINGS);
                continue;
            }
            String text = properties.getProperty(key).trim();
            try {
                setter.accept(builder, text);
            } catch (NumberFormatException notANumber) {
                problems.add(key + " must be a whole number: " + key + "=" + text);
            } catch (InvalidPathException notAPath) {
                problems.add(key + " must be a path: " + key + "=" + text);
            } catch (IllegalArgumentException notATruth) {
                problems.add(key + " must be true or false: " + key + "=" + text);
            }
        }
        try {
            builder.coordinationSecurity(CoordinationSecurity.from(security));
        } catch (IllegalArgumentException unusable) {
            problems.add("coordination security: " + unusable.getMessage());
        }
        BrokerConfig.throwIfAny(problems);
        return builder;
    }

    private static int number(String text) {
        return Integer.parseInt(text);
    }

    private static boolean truth(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("neither true nor false");
        };
    }

    private static Duration millis(String text) {
        return Duration.ofMillis(Long.parseLong(text));
    }

    /** A time of which -1 stands for one that never comes, as operators of Kafka know it. */
    private static Duration limit(String text) {
        long value = Long.parseLong(text);
        return value == NO_LIMIT ? LogConfig.FOREVER : Duration.ofMillis(value);
    }

    private static long bytes(String text) {
        long value = Long.parseLong(text);
        return value == NO_LIMIT ? LogConfig.UNLIMITED : value;
    }

    private static Path path(String text) {
        return Path.of(text);
    }
}

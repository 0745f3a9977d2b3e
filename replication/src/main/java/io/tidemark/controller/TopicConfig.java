package io.tidemark.controller;

import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What a topic keeps differently from the brokers' defaults. Immutable.
 *
 * @param retentionMs how long records are kept, milliseconds, {@link #NO_LIMIT} for ever; empty for the broker's
 *     {@code retention.ms}
 * @param retentionBytes how many bytes of a partition are kept at least when there are more, {@link #NO_LIMIT} for all;
 *     empty for the broker's {@code retention.bytes}
 */
public record TopicConfig(OptionalLong retentionMs, OptionalLong retentionBytes) {
    /** Stands for no limit. */
    public static final long NO_LIMIT = -1;
    /** Everything as the brokers have it. */
    public static final TopicConfig DEFAULT = new TopicConfig(OptionalLong.empty(), OptionalLong.empty());
    /** Name of {@link #retentionMs}. */
    public static final String RETENTION_MS = "retention.ms";
    /** Name of {@link #retentionBytes}. */
    public static final String RETENTION_BYTES = "retention.bytes";
    /** Longest retention: a hundred years. */
    static final long RETENTION_MS_MAX = 3_155_760_000_000L;

    /**
     * Checks the numbers.
     *
     * @param retentionMs how long records are kept
     * @param retentionBytes how many bytes are kept
     * @throws IllegalArgumentException if a number is out of its range
     */
    public TopicConfig {
        check(RETENTION_MS, retentionMs, RETENTION_MS_MAX);
        check(RETENTION_BYTES, retentionBytes, Long.MAX_VALUE - 1);
    }

    private static void check(String name, OptionalLong value, long last) {
        if (value.isPresent() && (value.getAsLong() < NO_LIMIT || value.getAsLong() > last)) {
            throw new IllegalArgumentException("out of range: " + name + "=" + value.getAsLong() + "; choose 0 to "
                    + last + ", or -1 for no limit");
        }
    }

    /**
     * This configuration with changes.
     *
     * @param changes texts by name; an empty text stands for the broker's default again; other names are passed over
     * @return the changed one
     * @throws IllegalArgumentException if a value is no number or out of its range; the message names it
     */
    public TopicConfig with(Map<String, String> changes) {
        return new TopicConfig(
                value(changes, RETENTION_MS, retentionMs), value(changes, RETENTION_BYTES, retentionBytes));
    }

    private static OptionalLong value(Map<String, String> changes, String name, OptionalLong before) {
        String text = changes.get(name);
        if (text == null) {
            return before;
        }
        try {
            return text.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text));
        } catch (NumberFormatException notANumber) {
            throw new IllegalArgumentException("a setting must be a whole number: " + name + "=" + text, notANumber);
        }
    }

    /**
     * What differs from the defaults.
     *
     * @return numbers by name, sorted
     */
    public Map<String, Long> toMap() {
        Map<String, Long> map = new TreeMap<>();
        retentionMs.ifPresent(value -> map.put(RETENTION_MS, value));
        retentionBytes.ifPresent(value -> map.put(RETENTION_BYTES, value));
        return map;
    }
}

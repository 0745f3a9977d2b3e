package io.tidemark.controller;

import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What becomes of a topic whose configuration is changed. Pure functions. */
final class TopicAlteration {
    private static final List<String> KNOWN =
            List.of(AlterTopic.MIN_ISR, TopicConfig.RETENTION_BYTES, TopicConfig.RETENTION_MS);

    private TopicAlteration() {}

    /**
     * The topic as it is to be.
     *
     * @param before the topic as it is
     * @param changes see {@link AlterTopic}
     * @return the next value; the same one if nothing changes
     * @throws IllegalArgumentException if a change is refused; the message says what, where, what to do
     */
    static TopicState altered(TopicState before, Map<String, String> changes) {
        for (String name : new TreeSet<>(changes.keySet())) {
            if (!KNOWN.contains(name)) {
                throw new IllegalArgumentException(
                        "unknown setting: topic=" + before.name() + ", setting=" + name + "; known are " + KNOWN);
            }
        }
        int minIsr = minIsr(before, changes.get(AlterTopic.MIN_ISR));
        TopicConfig config;
        try {
            config = before.config().with(changes);
        } catch (IllegalArgumentException refused) {
            throw new IllegalArgumentException(refused.getMessage() + ", topic=" + before.name(), refused);
        }
        return minIsr == before.minIsr() && config.equals(before.config()) ? before : before.with(minIsr, config);
    }

    private static int minIsr(TopicState before, @Nullable String text) {
        if (text == null) {
            return before.minIsr();
        }
        int last = before.replicationFactor();
        try {
            int number = Integer.parseInt(text);
            if (number >= 1 && number <= last) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // Refused below, as a number out of range is.
        }
        throw new IllegalArgumentException("out of range: topic=" + before.name() + ", " + AlterTopic.MIN_ISR + "='"
                + text + "'; choose 1 to " + last + ", the topic's replication factor");
    }

    /**
     * Says that nothing changes.
     *
     * @param topic the topic
     * @return what, where, what to do
     */
    static String sameMessage(TopicState topic) {
        return "the topic is configured like that already: topic=" + topic.name() + ", " + AlterTopic.MIN_ISR + "="
                + topic.minIsr() + ", config=" + topic.config().toMap();
    }
}

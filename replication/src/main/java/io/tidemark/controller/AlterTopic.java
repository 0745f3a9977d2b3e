package io.tidemark.controller;

import java.util.Map;

/**
 * A wish to change the configuration of a topic.
 *
 * @param topic the topic's name
 * @param changes texts by the names of settings; an empty text stands for the default; what is not named stays
 */
public record AlterTopic(String topic, Map<String, String> changes) implements AdminWish {
    /** Name of the wanted minimum of in-sync replicas. */
    public static final String MIN_ISR = "min.isr";

    /**
     * Copies the map.
     *
     * @param topic the topic's name
     * @param changes texts by name
     */
    public AlterTopic {
        changes = Map.copyOf(changes);
    }
}

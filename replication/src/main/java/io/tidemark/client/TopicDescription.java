package io.tidemark.client;

import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * State of a topic as a broker knows it.
 *
 * @param name of the topic
 * @param topicId differs between a topic and one created later under the same name
 * @param partitions in order of their numbers
 * @param settings what the topic keeps differently from the brokers' defaults: numbers by name, sorted; -1 for no limit
 */
public record TopicDescription(
        String name, UUID topicId, List<PartitionDescription> partitions, Map<String, Long> settings) {
    /**
     * A topic that keeps everything as the brokers do.
     *
     * @param name of the topic
     * @param topicId its id
     * @param partitions in order of their numbers
     */
    public TopicDescription(String name, UUID topicId, List<PartitionDescription> partitions) {
        this(name, topicId, partitions, Map.of());
    }
}

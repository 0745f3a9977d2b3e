package io.tidemark.client;

import java.util.List;
import java.util.UUID;

/**
 * State of a topic as a broker knows it.
 *
 * @param name of the topic
 * @param topicId differs between a topic and one created later under the same name
 * @param partitions in order of their numbers
 */
public record TopicDescription(String name, UUID topicId, List<PartitionDescription> partitions) {}

package io.tidemark.controller;

import io.tidemark.partition.Durability;
import java.util.UUID;

/**
 * A topic as it is stored: what was decided when it was created, or changed since.
 *
 * @param name the topic's name
 * @param topicId its id, never used for another topic
 * @param partitions number of partitions, at least 1
 * @param replicationFactor copies of each partition, at least 1
 * @param minIsr wanted minimum of in-sync replicas, at least 1
 * @param durability when a copy counts
 * @param revision number of changes since the topic was created, from 0; of two values of one topic id the one with the
 *     higher revision is the newer
 * @param config what it keeps differently from the brokers' defaults
 */
public record TopicState(
        String name,
        UUID topicId,
        int partitions,
        int replicationFactor,
        int minIsr,
        Durability durability,
        int revision,
        TopicConfig config) {
    /**
     * Checks the numbers.
     *
     * @param name the topic's name
     * @param topicId its id
     * @param partitions number of partitions
     * @param replicationFactor copies of each partition
     * @param minIsr wanted minimum of in-sync replicas
     * @param durability when a copy counts
     * @param revision number of changes
     * @param config what it keeps differently
     * @throws IllegalArgumentException if a number is below 1, or the revision below 0
     */
    public TopicState {
        if (partitions < 1 || replicationFactor < 1 || minIsr < 1 || revision < 0) {
            throw new IllegalArgumentException("invalid topic: name=" + name + ", partitions=" + partitions
                    + ", replicationFactor=" + replicationFactor + ", minIsr=" + minIsr + ", revision=" + revision
                    + "; the revision must be at least 0, the others at least 1");
        }
    }

    /**
     * A topic that was not changed since it was created.
     *
     * @param name the topic's name
     * @param topicId its id
     * @param partitions number of partitions
     * @param replicationFactor copies of each partition
     * @param minIsr wanted minimum of in-sync replicas
     * @param durability when a copy counts
     * @throws IllegalArgumentException if a number is below 1
     */
    public TopicState(
            String name, UUID topicId, int partitions, int replicationFactor, int minIsr, Durability durability) {
        this(name, topicId, partitions, replicationFactor, minIsr, durability, 0, TopicConfig.DEFAULT);
    }

    /**
     * The next value of this topic, with more partitions.
     *
     * @param count number of partitions
     * @return the topic, its revision raised by one
     */
    public TopicState withPartitions(int count) {
        return new TopicState(name, topicId, count, replicationFactor, minIsr, durability, revision + 1, config);
    }

    /**
     * The next value of this topic, configured anew.
     *
     * @param newMinIsr wanted minimum of in-sync replicas
     * @param newConfig what it keeps differently
     * @return the topic, its revision raised by one
     */
    public TopicState with(int newMinIsr, TopicConfig newConfig) {
        return new TopicState(
                name, topicId, partitions, replicationFactor, newMinIsr, durability, revision + 1, newConfig);
    }

    /**
     * A new topic with a configuration.
     *
     * @param newConfig what it keeps differently
     * @return the topic, its revision as it is
     */
    TopicState configured(TopicConfig newConfig) {
        return new TopicState(name, topicId, partitions, replicationFactor, minIsr, durability, revision, newConfig);
    }

    /**
     * Tells whether this value was stored after another one of the same topic.
     *
     * @param other the other value
     * @return true if its revision is higher
     */
    public boolean isNewerThan(TopicState other) {
        return revision > other.revision;
    }
}

package io.tidemark.controller;

import java.util.Optional;
import java.util.UUID;

/**
 * A wish to delete a topic.
 *
 * @param topic the topic's name
 * @param topicId the id that it must have, so that a topic of the same name that was made meanwhile is spared; empty
 *     for any
 */
public record DeleteTopic(String topic, Optional<UUID> topicId) implements AdminWish {}

package io.tidemark.controller;

import java.util.UUID;

/**
 * What is kept of a deleted topic, so that brokers that were away delete its data when they return.
 *
 * @param topicId the topic's id
 * @param name the name that it had, which another topic may have now
 * @param deletedAtMs when it was deleted, milliseconds since 1970 by the controller's clock
 */
public record Tombstone(UUID topicId, String name, long deletedAtMs) {}

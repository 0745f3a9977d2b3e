package io.tidemark.controller;

/** How the creation of a topic ended. */
public sealed interface CreateTopicResult {
    /**
     * The topic exists now, made by this request.
     *
     * @param topic the topic
     */
    record Created(TopicState topic) implements CreateTopicResult {}

    /**
     * A topic of this name exists; nothing was changed.
     *
     * @param message what, where, what to do
     */
    record Exists(String message) implements CreateTopicResult {}

    /**
     * The request cannot be met as it is; nothing was changed, and repeating it does not help until it or the cluster
     * changes.
     *
     * @param message what, where, what to do
     */
    record Refused(String message) implements CreateTopicResult {}

    /**
     * Coordination failed; the topic may or may not exist.
     *
     * @param message what, where, what to do
     */
    record Failed(String message) implements CreateTopicResult {}
}

package io.tidemark.controller;

import java.util.List;

/** How a request for a change of the cluster ended. */
public sealed interface AdminResult {
    /**
     * It is done: stored, and on its way to the brokers.
     *
     * @param topic the topic that was made or changed, as it is now
     */
    record Done(TopicState topic) implements AdminResult {}

    /**
     * It is stored, but some brokers did not say in the time allowed that they know of it.
     *
     * @param topic the topic that was made or changed, as it is now
     * @param message what, where, what to do
     */
    record Unanswered(TopicState topic, String message) implements AdminResult {}

    /**
     * A topic of this name exists; nothing was changed.
     *
     * @param message what, where, what to do
     */
    record Exists(String message) implements AdminResult {}

    /**
     * The cluster is already as the request wants it; nothing was changed.
     *
     * @param message what, where, what to do
     */
    record NoChange(String message) implements AdminResult {}

    /**
     * There is no topic of this name; nothing was changed.
     *
     * @param message what, where, what to do
     */
    record Unknown(String message) implements AdminResult {}

    /**
     * The request cannot be met as it is; nothing was changed, and repeating it does not help until it or the cluster
     * changes.
     *
     * @param message what, where, what to do
     */
    record Refused(String message) implements AdminResult {}

    /**
     * Another change of the same topic is under way; nothing was changed, and the request may be repeated soon.
     *
     * @param message what, where, what to do
     */
    record Busy(String message) implements AdminResult {}

    /**
     * Each partition was decided by itself.
     *
     * @param results what became of each, by topic and number; without those that needed nothing if the request named
     *     none
     */
    record Partitions(List<PartitionResult> results) implements AdminResult {}
}

package io.tidemark.controller;

import java.util.UUID;

/** What is said about deletions. Pure functions. */
final class TopicDeletion {
    private TopicDeletion() {}

    /**
     * Says that topics may not be deleted.
     *
     * @param name the topic
     * @return what, where, what to do
     */
    static String forbiddenMessage(String name) {
        return "topics are not deleted in this cluster: topic=" + name
                + ", delete.topic.enable=false; set delete.topic.enable=true on the brokers to allow it";
    }

    /**
     * Says that a topic is another one than the one meant.
     *
     * @param topic the topic of that name
     * @param wanted the id that was named
     * @return what, where, what to do
     */
    static String otherIdMessage(TopicState topic, UUID wanted) {
        return "no such topic: topic=" + topic.name() + ", topicId=" + wanted + "; the topic of this name has topicId="
                + topic.topicId() + " and was created later";
    }
}

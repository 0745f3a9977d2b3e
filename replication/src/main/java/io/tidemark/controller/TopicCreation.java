package io.tidemark.controller;

import io.tidemark.partition.Durability;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The rules for new topics and new partitions: names, numbers, defaults, assignments, and the texts of refusals.
 *
 * <p>Names are safe as folder names and keys on every platform and back end. Numbers that are left open get defaults: 3
 * partitions, 3 replicas (1 while a single broker is running), a minimum of 2 in-sync replicas, of which never more are
 * demanded than there are replicas. Every replica needs a broker that is running now: a topic does not begin with
 * missing copies. That holds for an assignment that the user gives as well, which must also give every partition the
 * same number of replicas, on different brokers.
 *
 * <p>Pure functions.
 */
public final class TopicCreation {
    /** Characters of a topic's name. */
    public static final int NAME_LENGTH_MAX = 249;
    /** Partitions of a topic: so many that its metadata still fits well into one message. */
    public static final int PARTITIONS_MAX = 10_000;
    /** Partitions if the request names no number. */
    public static final int PARTITIONS_DEFAULT = 3;
    /** Replicas if the request names no number and more than one broker is running. */
    public static final int REPLICATION_FACTOR_DEFAULT = 3;
    /** Minimum of in-sync replicas if the request names no number. */
    public static final int MIN_ISR_DEFAULT = 2;

    private TopicCreation() {}

    /**
     * Tells why a topic cannot be created.
     *
     * @param request the wish
     * @param running the brokers that are registered and running
     * @return what is wrong and what to do; empty if nothing is
     */
    public static Optional<String> refusal(CreateTopic request, List<BrokerRegistration> running) {
        String topic = request.name();
        Optional<String> name = nameRefusal(topic);
        if (name.isPresent()) {
            return name;
        }
        if (request.durability() == Durability.FSYNCED) {
            return Optional.of("durability not available: topic=" + topic
                    + ", durability=FSYNCED; this version offers REPLICATED only");
        }
        int partitions = partitions(request);
        if (partitions < 1 || partitions > PARTITIONS_MAX) {
            return Optional.of("invalid number of partitions: topic=" + topic + ", partitions=" + partitions
                    + "; choose 1 to " + PARTITIONS_MAX);
        }
        int replicationFactor = replicationFactor(request, running.size());
        if (replicationFactor < 1) {
            return Optional.of("invalid replication factor: topic=" + topic + ", replicationFactor=" + replicationFactor
                    + "; choose 1 or more");
        }
        if (orDefault(request.minIsr(), MIN_ISR_DEFAULT) < 1) {
            return Optional.of("invalid minimum of in-sync replicas: topic=" + topic + ", minIsr=" + request.minIsr()
                    + "; choose 1 or more");
        }
        if (!request.assignment().isEmpty()) {
            return assignmentRefusal(topic, request.assignment(), 0, partitions, replicationFactor, running);
        }
        return replicationFactor > running.size()
                ? Optional.of(tooFewBrokers(topic, replicationFactor, running))
                : Optional.empty();
    }

    /**
     * Tells why a topic cannot be given more partitions.
     *
     * @param request the wish
     * @param topic the topic as it is
     * @param running the brokers that are registered and running
     * @return what is wrong and what to do; empty if nothing is
     */
    public static Optional<String> refusal(AddPartitions request, TopicState topic, List<BrokerRegistration> running) {
        int present = topic.partitions();
        if (request.partitions() < present) {
            return Optional.of("partitions cannot be removed: topic=" + topic.name() + ", partitions=" + present
                    + ", wanted=" + request.partitions() + "; their records would be lost, and keys would move to"
                    + " other partitions; create another topic and copy the records");
        }
        if (request.partitions() > PARTITIONS_MAX) {
            return Optional.of("invalid number of partitions: topic=" + topic.name() + ", partitions="
                    + request.partitions() + "; choose at most " + PARTITIONS_MAX);
        }
        if (!request.assignment().isEmpty()) {
            return assignmentRefusal(
                    topic.name(),
                    request.assignment(),
                    present,
                    request.partitions() - present,
                    topic.replicationFactor(),
                    running);
        }
        return topic.replicationFactor() > running.size()
                ? Optional.of(tooFewBrokers(topic.name(), topic.replicationFactor(), running))
                : Optional.empty();
    }

    /**
     * The topic that a checked request asks for.
     *
     * @param request the wish, for which {@link #refusal} had nothing to say
     * @param topicId the new topic's id
     * @param running number of brokers that are running
     * @return the topic with defaults filled in
     */
    public static TopicState topic(CreateTopic request, UUID topicId, int running) {
        return new TopicState(
                        request.name(),
                        topicId,
                        partitions(request),
                        replicationFactor(request, running),
                        orDefault(request.minIsr(), MIN_ISR_DEFAULT),
                        request.durability())
                .configured(request.config());
    }

    /**
     * The text for a name that is taken.
     *
     * @param name the topic's name
     * @return what is wrong and what to do
     */
    static String existsMessage(String name) {
        return "topic exists: topic=" + name + "; choose another name, or use the topic that is there";
    }

    /**
     * The text for a name that nothing has.
     *
     * @param name the topic's name
     * @return what is wrong and what to do
     */
    static String unknownMessage(String name) {
        return "unknown topic: topic=" + name + "; check its name";
    }

    /**
     * The text for a topic that has its wanted number of partitions.
     *
     * @param topic the topic
     * @return what is wrong and what to do
     */
    static String enoughMessage(TopicState topic) {
        return "the topic has so many partitions already: topic=" + topic.name() + ", partitions=" + topic.partitions()
                + "; name the number that it is to have in the end, more than " + topic.partitions();
    }

    /**
     * The text for a topic that is being changed.
     *
     * @param name the topic's name
     * @return what is wrong and what to do
     */
    static String busyMessage(String name) {
        return "another change of the topic is under way: topic=" + name + "; try again when it is done";
    }

    private static Optional<String> assignmentRefusal(
            String topic,
            List<List<Integer>> assignment,
            int firstPartition,
            int partitions,
            int replicationFactor,
            List<BrokerRegistration> running) {
        if (assignment.size() != partitions) {
            return Optional.of("the assignment has another number of partitions: topic=" + topic + ", assigned="
                    + assignment.size() + ", wanted=" + partitions + "; give brokers for each new partition");
        }
        List<Integer> ids = ids(running);
        for (int i = 0; i < assignment.size(); i++) {
            List<Integer> replicas = assignment.get(i);
            String where = "topic=" + topic + ", partition=" + (firstPartition + i) + ", brokers=" + replicas;
            if (replicas.size() != replicationFactor) {
                return Optional.of("the assignment does not give each partition the same number of replicas: " + where
                        + ", replicationFactor=" + replicationFactor + "; name " + replicationFactor + " brokers");
            }
            if (new HashSet<>(replicas).size() != replicas.size()) {
                return Optional.of("the assignment names a broker twice: " + where + "; name different ones");
            }
            if (!ids.containsAll(replicas)) {
                return Optional.of("the assignment names a broker that is not running: " + where + ", runningBrokers="
                        + ids + "; start it, or choose running ones");
            }
        }
        return Optional.empty();
    }

    private static List<Integer> ids(List<BrokerRegistration> running) {
        return running.stream().map(BrokerRegistration::broker).sorted().toList();
    }

    private static String tooFewBrokers(String name, int replicationFactor, List<BrokerRegistration> running) {
        List<Integer> ids = ids(running);
        int missing = replicationFactor - running.size();
        String advice = "start " + missing + " more " + (missing == 1 ? "broker" : "brokers")
                + (running.isEmpty() ? "" : ", or create the topic with replicationFactor<=" + running.size());
        return "too few brokers for the replication factor: topic=" + name + ", replicationFactor=" + replicationFactor
                + ", runningBrokers=" + ids + "; " + advice;
    }

    private static Optional<String> nameRefusal(String name) {
        if (name.isEmpty()) {
            return Optional.of("invalid topic name: topic='' is empty; choose 1 to " + NAME_LENGTH_MAX
                    + " letters, digits, '.', '_' or '-'");
        }
        if (name.length() > NAME_LENGTH_MAX) {
            return Optional.of("invalid topic name: length=" + name.length() + ", topic=" + name.substring(0, 40)
                    + "...; choose at most " + NAME_LENGTH_MAX + " characters");
        }
        if (name.equals(".") || name.equals("..")) {
            return Optional.of("invalid topic name: topic=" + name + "; '.' and '..' are names of folders");
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean letterOrDigit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            if (!letterOrDigit && c != '.' && c != '_' && c != '-') {
                return Optional.of("invalid topic name: topic=" + name + ", position=" + i + ", character="
                        + String.format("U+%04X", (int) c) + "; use letters a-z and A-Z, digits, '.', '_' and '-'");
            }
        }
        return Optional.empty();
    }

    private static int partitions(CreateTopic request) {
        return orDefault(
                request.partitions(),
                request.assignment().isEmpty()
                        ? PARTITIONS_DEFAULT
                        : request.assignment().size());
    }

    private static int replicationFactor(CreateTopic request, int running) {
        int byDefault = running == 1 ? 1 : REPLICATION_FACTOR_DEFAULT;
        return orDefault(
                request.replicationFactor(),
                request.assignment().isEmpty()
                        ? byDefault
                        : request.assignment().get(0).size());
    }

    private static int orDefault(int wanted, int byDefault) {
        return wanted == 0 || wanted == CreateTopic.DEFAULT ? byDefault : wanted;
    }
}

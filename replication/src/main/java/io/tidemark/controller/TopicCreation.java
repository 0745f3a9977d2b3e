package io.tidemark.controller;

import io.tidemark.partition.Durability;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The rules for new topics: names, numbers, defaults, and the texts of refusals.
 *
 * <p>Names are safe as folder names and keys on every platform and back end. Numbers that are left open get defaults: 3
 * partitions, 3 replicas (1 while a single broker is running), a minimum of 2 in-sync replicas, of which never more are
 * demanded than there are replicas. Every replica needs a broker that is running now: a topic does not begin with
 * missing copies.
 *
 * <p>Pure functions.
 */
public final class TopicCreation {
    /** Characters of a topic's name. */
    public static final int NAME_LENGTH_MAX = 249;
    /** Partitions of a new topic; all are created in one transaction, and these are limited to 100 operations. */
    public static final int PARTITIONS_MAX = 96;
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
        Optional<String> name = nameRefusal(request.name());
        if (name.isPresent()) {
            return name;
        }
        if (request.durability() == Durability.FSYNCED) {
            return Optional.of("durability not available: topic=" + request.name()
                    + ", durability=FSYNCED; this version offers REPLICATED only");
        }
        int partitions = orDefault(request.partitions(), PARTITIONS_DEFAULT);
        if (partitions < 1 || partitions > PARTITIONS_MAX) {
            return Optional.of("invalid number of partitions: topic=" + request.name() + ", partitions="
                    + request.partitions() + "; choose 1 to " + PARTITIONS_MAX);
        }
        int replicationFactor = replicationFactor(request, running.size());
        if (replicationFactor < 1) {
            return Optional.of("invalid replication factor: topic=" + request.name() + ", replicationFactor="
                    + request.replicationFactor() + "; choose 1 or more");
        }
        if (orDefault(request.minIsr(), MIN_ISR_DEFAULT) < 1) {
            return Optional.of("invalid minimum of in-sync replicas: topic=" + request.name() + ", minIsr="
                    + request.minIsr() + "; choose 1 or more");
        }
        if (replicationFactor > running.size()) {
            return Optional.of(tooFewBrokers(request.name(), replicationFactor, running));
        }
        return Optional.empty();
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
                orDefault(request.partitions(), PARTITIONS_DEFAULT),
                replicationFactor(request, running),
                orDefault(request.minIsr(), MIN_ISR_DEFAULT),
                request.durability());
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

    private static String tooFewBrokers(String name, int replicationFactor, List<BrokerRegistration> running) {
        List<Integer> ids =
                running.stream().map(BrokerRegistration::broker).sorted().toList();
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

    private static int replicationFactor(CreateTopic request, int running) {
        return orDefault(request.replicationFactor(), running == 1 ? 1 : REPLICATION_FACTOR_DEFAULT);
    }

    private static int orDefault(int wanted, int byDefault) {
        return wanted == 0 || wanted == CreateTopic.DEFAULT ? byDefault : wanted;
    }
}

package io.tidemark.client;

import io.tidemark.wire.AdminCommand;
import io.tidemark.wire.AdminOperation;
import io.tidemark.wire.AdminSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/** Makes the wire's commands of what users of {@link Admin} ask for. Stateless. */
final class AdminRequests {
    /** Stands for all partitions of a topic. */
    static final int ALL_PARTITIONS = -1;

    private AdminRequests() {}

    /**
     * Does something with partitions.
     *
     * @param operation what
     * @param targets which
     * @param timeoutMs how long the controller may take
     * @return the command
     */
    static AdminCommand partitions(AdminOperation operation, List<AdminCommand.Target> targets, int timeoutMs) {
        return new AdminCommand(operation.code(), timeoutMs, "", Map.of(), targets);
    }

    /**
     * Creates a topic.
     *
     * @param topic what to create
     * @param timeoutMs how long the controller may take
     * @return the command
     */
    static AdminCommand createTopic(NewTopic topic, int timeoutMs) {
        final Map<String, String> settings = new TreeMap<>(topic.settings());
        topic.partitions().ifPresent(count -> settings.put(AdminSettings.PARTITIONS, Integer.toString(count)));
        topic.replicationFactor()
                .ifPresent(count -> settings.put(AdminSettings.REPLICATION_FACTOR, Integer.toString(count)));
        topic.minIsr().ifPresent(count -> settings.put(AdminSettings.MIN_ISR, Integer.toString(count)));
        settings.put(AdminSettings.PLACEMENT, topic.placement().name());
        return new AdminCommand(
                AdminOperation.CREATE_TOPIC.code(), timeoutMs, topic.name(), settings, targets(topic.assignment(), 0));
    }

    /**
     * Gives a topic more partitions.
     *
     * @param topic its name
     * @param total number of partitions that it is to have
     * @param assignment brokers of each new partition, empty if the controller is to choose
     * @param timeoutMs how long the controller may take
     * @return the command
     */
    static AdminCommand addPartitions(String topic, int total, List<List<Integer>> assignment, int timeoutMs) {
        return new AdminCommand(
                AdminOperation.ADD_PARTITIONS.code(),
                timeoutMs,
                topic,
                Map.of(AdminSettings.PARTITIONS, Integer.toString(total)),
                targets(assignment, total - assignment.size()));
    }

    /**
     * Deletes a topic.
     *
     * @param topic its name
     * @param topicId id that it must have, empty for any
     * @param timeoutMs how long the controller may take
     * @return the command
     */
    static AdminCommand deleteTopic(String topic, Optional<UUID> topicId, int timeoutMs) {
        final Map<String, String> settings = new TreeMap<>();
        topicId.ifPresent(id -> settings.put(AdminSettings.TOPIC_ID, id.toString()));
        return new AdminCommand(AdminOperation.DELETE_TOPIC.code(), timeoutMs, topic, settings, List.of());
    }

    /**
     * Changes the configuration of a topic.
     *
     * @param topic its name
     * @param changes texts by name
     * @param timeoutMs how long the controller may take
     * @return the command
     */
    static AdminCommand alterTopic(String topic, Map<String, String> changes, int timeoutMs) {
        return new AdminCommand(AdminOperation.ALTER_TOPIC.code(), timeoutMs, topic, changes, List.of());
    }

    private static List<AdminCommand.Target> targets(List<List<Integer>> assignment, int firstPartition) {
        final List<AdminCommand.Target> targets = new ArrayList<>();
        for (int i = 0; i < assignment.size(); i++) {
            targets.add(new AdminCommand.Target("", firstPartition + i, assignment.get(i)));
        }
        return targets;
    }
}

package io.tidemark.controller;

import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.StateVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Remembers what a controller decided. */
final class RecordedControl implements ControllerDecisions {
    /** A wanted write. */
    record Write(PartitionId id, StateVersion expected, PartitionState state) {}

    /** A wanted topic. */
    record Creation(long requestId, TopicState topic, int firstPartition, List<PartitionState> states) {
        /** Its partitions' records as they are stored under one version. */
        List<VersionedState> stored(StateVersion version) {
            return states.stream()
                    .map(state -> new VersionedState(state, version))
                    .toList();
        }

        List<List<Integer>> assignment() {
            return states.stream().map(PartitionState::assignment).toList();
        }
    }

    final List<Write> writes = new ArrayList<>();
    final List<Creation> creations = new ArrayList<>();
    final List<Write> published = new ArrayList<>();
    final Map<Long, TopicState> deletions = new TreeMap<>();
    final List<TopicState> publishedTopics = new ArrayList<>();
    final List<TopicState> publishedDeletions = new ArrayList<>();
    final Map<Long, AdminResult> replies = new TreeMap<>();

    @Override
    public void writePartition(PartitionId id, StateVersion expected, PartitionState state) {
        writes.add(new Write(id, expected, state));
    }

    @Override
    public void storeTopic(long requestId, TopicChange change) {
        creations.add(new Creation(requestId, change.topic(), change.firstPartition(), change.partitions()));
    }

    @Override
    public void deleteTopic(long requestId, TopicState topic) {
        deletions.put(requestId, topic);
    }

    @Override
    public void publishTopic(TopicState topic) {
        publishedTopics.add(topic);
    }

    @Override
    public void publishDeletion(TopicState topic) {
        publishedDeletions.add(topic);
    }

    @Override
    public void publish(PartitionId id, PartitionState state, StateVersion version) {
        published.add(new Write(id, version, state));
    }

    @Override
    public void reply(long requestId, AdminResult result) {
        if (replies.put(requestId, result) != null) {
            throw new AssertionError("a request was answered twice: requestId=" + requestId);
        }
    }

    PartitionState lastState() {
        return writes.get(writes.size() - 1).state();
    }

    List<PartitionId> publishedIds() {
        return published.stream()
                .map(Write::id)
                .sorted((one, other) -> one.partition() - other.partition())
                .toList();
    }

    AdminResult reply(long requestId) {
        AdminResult result = replies.get(requestId);
        if (result == null) {
            throw new AssertionError("no answer: requestId=" + requestId);
        }
        return result;
    }
}

package io.tidemark.conductor;

import io.tidemark.controller.TopicState;
import io.tidemark.coordination.Entry;
import io.tidemark.metadata.MetadataFormatException;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.PartitionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Turns the entries below {@code /brokers/topics} into records. A partition's record is passed on once its topic is
 * known and has so many partitions, whatever comes first; records of a topic, or of added partitions, that were never
 * finished are kept back. One broken value is reported and harms no other. Owned by the conductor.
 */
final class TopicEntries {
    /** Receives what was read. */
    interface Receiver {
        /**
         * A topic was read.
         *
         * @param topic the topic
         */
        void topic(TopicState topic);

        /**
         * A partition's record was read.
         *
         * @param record the record
         */
        void record(VersionedRecord record);
    }

    private final Consumer<MetadataFormatException> onBroken;
    private final Map<UUID, TopicState> topics = new HashMap<>();
    private final Map<UUID, Map<PartitionId, Entry>> waiting = new HashMap<>();
    /** Names of topics whose own record cannot be read: what they have is not known. */
    private final Set<String> unreadable = new HashSet<>();

    /**
     * Begins empty.
     *
     * @param onBroken is told of values that cannot be read
     */
    TopicEntries(Consumer<MetadataFormatException> onBroken) {
        this.onBroken = onBroken;
    }

    /** Forgets everything, before a new snapshot. */
    void clear() {
        topics.clear();
        waiting.clear();
        unreadable.clear();
    }

    /**
     * Forgets a topic that is deleted.
     *
     * @param topicId its id
     */
    void forget(UUID topicId) {
        topics.remove(topicId);
        waiting.remove(topicId);
    }

    /**
     * Reads entries.
     *
     * @param entries of any kind, in any order; strange ones are passed over
     * @param receiver is given topics, then records
     */
    void read(List<Entry> entries, Receiver receiver) {
        List<Entry> states = new ArrayList<>();
        List<TopicState> found = new ArrayList<>();
        for (Entry entry : entries) {
            Optional<String> name = MetadataKeys.topicOf(entry.key());
            if (name.isPresent() && MetadataJson.isNoTopic(entry.value())) {
                unreadable.remove(name.get());
            } else if (name.isPresent()) {
                unreadable.add(name.get());
                decode(() -> {
                    TopicState topic = MetadataJson.decodeTopic(entry.key().path(), entry.value());
                    unreadable.remove(name.get());
                    TopicState before = topics.get(topic.topicId());
                    if (before == null || topic.isNewerThan(before)) {
                        topics.put(topic.topicId(), topic);
                        found.add(topic);
                    }
                });
            } else {
                states.add(entry);
            }
        }
        for (TopicState topic : found) {
            receiver.topic(topic);
            release(topic, receiver);
        }
        for (Entry entry : states) {
            Optional<PartitionId> id = MetadataKeys.partitionOf(entry.key()).map(MetadataKeys.PartitionKey::id);
            if (id.isEmpty()) {
                continue;
            }
            TopicState topic = topics.get(id.get().topicId());
            if (topic == null || id.get().partition() >= topic.partitions()) {
                waiting.computeIfAbsent(id.get().topicId(), none -> new HashMap<>())
                        .put(id.get(), entry);
            } else {
                decode(() -> receiver.record(record(topic, id.get(), entry)));
            }
        }
    }

    /** Passes on what waited for a topic, or for its number of partitions. */
    private void release(TopicState topic, Receiver receiver) {
        Map<PartitionId, Entry> kept = waiting.getOrDefault(topic.topicId(), Map.of());
        List<PartitionId> due = kept.keySet().stream()
                .filter(id -> id.partition() < topic.partitions())
                .toList();
        for (PartitionId id : due) {
            Entry entry = kept.remove(id);
            if (entry != null) {
                decode(() -> receiver.record(record(topic, id, entry)));
            }
        }
        if (kept.isEmpty()) {
            waiting.remove(topic.topicId());
        }
    }

    /**
     * Records of topics that nobody finished. A topic whose own record is there but cannot be read is none of these.
     *
     * @return entries of records whose topic does not exist
     */
    List<Entry> withoutTopic() {
        List<Entry> entries = new ArrayList<>();
        waiting.forEach((topicId, kept) -> {
            if (!topics.containsKey(topicId)) {
                kept.values().stream().filter(this::hasNoTopic).forEach(entries::add);
            }
        });
        return entries;
    }

    private boolean hasNoTopic(Entry entry) {
        return MetadataKeys.partitionOf(entry.key())
                .filter(key -> !unreadable.contains(key.topic()))
                .isPresent();
    }

    private void decode(Runnable action) {
        try {
            action.run();
        } catch (MetadataFormatException broken) {
            onBroken.accept(broken);
        }
    }

    private static VersionedRecord record(TopicState topic, PartitionId id, Entry entry) {
        return new VersionedRecord(
                topic,
                id,
                MetadataJson.decodePartition(entry.key().path(), entry.value()),
                VersionedRecord.stateVersion(entry.version()));
    }
}

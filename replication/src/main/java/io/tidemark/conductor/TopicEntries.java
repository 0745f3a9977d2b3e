package io.tidemark.conductor;

import io.tidemark.controller.TopicState;
import io.tidemark.coordination.Entry;
import io.tidemark.metadata.MetadataFormatException;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.PartitionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Turns the entries below {@code /brokers/topics} into records. A partition's record is passed on once its topic is
 * known, whatever comes first; records of a topic that was never finished are kept back. One broken value is reported
 * and harms no other. Owned by the conductor.
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
            if (MetadataKeys.topicOf(entry.key()).isPresent()) {
                decode(() -> {
                    TopicState topic = MetadataJson.decodeTopic(entry.key().path(), entry.value());
                    topics.put(topic.topicId(), topic);
                    found.add(topic);
                });
            } else {
                states.add(entry);
            }
        }
        for (TopicState topic : found) {
            receiver.topic(topic);
            Map<PartitionId, Entry> kept = waiting.remove(topic.topicId());
            if (kept != null) {
                kept.forEach((id, entry) -> decode(() -> receiver.record(record(topic, id, entry))));
            }
        }
        for (Entry entry : states) {
            Optional<PartitionId> id = MetadataKeys.partitionOf(entry.key()).map(MetadataKeys.PartitionKey::id);
            if (id.isEmpty()) {
                continue;
            }
            TopicState topic = topics.get(id.get().topicId());
            if (topic == null) {
                waiting.computeIfAbsent(id.get().topicId(), none -> new HashMap<>())
                        .put(id.get(), entry);
            } else {
                decode(() -> receiver.record(record(topic, id.get(), entry)));
            }
        }
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

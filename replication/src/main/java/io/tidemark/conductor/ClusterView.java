package io.tidemark.conductor;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.controller.ClusterImage;
import io.tidemark.controller.TopicState;
import io.tidemark.controller.VersionedState;
import io.tidemark.partition.PartitionId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What this broker knows of the cluster: brokers with the versions of their registrations, topics, and the newest
 * record of every partition with its version. Fed by watches, by the controller's messages and by this broker's own
 * writes, in any order; records never go back.
 *
 * <p><b>Threading:</b> owned by the conductor, but for {@link #image}, which any thread may read.
 */
final class ClusterView {
    private final Map<Integer, PeerAddress> lastAddresses = new HashMap<>();
    private final Map<UUID, TopicState> topics = new HashMap<>();
    private final Map<PartitionId, VersionedRecord> records = new LinkedHashMap<>();
    private final Map<PartitionId, VersionedRecord> unpublished = new LinkedHashMap<>();
    private final Set<UUID> unpublishedTopics = new LinkedHashSet<>();
    /** Topics that are known to be deleted, so that no late record brings them back. */
    private final Set<UUID> deleted = new LinkedHashSet<>();

    private final Set<UUID> unpublishedDeletions = new LinkedHashSet<>();
    private Map<Integer, KnownBroker> brokers = new TreeMap<>();
    private boolean isDirty;
    private int controllerBroker = ClusterImage.NO_CONTROLLER;
    private long controllerEpoch;
    private volatile ClusterImage image = ClusterImage.empty("");

    /** Knows nothing yet. */
    ClusterView() {}

    /**
     * The view as it was last published. Any thread.
     *
     * @return an immutable image
     */
    ClusterImage image() {
        return image;
    }

    /**
     * Names the cluster. Done once; another name would be another cluster, which registration refuses.
     *
     * @param clusterId its id
     */
    void cluster(String clusterId) {
        if (!image.clusterId().equals(clusterId)) {
            image = ClusterImage.empty(clusterId);
            unpublished.putAll(records);
            unpublishedTopics.addAll(topics.keySet());
            unpublishedDeletions.clear();
            isDirty = true;
        }
    }

    /**
     * Replaces the registered brokers.
     *
     * @param registered by id
     */
    void brokers(Map<Integer, KnownBroker> registered) {
        brokers = new TreeMap<>(registered);
        for (KnownBroker known : registered.values()) {
            BrokerRegistration broker = known.registration();
            lastAddresses.put(
                    broker.broker(),
                    new PeerAddress(broker.broker(), broker.incarnation(), broker.host(), broker.port()));
        }
        isDirty = true;
    }

    /**
     * A registered broker.
     *
     * @param broker its id
     * @return what was last seen of it, null if it is not registered
     */
    @Nullable
    KnownBroker broker(int broker) {
        return brokers.get(broker);
    }

    /**
     * All registered brokers.
     *
     * @return their registrations by id, a copy
     */
    Map<Integer, BrokerRegistration> registrations() {
        Map<Integer, BrokerRegistration> all = new TreeMap<>();
        brokers.forEach((id, known) -> all.put(id, known.registration()));
        return all;
    }

    /**
     * Where a broker was last registered, also if it is not any more.
     *
     * @param broker its id
     * @return the address, null if it was never seen
     */
    @Nullable
    PeerAddress lastAddress(int broker) {
        return lastAddresses.get(broker);
    }

    /**
     * Takes note of the controller.
     *
     * @param broker its id, {@link ClusterImage#NO_CONTROLLER} if it left
     * @param epoch its term
     */
    void controller(int broker, long epoch) {
        if (epoch >= controllerEpoch && (epoch != controllerEpoch || broker != controllerBroker)) {
            controllerBroker = broker;
            controllerEpoch = epoch;
            isDirty = true;
        }
    }

    /**
     * Who is controller, as far as this broker was told.
     *
     * @return its id, {@link ClusterImage#NO_CONTROLLER} if it is not known or has left
     */
    int controllerBroker() {
        return controllerBroker;
    }

    /**
     * The highest controller epoch seen.
     *
     * @return the epoch, 0 if none was seen
     */
    long controllerEpoch() {
        return controllerEpoch;
    }

    /**
     * Takes a record.
     *
     * @param record the record
     * @return false if the known one is as new, or the topic is deleted
     */
    boolean apply(VersionedRecord record) {
        if (deleted.contains(record.id().topicId())) {
            return false;
        }
        apply(record.topic());
        VersionedRecord known = records.get(record.id());
        if (known != null && !record.isNewerThan(known)) {
            return false;
        }
        records.put(record.id(), record);
        unpublished.put(record.id(), record);
        isDirty = true;
        return true;
    }

    /**
     * Takes a topic. One that is not newer than the known one, or deleted, changes nothing.
     *
     * @param topic the topic
     */
    void apply(TopicState topic) {
        TopicState known = topics.get(topic.topicId());
        if (!deleted.contains(topic.topicId()) && (known == null || topic.isNewerThan(known))) {
            topics.put(topic.topicId(), topic);
            unpublishedTopics.add(topic.topicId());
            isDirty = true;
        }
    }

    /**
     * Takes the news that a topic is deleted, for ever.
     *
     * @param topicId the topic's id, which may not be known
     * @return false if that was known
     */
    boolean delete(UUID topicId) {
        if (!deleted.add(topicId)) {
            return false;
        }
        topics.remove(topicId);
        unpublishedTopics.remove(topicId);
        if (records.keySet().removeIf(id -> id.topicId().equals(topicId))) {
            unpublished.keySet().removeIf(id -> id.topicId().equals(topicId));
        }
        unpublishedDeletions.add(topicId);
        isDirty = true;
        return true;
    }

    /**
     * Whether a topic is known to be deleted.
     *
     * @param topicId the topic's id
     * @return true from then on
     */
    boolean isDeleted(UUID topicId) {
        return deleted.contains(topicId);
    }

    /**
     * The topics that are known to be deleted.
     *
     * @return their ids, a view
     */
    Set<UUID> deleted() {
        return Collections.unmodifiableSet(deleted);
    }

    /**
     * The newest record of a partition.
     *
     * @param id the partition
     * @return the record, null if it is not known
     */
    @Nullable
    VersionedRecord record(PartitionId id) {
        return records.get(id);
    }

    /**
     * The name of a partition, for messages.
     *
     * @param id the partition
     * @return topic and number; the id while no record is known
     */
    String nameOf(PartitionId id) {
        VersionedRecord record = records.get(id);
        return record == null ? id.toString() : record.topic().name() + "-" + id.partition();
    }

    /**
     * The newest records of all partitions.
     *
     * @return the records, a copy
     */
    List<VersionedRecord> records() {
        return new ArrayList<>(records.values());
    }

    /**
     * The partitions that are known.
     *
     * @return their ids, a view
     */
    Collection<PartitionId> partitions() {
        return records.keySet();
    }

    /**
     * All topics.
     *
     * @return a copy
     */
    List<TopicState> topics() {
        return new ArrayList<>(topics.values());
    }

    /**
     * A topic.
     *
     * @param topicId its id
     * @return the topic, null if it is not known
     */
    @Nullable
    TopicState topic(UUID topicId) {
        return topics.get(topicId);
    }

    /**
     * Publishes what changed since the last call.
     *
     * @return true if there was something
     */
    boolean publish() {
        if (!isDirty) {
            return false;
        }
        ClusterImage.Builder next = image.toBuilder();
        next.controller(controllerBroker, controllerEpoch);
        next.brokers(registrations());
        unpublishedDeletions.forEach(next::remove);
        unpublishedDeletions.clear();
        for (UUID topicId : unpublishedTopics) {
            TopicState topic = topics.get(topicId);
            if (topic != null) {
                next.topic(topic);
            }
        }
        unpublishedTopics.clear();
        for (VersionedRecord record : unpublished.values()) {
            next.partition(record.id(), new VersionedState(record.state(), record.version()));
        }
        unpublished.clear();
        isDirty = false;
        image = next.build();
        return true;
    }
}

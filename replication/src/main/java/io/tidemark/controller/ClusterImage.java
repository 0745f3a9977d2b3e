package io.tidemark.controller;

import io.tidemark.partition.PartitionId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A view of the cluster: its brokers, topics and the records of all partitions.
 *
 * <p>Immutable, so that one thread may publish it and any read it. A copy with changes shares everything that did not
 * change: it costs the number of topics plus the partitions of each topic that changed.
 */
public final class ClusterImage {
    /** Stands for "no controller is known". */
    public static final int NO_CONTROLLER = -1;

    private final String clusterId;
    private final int controllerBroker;
    private final long controllerEpoch;
    private final NavigableMap<Integer, BrokerRegistration> brokers;
    private final NavigableMap<String, TopicState> topics;
    private final Map<UUID, TopicState> topicsById;
    private final Map<UUID, List<Optional<VersionedState>>> partitions;

    private ClusterImage(Builder builder) {
        clusterId = builder.clusterId;
        controllerBroker = builder.controllerBroker;
        controllerEpoch = builder.controllerEpoch;
        brokers = builder.brokers;
        topics = builder.topics;
        topicsById = builder.topicsById;
        partitions = builder.partitions;
    }

    /**
     * The image of a cluster of which nothing is known but its id.
     *
     * @param clusterId the cluster's id
     * @return an image without controller, brokers and topics
     */
    public static ClusterImage empty(String clusterId) {
        return new Builder(clusterId).build();
    }

    /**
     * The cluster's id.
     *
     * @return the id as it is stored
     */
    public String clusterId() {
        return clusterId;
    }

    /**
     * The broker that is controller.
     *
     * @return its id, {@link #NO_CONTROLLER} if none is known
     */
    public int controllerBroker() {
        return controllerBroker;
    }

    /**
     * The term of the controller.
     *
     * @return the highest epoch known, 0 if none is
     */
    public long controllerEpoch() {
        return controllerEpoch;
    }

    /**
     * The registered brokers.
     *
     * @return by id, in order
     */
    public NavigableMap<Integer, BrokerRegistration> brokers() {
        return brokers;
    }

    /**
     * The topics.
     *
     * @return in the order of their names
     */
    public Collection<TopicState> topics() {
        return topics.values();
    }

    /**
     * A topic.
     *
     * @param name its name
     * @return the topic, empty if there is none of this name
     */
    public Optional<TopicState> topic(String name) {
        return Optional.ofNullable(topics.get(name));
    }

    /**
     * A topic.
     *
     * @param topicId its id
     * @return the topic, empty if there is none of this id
     */
    public Optional<TopicState> topic(UUID topicId) {
        return Optional.ofNullable(topicsById.get(topicId));
    }

    /**
     * The record of a partition.
     *
     * @param id the partition
     * @return the record, empty if it is not known
     */
    public Optional<VersionedState> partition(PartitionId id) {
        List<Optional<VersionedState>> states = partitions.get(id.topicId());
        return states == null || id.partition() >= states.size() ? Optional.empty() : states.get(id.partition());
    }

    /**
     * Visits all known partitions: topic by topic in no particular order, each in the order of its partitions.
     *
     * @param visitor gets each partition and its record
     */
    public void forEachPartition(BiConsumer<PartitionId, VersionedState> visitor) {
        partitions.forEach((topicId, states) -> {
            for (int i = 0; i < states.size(); i++) {
                Optional<VersionedState> state = states.get(i);
                if (state.isPresent()) {
                    visitor.accept(new PartitionId(topicId, i), state.get());
                }
            }
        });
    }

    /**
     * Begins a copy with changes.
     *
     * @return a builder that holds what this image holds
     */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Collects changes for a new image. Not thread-safe; of no use after {@link #build}. */
    public static final class Builder {
        private final String clusterId;
        private int controllerBroker = NO_CONTROLLER;
        private long controllerEpoch;
        private NavigableMap<Integer, BrokerRegistration> brokers = Collections.emptyNavigableMap();
        private NavigableMap<String, TopicState> topics = Collections.emptyNavigableMap();
        private Map<UUID, TopicState> topicsById = Map.of();
        private Map<UUID, List<Optional<VersionedState>>> partitions = Map.of();
        private @Nullable NavigableMap<String, TopicState> newTopics;
        private @Nullable Map<UUID, List<Optional<VersionedState>>> newPartitions;

        private Builder(String clusterId) {
            this.clusterId = clusterId;
        }

        private Builder(ClusterImage image) {
            clusterId = image.clusterId;
            controllerBroker = image.controllerBroker;
            controllerEpoch = image.controllerEpoch;
            brokers = image.brokers;
            topics = image.topics;
            topicsById = image.topicsById;
            partitions = image.partitions;
        }

        /**
         * Sets the controller. A lower epoch than the one known changes nothing.
         *
         * @param broker its id, {@link #NO_CONTROLLER} if there is none at present
         * @param epoch its term
         * @return this
         */
        public Builder controller(int broker, long epoch) {
            if (epoch >= controllerEpoch) {
                controllerBroker = broker;
                controllerEpoch = epoch;
            }
            return this;
        }

        /**
         * Replaces the registered brokers.
         *
         * @param registered all registered brokers by id
         * @return this
         */
        public Builder brokers(Map<Integer, BrokerRegistration> registered) {
            brokers = Collections.unmodifiableNavigableMap(new TreeMap<>(registered));
            return this;
        }

        /**
         * Adds or replaces a topic.
         *
         * @param topic the topic
         * @return this
         */
        public Builder topic(TopicState topic) {
            NavigableMap<String, TopicState> changed = newTopics;
            if (changed == null) {
                changed = new TreeMap<>(topics);
                newTopics = changed;
            }
            changed.put(topic.name(), topic);
            return this;
        }

        /**
         * Takes a topic out with the records of its partitions. Another topic of the same name stays.
         *
         * @param topicId the topic's id
         * @return this
         */
        public Builder remove(UUID topicId) {
            NavigableMap<String, TopicState> changed = newTopics == null ? new TreeMap<>(topics) : newTopics;
            newTopics = changed;
            changed.values().removeIf(topic -> topic.topicId().equals(topicId));
            Map<UUID, List<Optional<VersionedState>>> records =
                    newPartitions == null ? new HashMap<>(partitions) : newPartitions;
            newPartitions = records;
            records.remove(topicId);
            return this;
        }

        /**
         * Sets the record of a partition unless a newer one is known: records never go back.
         *
         * @param id the partition
         * @param state the record with its version
         * @return this
         */
        public Builder partition(PartitionId id, VersionedState state) {
            Map<UUID, List<Optional<VersionedState>>> changed = newPartitions;
            if (changed == null) {
                changed = new HashMap<>(partitions);
                newPartitions = changed;
            }
            List<Optional<VersionedState>> known = changed.getOrDefault(id.topicId(), List.of());
            if (id.partition() < known.size() && isNewerOrEqual(known.get(id.partition()), state)) {
                return this;
            }
            List<Optional<VersionedState>> states = new ArrayList<>(known);
            while (states.size() <= id.partition()) {
                states.add(Optional.empty());
            }
            states.set(id.partition(), Optional.of(state));
            changed.put(id.topicId(), states);
            return this;
        }

        /**
         * Ends the changes.
         *
         * @return the new image
         */
        public ClusterImage build() {
            NavigableMap<String, TopicState> changedTopics = newTopics;
            if (changedTopics != null) {
                topics = Collections.unmodifiableNavigableMap(changedTopics);
                topicsById = new HashMap<>();
                changedTopics.values().forEach(topic -> topicsById.put(topic.topicId(), topic));
                newTopics = null;
            }
            Map<UUID, List<Optional<VersionedState>>> changedPartitions = newPartitions;
            if (changedPartitions != null) {
                partitions = changedPartitions;
                newPartitions = null;
            }
            return new ClusterImage(this);
        }

        private static boolean isNewerOrEqual(Optional<VersionedState> known, VersionedState state) {
            return known.isPresent() && !state.state().isNewerThan(known.get().state());
        }
    }
}

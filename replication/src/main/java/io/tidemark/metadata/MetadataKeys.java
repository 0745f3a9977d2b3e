package io.tidemark.metadata;

import io.tidemark.coordination.Key;
import io.tidemark.partition.PartitionId;
import java.util.Optional;
import java.util.UUID;

/**
 * The keys of everything that brokers keep in the coordination service, below its chroot or prefix.
 *
 * <p>A key that holds a value has no children. Constants and pure functions; any thread.
 */
public final class MetadataKeys {
    /** The cluster's id, a UUID as text. Never deleted. */
    public static final Key CLUSTER_ID = Key.of("/cluster/id");
    /** Directory of the registrations of live brokers. */
    public static final Key BROKER_IDS = Key.of("/brokers/ids");
    /** Directory of the last incarnation of every broker that ever registered. */
    public static final Key BROKER_INCARNATIONS = Key.of("/brokers/incarnations");
    /** Directory of all topics. */
    public static final Key TOPICS = Key.of("/brokers/topics");
    /** Directory of what is known of deleted topics, by their ids. */
    public static final Key TOMBSTONES = Key.of("/brokers/tombstones");
    /** Directory of topics that somebody wishes to be deleted. */
    public static final Key DELETE_TOPICS = Key.of("/admin/delete_topics");
    /** Who is controller: broker and incarnation. Lives with the controller's session. */
    public static final Key CONTROLLER = Key.of("/controller");
    /** The controller's term, a number as text, raised together with the creation of {@link #CONTROLLER}. */
    public static final Key CONTROLLER_EPOCH = Key.of("/controller_epoch");
    /** Directory of what people ask the controller for. */
    public static final Key ADMIN = Key.of("/admin");
    /** Reassignments that a person asks for; deleted once they stand in the records. */
    public static final Key REASSIGN_PARTITIONS = ADMIN.child("reassign_partitions");
    /** Elections of preferred leaders that a person asks for; deleted once they are done. */
    public static final Key PREFERRED_REPLICA_ELECTION = ADMIN.child("preferred_replica_election");
    /** The next free block of producer ids. */
    public static final Key PRODUCER_IDS = Key.of("/producer_ids");

    private static final String TOPIC = "topic";
    private static final String PARTITIONS = "partitions";
    private static final String STATE = "state";

    private MetadataKeys() {}

    /**
     * The registration of a broker.
     *
     * @param broker its id
     * @return the key
     */
    public static Key brokerId(int broker) {
        return BROKER_IDS.child(Integer.toString(broker));
    }

    /**
     * The last incarnation of a broker, a number as text.
     *
     * @param broker its id
     * @return the key
     */
    public static Key brokerIncarnation(int broker) {
        return BROKER_INCARNATIONS.child(Integer.toString(broker));
    }

    /**
     * What was decided when a topic was created.
     *
     * @param topic the topic's name
     * @return the key
     */
    public static Key topic(String topic) {
        return TOPICS.child(topic).child(TOPIC);
    }

    /**
     * The record of a partition.
     *
     * @param topic the topic's name
     * @param id the partition
     * @return the key
     */
    public static Key partitionState(String topic, PartitionId id) {
        return TOPICS.child(topic + "/" + id.topicId() + "/" + PARTITIONS + "/" + id.partition() + "/" + STATE);
    }

    /**
     * What is known of a deleted topic.
     *
     * @param topicId the topic's id
     * @return the key
     */
    public static Key tombstone(UUID topicId) {
        return TOMBSTONES.child(topicId.toString());
    }

    /**
     * Reads the topic's id out of a key that {@link #tombstone} gives.
     *
     * @param key any key
     * @return the id, empty if the key is another one
     */
    public static Optional<UUID> tombstoneOf(Key key) {
        return key.isRoot() || !key.parent().equals(TOMBSTONES) ? Optional.empty() : uuid(key.name());
    }

    /**
     * Reads the topic's name out of a key of {@link #DELETE_TOPICS}.
     *
     * @param key any key
     * @return the name, empty if the key is another one
     */
    public static Optional<String> deleteTopicOf(Key key) {
        return key.isRoot() || !key.parent().equals(DELETE_TOPICS) ? Optional.empty() : Optional.of(key.name());
    }

    /**
     * Reads the broker's id out of a key of {@link #BROKER_IDS}.
     *
     * @param key any key
     * @return the id, empty if the key is not a registration
     */
    public static Optional<Integer> brokerOf(Key key) {
        return key.isRoot() || !key.parent().equals(BROKER_IDS) ? Optional.empty() : number(key.name());
    }

    /**
     * Reads the topic's name out of a key that {@link #topic} gives.
     *
     * @param key any key
     * @return the name, empty if the key is another one
     */
    public static Optional<String> topicOf(Key key) {
        String[] parts = partsBelowTopics(key);
        return parts.length == 2 && parts[1].equals(TOPIC) ? Optional.of(parts[0]) : Optional.empty();
    }

    /**
     * Reads topic and partition out of a key that {@link #partitionState} gives.
     *
     * @param key any key
     * @return topic and partition, empty if the key is another one
     */
    public static Optional<PartitionKey> partitionOf(Key key) {
        String[] parts = partsBelowTopics(key);
        if (parts.length != 5 || !parts[2].equals(PARTITIONS) || !parts[4].equals(STATE)) {
            return Optional.empty();
        }
        Optional<UUID> topicId = uuid(parts[1]);
        Optional<Integer> partition = number(parts[3]);
        return topicId.isPresent() && partition.isPresent()
                ? Optional.of(new PartitionKey(parts[0], new PartitionId(topicId.get(), partition.get())))
                : Optional.empty();
    }

    private static String[] partsBelowTopics(Key key) {
        return TOPICS.isAncestorOf(key)
                ? key.path().substring(TOPICS.path().length() + 1).split("/", -1)
                : new String[0];
    }

    private static Optional<Integer> number(String text) {
        try {
            int number = Integer.parseInt(text);
            return number >= 0 && Integer.toString(number).equals(text) ? Optional.of(number) : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static Optional<UUID> uuid(String text) {
        try {
            UUID uuid = UUID.fromString(text);
            return uuid.toString().equals(text) ? Optional.of(uuid) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * What the key of a partition's record says.
     *
     * @param topic the topic's name
     * @param id the partition
     */
    public record PartitionKey(String topic, PartitionId id) {}
}

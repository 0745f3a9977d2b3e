package io.tidemark.controller;

import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The part of a {@link ControllerCore} that decides about topics as a whole: which exist, and how new ones and new
 * partitions are placed. One change of a topic at a time: what comes meanwhile is told to wait, so that no change is
 * made from a value that is about to be replaced.
 */
final class TopicDesk {
    private final long controllerEpoch;
    private final RandomGenerator random;
    private final ControllerDecisions out;
    private final boolean isDeletionAllowed;
    private final Map<String, TopicState> topics = new TreeMap<>();
    private final Map<Long, TopicChange> open = new HashMap<>();
    private final Set<String> changing = new HashSet<>();
    private final Map<UUID, Integer> minIsrs = new HashMap<>();
    private final Map<Long, TopicState> deletions = new HashMap<>();
    /** Ids of topics that were deleted in this term: news of them that come late change nothing. */
    private final Set<UUID> deleted = new HashSet<>();

    /**
     * Begins without topics.
     *
     * @param controllerEpoch the term; written into every record
     * @param random chooses placements and topic ids
     * @param out receiver of decisions
     * @param isDeletionAllowed whether topics may be deleted
     */
    TopicDesk(long controllerEpoch, RandomGenerator random, ControllerDecisions out, boolean isDeletionAllowed) {
        this.controllerEpoch = controllerEpoch;
        this.random = random;
        this.out = out;
        this.isDeletionAllowed = isDeletionAllowed;
    }

    /**
     * Takes a stored topic.
     *
     * @param topic the topic; an older value than the known one, or a deleted topic, changes nothing
     */
    void known(TopicState topic) {
        if (deleted.contains(topic.topicId())) {
            return;
        }
        TopicState before = topics.get(topic.name());
        if (before == null || !before.topicId().equals(topic.topicId()) || topic.isNewerThan(before)) {
            topics.put(topic.name(), topic);
            minIsrs.put(topic.topicId(), topic.minIsr());
        }
    }

    /**
     * A topic.
     *
     * @param name its name
     * @return the topic, null if there is none
     */
    @Nullable
    TopicState find(String name) {
        return topics.get(name);
    }

    /**
     * All topics, as targets.
     *
     * @return one per topic, for all its partitions
     */
    List<PartitionChanges.Target> everything() {
        return topics.keySet().stream()
                .map(name -> new PartitionChanges.Target(name, PartitionChanges.ALL_PARTITIONS, List.of()))
                .toList();
    }

    /**
     * Decides on a new topic.
     *
     * @param requestId the request
     * @param wish the topic
     * @param brokers all registered brokers by id
     */
    void create(long requestId, CreateTopic wish, Map<Integer, BrokerRegistration> brokers) {
        if (topics.containsKey(wish.name())) {
            out.reply(requestId, new AdminResult.Exists(TopicCreation.existsMessage(wish.name())));
            return;
        }
        if (changing.contains(wish.name())) {
            out.reply(requestId, new AdminResult.Busy(TopicCreation.busyMessage(wish.name())));
            return;
        }
        List<BrokerRegistration> running = running(brokers);
        Optional<String> refusal = TopicCreation.refusal(wish, running);
        if (refusal.isPresent()) {
            out.reply(requestId, new AdminResult.Refused(refusal.get()));
            return;
        }
        TopicState topic = TopicCreation.topic(wish, newTopicId(), running.size());
        List<List<Integer>> assignment =
                wish.assignment().isEmpty() ? place(wish.placement(), topic, 0, running) : wish.assignment();
        begin(requestId, topic, 0, assignment, brokers);
    }

    /**
     * Decides on more partitions of a topic.
     *
     * @param requestId the request
     * @param wish the partitions
     * @param brokers all registered brokers by id
     */
    void addPartitions(long requestId, AddPartitions wish, Map<Integer, BrokerRegistration> brokers) {
        TopicState before = topics.get(wish.topic());
        if (changing.contains(wish.topic())) {
            out.reply(requestId, new AdminResult.Busy(TopicCreation.busyMessage(wish.topic())));
            return;
        }
        if (before == null) {
            out.reply(requestId, new AdminResult.Unknown(TopicCreation.unknownMessage(wish.topic())));
            return;
        }
        if (wish.partitions() == before.partitions()) {
            out.reply(requestId, new AdminResult.NoChange(TopicCreation.enoughMessage(before)));
            return;
        }
        List<BrokerRegistration> running = running(brokers);
        Optional<String> refusal = TopicCreation.refusal(wish, before, running);
        if (refusal.isPresent()) {
            out.reply(requestId, new AdminResult.Refused(refusal.get()));
            return;
        }
        TopicState topic = before.withPartitions(wish.partitions());
        List<List<Integer>> assignment = wish.assignment().isEmpty()
                ? place(wish.placement(), topic, before.partitions(), running)
                : wish.assignment();
        begin(requestId, topic, before.partitions(), assignment, brokers);
    }

    /**
     * Takes the news that a change is stored, and answers its request.
     *
     * @param requestId the request
     * @param partitions number of stored records
     * @return the change, null if it is not known
     * @throws IllegalArgumentException if their number is not that of the new partitions
     */
    @Nullable
    TopicChange stored(long requestId, int partitions) {
        TopicChange change = end(requestId);
        if (change == null) {
            return null;
        }
        TopicState topic = change.topic();
        if (partitions != change.partitions().size()) {
            throw new IllegalArgumentException("a record is needed for each new partition: topic=" + topic.name()
                    + ", partitions=" + change.partitions().size() + ", records=" + partitions);
        }
        known(topic);
        out.reply(requestId, new AdminResult.Done(topic));
        return change;
    }

    /**
     * Takes the news that a change was not stored, and answers its request.
     *
     * @param requestId the request
     * @param reason what the service cannot take; empty if the name is taken or the topic was changed meanwhile
     */
    void notStored(long requestId, Optional<String> reason) {
        TopicChange change = end(requestId);
        if (change == null) {
            return;
        }
        String name = change.topic().name();
        if (reason.isPresent()) {
            out.reply(requestId, new AdminResult.Refused(reason.get()));
        } else if (change.isNew()) {
            out.reply(requestId, new AdminResult.Exists(TopicCreation.existsMessage(name)));
        } else {
            out.reply(requestId, new AdminResult.Busy(TopicCreation.busyMessage(name)));
        }
    }

    /**
     * Decides on the configuration of a topic.
     *
     * @param requestId the request
     * @param wish the changes
     */
    void alter(long requestId, AlterTopic wish) {
        TopicState before = topics.get(wish.topic());
        if (changing.contains(wish.topic())) {
            out.reply(requestId, new AdminResult.Busy(TopicCreation.busyMessage(wish.topic())));
            return;
        }
        if (before == null) {
            out.reply(requestId, new AdminResult.Unknown(TopicCreation.unknownMessage(wish.topic())));
            return;
        }
        TopicState topic;
        try {
            topic = TopicAlteration.altered(before, wish.changes());
        } catch (IllegalArgumentException refused) {
            out.reply(requestId, new AdminResult.Refused(String.valueOf(refused.getMessage())));
            return;
        }
        if (topic.equals(before)) {
            out.reply(requestId, new AdminResult.NoChange(TopicAlteration.sameMessage(before)));
        } else {
            begin(requestId, topic, before.partitions(), List.of(), Map.of());
        }
    }

    /**
     * The wanted minimum of in-sync replicas of a topic.
     *
     * @param topicId the topic's id
     * @return the number, 0 if the topic is not known
     */
    int minIsr(UUID topicId) {
        return minIsrs.getOrDefault(topicId, 0);
    }

    /**
     * Decides on the deletion of a topic.
     *
     * @param requestId the request
     * @param wish the deletion
     */
    void delete(long requestId, DeleteTopic wish) {
        String name = wish.topic();
        TopicState topic = topics.get(name);
        if (!isDeletionAllowed) {
            out.reply(requestId, new AdminResult.Refused(TopicDeletion.forbiddenMessage(name)));
        } else if (changing.contains(name)) {
            out.reply(requestId, new AdminResult.Busy(TopicCreation.busyMessage(name)));
        } else if (topic == null) {
            out.reply(requestId, new AdminResult.Unknown(TopicCreation.unknownMessage(name)));
        } else if (wish.topicId().isPresent() && !wish.topicId().get().equals(topic.topicId())) {
            out.reply(
                    requestId,
                    new AdminResult.Unknown(
                            TopicDeletion.otherIdMessage(topic, wish.topicId().get())));
        } else {
            deletions.put(requestId, topic);
            changing.add(name);
            out.deleteTopic(requestId, topic);
        }
    }

    /**
     * Takes the news that a topic is deleted, and answers its request. The name is free from here on.
     *
     * @param requestId the request
     * @return the topic, null if it is not known
     */
    @Nullable
    TopicState deleted(long requestId) {
        TopicState topic = deletions.remove(requestId);
        if (topic == null) {
            return null;
        }
        deleted.add(topic.topicId());
        changing.remove(topic.name());
        topics.remove(topic.name());
        minIsrs.remove(topic.topicId());
        out.publishDeletion(topic);
        out.reply(requestId, new AdminResult.Done(topic));
        return topic;
    }

    /**
     * Takes the news that a topic was not deleted, and answers its request.
     *
     * @param requestId the request
     * @param reason what, where, what to do
     */
    void notDeleted(long requestId, String reason) {
        TopicState topic = deletions.remove(requestId);
        if (topic != null) {
            changing.remove(topic.name());
            out.reply(requestId, new AdminResult.Refused(reason));
        }
    }

    /**
     * Whether a topic was deleted in this term.
     *
     * @param topicId its id
     * @return true from then on
     */
    boolean isDeleted(UUID topicId) {
        return deleted.contains(topicId);
    }

    private @Nullable TopicChange end(long requestId) {
        TopicChange change = open.remove(requestId);
        if (change != null) {
            changing.remove(change.topic().name());
        }
        return change;
    }

    private void begin(
            long requestId,
            TopicState topic,
            int firstPartition,
            List<List<Integer>> assignment,
            Map<Integer, BrokerRegistration> brokers) {
        List<PartitionState> states = new ArrayList<>(assignment.size());
        for (List<Integer> replicas : assignment) {
            List<Replica> isr = new ArrayList<>(replicas.size());
            for (int broker : replicas) {
                BrokerRegistration registration = brokers.get(broker);
                if (registration != null && registration.isRunning()) {
                    isr.add(new Replica(broker, registration.incarnation()));
                }
            }
            states.add(PartitionState.initial(replicas, isr, topic.minIsr(), topic.durability(), controllerEpoch));
        }
        TopicChange change = new TopicChange(topic, firstPartition, states);
        open.put(requestId, change);
        changing.add(topic.name());
        out.storeTopic(requestId, change);
    }

    private List<List<Integer>> place(
            Placement placement, TopicState topic, int firstPartition, List<BrokerRegistration> running) {
        int count = topic.partitions() - firstPartition;
        return switch (placement) {
            case SPREAD -> ReplicaPlacement.spread(running, count, topic.replicationFactor(), random);
            case SEQUENTIAL ->
                ReplicaPlacement.sequential(
                        running.stream()
                                .map(BrokerRegistration::broker)
                                .sorted()
                                .toList(),
                        firstPartition,
                        count,
                        topic.replicationFactor());
        };
    }

    private static List<BrokerRegistration> running(Map<Integer, BrokerRegistration> brokers) {
        return brokers.values().stream().filter(BrokerRegistration::isRunning).toList();
    }

    /** A random id in the layout of a version 4 UUID. */
    private UUID newTopicId() {
        long high = (random.nextLong() & ~0xF000L) | 0x4000L;
        long low = (random.nextLong() & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L;
        return new UUID(high, low);
    }
}

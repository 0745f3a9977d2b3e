package io.tidemark.controller;

import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.partition.StateVersion;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * The decisions of one controller term: who leads each partition, and where a new topic's replicas go.
 *
 * <p>It keeps the newest known record of every partition and decides only from that and from the present set of
 * brokers, at the moment at which a message is processed. So any number of broker changes that come while a write is
 * under way end in one new decision, and the final records are those that a fresh computation would give.
 *
 * <p>What a partition is waiting for:
 *
 * <table>
 *   <caption>Phases of a partition's record</caption>
 *   <tr><th>phase</th><th>meaning</th><th>left by</th></tr>
 *   <tr><td>SETTLED</td><td>no write is under way</td><td>a decision to write: WRITING</td></tr>
 *   <tr><td>WRITING</td><td>one conditional write is under way</td><td>committed: SETTLED; conflict: STALE; unknown
 *       outcome: IN_DOUBT</td></tr>
 *   <tr><td>STALE</td><td>the write did not apply; the record as it is now is being read</td><td>the record:
 *       SETTLED</td></tr>
 *   <tr><td>IN_DOUBT</td><td>the write may yet apply; the record is being read</td><td>the record: SETTLED. If it has
 *       not moved and a write is still wanted, that write has the same condition, so that only one of both can
 *       apply</td></tr>
 * </table>
 *
 * <p>A broker change costs one write for each partition whose leader's process is gone, all at once; a conflict on one
 * delays no other. A leader whose process is proven dead before its registration ends is replaced at once, by a member
 * of the stored ISR. Followers that died are left to their leaders.
 *
 * <p>Owned by the conductor agent; not thread-safe. One object per term: after {@link #resign} nothing is emitted.
 *
 * <p>Source: the controller of Kafka's KIP-500 (decide, then apply what was committed); KAFKA-5879 (decide on the state
 * at processing time); CASES CP-01, CP-13, CP-14, CP-16.
 */
public final class ControllerCore {
    private final long controllerEpoch;
    private final ControllerDecisions out;
    private final TopicDesk topics;
    private final Map<PartitionId, Slot> partitions = new HashMap<>();
    private final DeadProcesses dead = new DeadProcesses();
    private final PartitionDesk desk;
    private final PreferredLeaderBalance balance;
    private Map<Integer, BrokerRegistration> brokers = Map.of();
    private boolean resigned;

    /**
     * Makes the controller of a term that has not started, and may delete topics.
     *
     * @param controllerEpoch the term; written into every record
     * @param settings how it decides where there is a choice
     * @param random chooses placements and topic ids
     * @param out receiver of decisions
     * @param isDeletionAllowed whether topics may be deleted
     */
    public ControllerCore(
            long controllerEpoch,
            ControllerSettings settings,
            RandomGenerator random,
            ControllerDecisions out,
            boolean isDeletionAllowed) {
        this.controllerEpoch = controllerEpoch;
        this.out = out;
        this.desk = new PartitionDesk(out);
        this.balance = new PreferredLeaderBalance(settings);
        this.topics = new TopicDesk(controllerEpoch, random, out, isDeletionAllowed);
    }

    /**
     * Takes office: publishes every record, and decides on each.
     *
     * @param image brokers, topics and records as they are stored; read after the term was won
     */
    public void start(ClusterImage image) {
        brokers = image.brokers();
        image.topics().forEach(topics::known);
        image.forEachPartition((id, state) -> partitions.put(id, new Slot(id, state)));
        for (Slot slot : partitions.values()) {
            out.publish(slot.id, slot.known.state(), slot.known.version());
            decide(slot);
        }
    }

    /**
     * Takes the registered brokers and moves the leadership of every partition whose leader is not among them.
     *
     * @param registered all registered brokers by id, replacing what was known
     */
    public void onBrokers(Map<Integer, BrokerRegistration> registered) {
        if (resigned || brokers.equals(registered)) {
            return;
        }
        brokers = new TreeMap<>(registered);
        partitions.values().forEach(this::decide);
    }

    /**
     * Takes evidence that a registered process is dead, and moves the leadership of its partitions if that is enough.
     *
     * @param process the dead process
     * @param witnesses processes that found it dead by themselves, this controller's among them
     */
    public void onProcessDead(Replica process, Collection<Replica> witnesses) {
        if (!resigned && dead.add(process, witnesses)) {
            partitions.values().forEach(this::decide);
        }
    }

    /**
     * Takes a stored record: news from a watch, or what was read after a conflict or an unknown outcome. A record that
     * is not newer than the known one only ends the waiting for it.
     *
     * @param id the partition
     * @param state the record
     * @param version its version
     */
    public void onPartitionState(PartitionId id, PartitionState state, StateVersion version) {
        if (resigned || topics.isDeleted(id.topicId())) {
            return;
        }
        Slot slot = take(id, state, version);
        if (slot.phase == Phase.STALE || slot.phase == Phase.IN_DOUBT) {
            slot.phase = Phase.SETTLED;
        }
        decide(slot);
    }

    /**
     * Takes the news that a write of this controller is stored.
     *
     * @param id the partition
     * @param state the record that was written
     * @param version its new version
     */
    public void onWriteCommitted(PartitionId id, PartitionState state, StateVersion version) {
        if (resigned || topics.isDeleted(id.topicId())) {
            return;
        }
        Slot slot = take(id, state, version);
        slot.phase = Phase.SETTLED;
        desk.stored(id, controllerEpoch, state);
        decide(slot);
    }

    /**
     * Takes the news that a write did not apply, since the record had another version. The record as it is now must
     * follow by {@link #onPartitionState}; until then nothing is written to this partition.
     *
     * @param id the partition
     */
    public void onWriteConflict(PartitionId id) {
        wait(id, Phase.STALE);
    }

    /**
     * Takes the news that nobody knows whether a write applied. The record as it is read after that must follow by
     * {@link #onPartitionState}; if it has not moved, the decision is made again and written under the same condition.
     *
     * @param id the partition
     */
    public void onWriteUnknown(PartitionId id) {
        wait(id, Phase.IN_DOUBT);
    }

    /**
     * Takes a request for a change. It is checked against what is known now, and handed on to be stored; or it is
     * answered at once with the reason why not.
     *
     * @param requestId names the request in the answer; not used by another one that is under way
     * @param wish the change
     */
    public void admin(long requestId, AdminWish wish) {
        if (resigned) {
            return;
        }
        if (wish instanceof CreateTopic create) {
            topics.create(requestId, create, dead.without(brokers));
        } else if (wish instanceof AddPartitions add) {
            topics.addPartitions(requestId, add, dead.without(brokers));
        } else if (wish instanceof DeleteTopic delete) {
            topics.delete(requestId, delete);
        } else if (wish instanceof AlterTopic alter) {
            topics.alter(requestId, alter);
        } else if (wish instanceof PartitionChanges changes) {
            for (PartitionId id : desk.open(requestId, changes, topics)) {
                Slot slot = partitions.get(id);
                if (slot == null) {
                    desk.forget(id);
                } else {
                    decide(slot);
                }
            }
        }
    }

    /**
     * Does what is due by time.
     *
     * @param nowNs now
     * @return count of decisions
     */
    public int tick(long nowNs) {
        if (resigned || !balance.isDue(nowNs)) {
            return 0;
        }
        Map<PartitionId, PartitionState> states = new LinkedHashMap<>();
        partitions.forEach((id, slot) -> {
            // What is under way will be looked at next time.
            if (slot.phase == Phase.SETTLED) {
                states.put(id, slot.known.state());
            }
        });
        Map<PartitionId, PartitionState> moves = balance.look(states, dead.without(brokers));
        moves.forEach((id, next) -> {
            Slot slot = partitions.get(id);
            if (slot != null) {
                write(slot, next);
            }
        });
        return moves.size();
    }

    /**
     * Takes the news that a topic is stored with its new partitions.
     *
     * @param requestId the request that asked for it
     * @param stored the stored records of the new partitions, in order; none if only the topic was changed
     * @throws IllegalArgumentException if their number is not that of the new partitions
     */
    public void onTopicStored(long requestId, List<VersionedState> stored) {
        TopicChange change = resigned ? null : topics.stored(requestId, stored.size());
        if (change == null) {
            return;
        }
        for (int i = 0; i < stored.size(); i++) {
            VersionedState record = stored.get(i);
            PartitionId id = new PartitionId(change.topic().topicId(), change.firstPartition() + i);
            decide(take(id, record.state(), record.version()));
        }
        if (stored.isEmpty()) {
            out.publishTopic(change.topic());
            decideAllOf(change.topic());
        }
    }

    /** The records of a topic follow its own, one by one; whoever is controller sees which have not. */
    private void decideAllOf(TopicState topic) {
        for (int i = 0; i < topic.partitions(); i++) {
            Slot slot = partitions.get(new PartitionId(topic.topicId(), i));
            if (slot != null) {
                decide(slot);
            }
        }
    }

    /**
     * Takes the news that a topic was not stored: a new one since its name is taken, another one since it was changed
     * or deleted meanwhile, or any since the service cannot take it.
     *
     * @param requestId the request that asked for it
     * @param reason what the service cannot take; empty if it is the name
     */
    public void onTopicNotStored(long requestId, Optional<String> reason) {
        if (!resigned) {
            topics.notStored(requestId, reason);
        }
    }

    /**
     * Takes the news that a topic is deleted: its tombstone is stored, and its own record is gone.
     *
     * @param requestId the request that asked for it
     */
    public void onTopicDeleted(long requestId) {
        TopicState topic = resigned ? null : topics.deleted(requestId);
        if (topic != null) {
            for (int i = 0; i < topic.partitions(); i++) {
                PartitionId id = new PartitionId(topic.topicId(), i);
                partitions.remove(id);
                desk.forget(id);
            }
        }
    }

    /**
     * Takes the news that a topic was not deleted.
     *
     * @param requestId the request that asked for it
     * @param reason what, where, what to do
     */
    public void onTopicNotDeleted(long requestId, String reason) {
        if (!resigned) {
            topics.notDeleted(requestId, reason);
        }
    }

    /**
     * Takes a stored topic that this controller did not create itself, such as one that its predecessor's last write
     * made. Its partitions come by {@link #onPartitionState}.
     *
     * @param topic the topic
     */
    public void onTopic(TopicState topic) {
        topics.known(topic);
    }

    /** Leaves office: whatever is told from now on, nothing is emitted. Requests under way get no answer from here. */
    public void resign() {
        resigned = true;
        partitions.clear();
    }

    /**
     * The newest known record of a partition.
     *
     * @param id the partition
     * @return the record, empty if it is not known
     */
    public Optional<VersionedState> partition(PartitionId id) {
        Slot slot = partitions.get(id);
        return slot == null ? Optional.empty() : Optional.of(slot.known);
    }

    /**
     * Counts the partitions that have no live leader.
     *
     * @return from 0 to the number of partitions
     */
    public int offlinePartitions() {
        int offline = 0;
        for (Slot slot : partitions.values()) {
            if (!LeaderSelector.isAlive(slot.known.state().leader(), brokers)) {
                offline++;
            }
        }
        return offline;
    }

    private void wait(PartitionId id, Phase phase) {
        Slot slot = partitions.get(id);
        if (!resigned && slot != null && slot.phase == Phase.WRITING) {
            slot.phase = phase;
        }
    }

    private Slot take(PartitionId id, PartitionState state, StateVersion version) {
        VersionedState told = new VersionedState(state, version);
        Slot slot = partitions.get(id);
        if (slot == null) {
            slot = new Slot(id, told);
            partitions.put(id, slot);
        } else if (state.isNewerThan(slot.known.state())) {
            slot.known = told;
        } else {
            return slot;
        }
        out.publish(id, state, version);
        return slot;
    }

    private void decide(Slot slot) {
        if (slot.phase != Phase.SETTLED) {
            return;
        }
        PartitionState known = slot.known.state();
        PartitionState next = LeaderSelector.afterBrokerChange(known, brokers)
                .or(() -> LeaderSelector.afterProcessDeath(known, brokers, dead))
                .or(() -> afterAlteration(slot.id, known))
                .or(() -> LeaderSelector.afterLeaderLeaves(known, brokers, dead))
                .or(() -> wished(slot.id, known))
                .orElse(null);
        if (next != null) {
            write(slot, next);
        }
    }

    private Optional<PartitionState> afterAlteration(PartitionId id, PartitionState known) {
        int minIsr = topics.minIsr(id.topicId());
        return minIsr == 0 || minIsr == known.minIsr() ? Optional.empty() : Optional.of(known.withMinIsr(minIsr));
    }

    /** What somebody asked for, and what a reassignment under way is ready for. */
    private Optional<PartitionState> wished(PartitionId id, PartitionState known) {
        if (!desk.isWished(id) && !known.isReassigning()) {
            return Optional.empty();
        }
        Map<Integer, BrokerRegistration> living = dead.without(brokers);
        return Optional.ofNullable(desk.decide(id, known, living))
                .or(() -> PartitionReassignment.completed(known, living));
    }

    private void write(Slot slot, PartitionState next) {
        slot.phase = Phase.WRITING;
        out.writePartition(slot.id, slot.known.version(), next.withControllerEpoch(controllerEpoch));
    }

    /** What a partition's record is waiting for; the class comment has the table. */
    private enum Phase {
        SETTLED,
        WRITING,
        STALE,
        IN_DOUBT
    }

    private static final class Slot {
        private final PartitionId id;
        private VersionedState known;
        private Phase phase = Phase.SETTLED;

        private Slot(PartitionId id, VersionedState known) {
            this.id = id;
            this.known = known;
        }
    }
}

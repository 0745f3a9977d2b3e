package io.tidemark.conductor;

import io.tidemark.controller.TopicConfig;
import io.tidemark.controller.TopicState;
import io.tidemark.log.TopicPartition;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.pipeline.LaneProxy;
import io.tidemark.pipeline.LogHandle;
import io.tidemark.pipeline.PartitionAssignment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Gives the lane the roles that the records give to this broker: has the log of a new replica opened, which may take
 * long and holds up no other, then hands over the newest record, however many came meanwhile. A record that is not
 * newer changes nothing, so records may be told again at any time. Owned by the conductor.
 */
final class RoleDriver {
    /** Opens and deletes logs, away from the conductor. */
    interface Logs {
        /**
         * Opens or creates the log of a replica and builds its producer table.
         *
         * @param topicPartition names the folder
         * @param topicId the topic that the folder must belong to
         * @return the log; fails with {@link io.tidemark.log.StorageException} if it cannot be opened
         */
        CompletionStage<LogHandle> open(TopicPartition topicPartition, UUID topicId);

        /**
         * Has an open log keep what its topic wants to be kept, from now on. Returns at once.
         *
         * @param topicPartition names the log
         * @param config of its topic
         */
        void configure(TopicPartition topicPartition, TopicConfig config);

        /**
         * Deletes the log of a replica, open or not; its writer has given it up.
         *
         * @param topicPartition names the folder
         * @param topicId the topic that the folder must belong to
         * @return whether there was one; fails with {@link io.tidemark.log.StorageException} if it may come back
         */
        CompletionStage<Boolean> delete(TopicPartition topicPartition, UUID topicId);
    }

    /** Is told of replicas that cannot be opened or deleted. */
    interface Failures {
        /**
         * A log could not be opened; the replica has no role until the broker is started again.
         *
         * @param topicPartition the replica
         * @param cause why
         */
        void openFailed(TopicPartition topicPartition, Throwable cause);

        /**
         * A log could not be deleted; the next start tries again.
         *
         * @param topicPartition the replica
         * @param cause why
         */
        void deleteFailed(TopicPartition topicPartition, Throwable cause);
    }

    private final CoordinationCalls calls;
    private final Logs logs;
    private final LaneProxy lane;
    private final LaneOutbox outbox;
    private final Failures failures;
    private final int brokerId;
    private final Map<PartitionId, Slot> slots = new HashMap<>();
    private final Map<UUID, TopicConfig> configs = new HashMap<>();
    /** Who has a folder's name, until its log is deleted. */
    private final Map<TopicPartition, Slot> holders = new HashMap<>();
    /** Who gets it then. */
    private final Map<TopicPartition, Slot> waiting = new HashMap<>();

    private Runnable onNameTaken = () -> {};
    private Replica self = Replica.NONE;
    private int opening;

    /**
     * Begins without a registration.
     *
     * @param brokerId this broker
     * @param calls continues calls on the conductor
     * @param logs opens logs
     * @param lane the entrance of the lane
     * @param outbox through which the lane is told
     * @param failures who is told of failures
     */
    RoleDriver(int brokerId, CoordinationCalls calls, Logs logs, LaneProxy lane, LaneOutbox outbox, Failures failures) {
        this.brokerId = brokerId;
        this.calls = calls;
        this.logs = logs;
        this.lane = lane;
        this.outbox = outbox;
        this.failures = failures;
    }

    /**
     * Sets what is done when a replica cannot be opened since one of another topic has its name: this broker has missed
     * a deletion.
     *
     * @param action run on the conductor, maybe once for each replica
     */
    void onNameTaken(Runnable action) {
        onNameTaken = action;
    }

    /**
     * A new life began. Roles are given by the records that are told from now on.
     *
     * @param current this broker in its new incarnation
     */
    void registered(Replica current) {
        self = current;
        slots.values().forEach(slot -> slot.isWanted = false);
    }

    /** The life is over; the lane was fenced. */
    void lost() {
        self = Replica.NONE;
    }

    /**
     * Takes the newest known record of a partition.
     *
     * @param record the record
     */
    void apply(VersionedRecord record) {
        Slot slot = slots.get(record.id());
        if (slot == null) {
            if (!record.state().isReplica(brokerId)) {
                return;
            }
            slot = new Slot(record);
            slots.put(record.id(), slot);
        }
        slot.record = record;
        if (self.isNone() || slot.hasFailed) {
            return;
        }
        slot.isWanted = true;
        if (slot.handle != null) {
            say(slot);
        } else if (!slot.isOpening) {
            open(slot);
        }
    }

    /**
     * Takes the newest known value of a topic. One that was taken before changes nothing.
     *
     * @param topic the topic
     */
    void configured(TopicState topic) {
        TopicConfig before = configs.put(topic.topicId(), topic.config());
        if (topic.config().equals(before == null ? TopicConfig.DEFAULT : before)) {
            return;
        }
        for (Slot slot : slots.values()) {
            if (slot.handle != null && slot.record.id().topicId().equals(topic.topicId())) {
                logs.configure(slot.topicPartition(), topic.config());
            }
        }
    }

    /**
     * A topic was deleted: its replicas leave the lane, and their logs go. Who gets the name next waits for that.
     *
     * @param topicId the topic
     */
    void deleted(UUID topicId) {
        configs.remove(topicId);
        List<Slot> gone = slots.values().stream()
                .filter(slot -> slot.record.id().topicId().equals(topicId))
                .toList();
        for (Slot slot : gone) {
            slots.remove(slot.record.id());
            waiting.remove(slot.topicPartition(), slot);
            slot.isDoomed = true;
            if (holders.get(slot.topicPartition()) == slot && !slot.isOpening) {
                release(slot);
            }
        }
    }

    /**
     * Whether this broker has, or is about to have, a log.
     *
     * @param topicPartition names it
     * @param topicId of its topic
     * @return true if a record gives this replica to this broker, or the log is being deleted
     */
    boolean has(TopicPartition topicPartition, UUID topicId) {
        Slot holder = holders.get(topicPartition);
        return slots.containsKey(new PartitionId(topicId, topicPartition.partition()))
                || (holder != null && holder.record.id().topicId().equals(topicId));
    }

    /**
     * Whether every wanted replica is open and handed over.
     *
     * @return false while logs are being opened or the lane has no room
     */
    boolean isSettled() {
        return opening == 0 && outbox.size() == 0;
    }

    private void open(Slot slot) {
        TopicPartition name = slot.topicPartition();
        Slot holder = holders.putIfAbsent(name, slot);
        if (holder != null && holder != slot) {
            waiting.put(name, slot);
            if (!holder.isDoomed) {
                onNameTaken.run();
            }
            return;
        }
        slot.isOpening = true;
        opening++;
        calls.then(
                logs.open(name, slot.record.id().topicId()),
                handle -> {
                    opening--;
                    slot.isOpening = false;
                    slot.handle = handle;
                    logs.configure(name, configs.getOrDefault(slot.record.id().topicId(), TopicConfig.DEFAULT));
                    if (slot.isDoomed) {
                        release(slot);
                    } else if (slot.isWanted && !self.isNone()) {
                        say(slot);
                    }
                },
                failure -> {
                    opening--;
                    slot.isOpening = false;
                    slot.hasFailed = true;
                    if (slot.isDoomed) {
                        release(slot);
                    } else {
                        failures.openFailed(name, failure);
                    }
                });
    }

    private void release(Slot slot) {
        CompletableFuture<Void> released = new CompletableFuture<>();
        outbox.say(() -> lane.release(slot.record.id(), () -> released.complete(null)));
        calls.then(released, done -> delete(slot), unused -> {});
    }

    private void delete(Slot slot) {
        TopicPartition name = slot.topicPartition();
        calls.then(logs.delete(name, slot.record.id().topicId()), existed -> left(name), failure -> {
            failures.deleteFailed(name, failure);
            left(name);
        });
    }

    private void left(TopicPartition name) {
        holders.remove(name);
        Slot next = waiting.remove(name);
        if (next != null && next.isWanted && !next.isDoomed) {
            open(next);
        }
    }

    private void say(Slot slot) {
        if (slot.isSaying) {
            return;
        }
        slot.isSaying = true;
        outbox.say(() -> {
            if (self.isNone() || slot.isDoomed) {
                slot.isSaying = false;
                return true;
            }
            VersionedRecord newest = slot.record;
            PartitionState state = newest.state();
            LogHandle log = slot.isHandedOver ? null : slot.handle;
            if (!lane.applyState(new PartitionAssignment(slot.topicPartition(), newest.id(), state, log, self))) {
                return false;
            }
            slot.isHandedOver = true;
            slot.isSaying = false;
            return true;
        });
    }

    /** One replica of this broker. */
    private static final class Slot {
        private VersionedRecord record;
        private @Nullable LogHandle handle;
        private boolean isOpening;
        private boolean isHandedOver;
        private boolean isSaying;
        private boolean isWanted;
        private boolean hasFailed;
        private boolean isDoomed;

        private Slot(VersionedRecord record) {
            this.record = record;
        }

        private TopicPartition topicPartition() {
            return new TopicPartition(record.topic().name(), record.id().partition());
        }
    }
}

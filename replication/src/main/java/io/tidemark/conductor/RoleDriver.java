package io.tidemark.conductor;

import io.tidemark.log.TopicPartition;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.pipeline.LaneProxy;
import io.tidemark.pipeline.LogHandle;
import io.tidemark.pipeline.PartitionAssignment;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Gives the lane the roles that the records give to this broker: has the log of a new replica opened, which may take
 * long and holds up no other, then hands over the newest record, however many came meanwhile. A record that is not
 * newer changes nothing, so records may be told again at any time. Owned by the conductor.
 */
final class RoleDriver {
    /** Opens logs, away from the conductor. */
    @FunctionalInterface
    interface Logs {
        /**
         * Opens or creates the log of a replica and builds its producer table.
         *
         * @param topicPartition names the folder
         * @param topicId the topic that the folder must belong to
         * @return the log; fails with {@link io.tidemark.log.StorageException} if it cannot be opened
         */
        CompletionStage<LogHandle> open(TopicPartition topicPartition, UUID topicId);
    }

    /** Is told of replicas that cannot be opened. */
    @FunctionalInterface
    interface Failures {
        /**
         * A log could not be opened; the replica has no role until the broker is started again.
         *
         * @param topicPartition the replica
         * @param cause why
         */
        void openFailed(TopicPartition topicPartition, Throwable cause);
    }

    private final CoordinationCalls calls;
    private final Logs logs;
    private final LaneProxy lane;
    private final LaneOutbox outbox;
    private final Failures failures;
    private final int brokerId;
    private final Map<PartitionId, Slot> slots = new HashMap<>();
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
     * Whether every wanted replica is open and handed over.
     *
     * @return false while logs are being opened or the lane has no room
     */
    boolean isSettled() {
        return opening == 0 && outbox.size() == 0;
    }

    private void open(Slot slot) {
        TopicPartition name = slot.topicPartition();
        slot.isOpening = true;
        opening++;
        calls.then(
                logs.open(name, slot.record.id().topicId()),
                handle -> {
                    opening--;
                    slot.isOpening = false;
                    slot.handle = handle;
                    if (slot.isWanted && !self.isNone()) {
                        say(slot);
                    }
                },
                failure -> {
                    opening--;
                    slot.isOpening = false;
                    slot.hasFailed = true;
                    failures.openFailed(name, failure);
                });
    }

    private void say(Slot slot) {
        if (slot.isSaying) {
            return;
        }
        slot.isSaying = true;
        outbox.say(() -> {
            if (self.isNone()) {
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

        private Slot(VersionedRecord record) {
            this.record = record;
        }

        private TopicPartition topicPartition() {
            return new TopicPartition(record.topic().name(), record.id().partition());
        }
    }
}

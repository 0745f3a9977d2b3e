package io.tidemark.pipeline;

import io.tidemark.fetch.LogEpochs;
import io.tidemark.fetch.PartitionMap;
import io.tidemark.fetch.ServedPartition;
import io.tidemark.log.CorruptBatchException;
import io.tidemark.log.DiskFullException;
import io.tidemark.log.InvalidBatchException;
import io.tidemark.log.Log;
import io.tidemark.log.RecordBatch;
import io.tidemark.log.StorageException;
import io.tidemark.partition.EpochHistory;
import io.tidemark.partition.PartitionFollower;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.ProducerTable;
import io.tidemark.partition.Replica;
import io.tidemark.wire.ErrorCode;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * First stage: the only writer of the logs and of the producer tables. Appends as leader and as follower, truncates,
 * starts epochs, and decides the role that a state record gives to this broker; the later stages learn it from the
 * event.
 *
 * <p>A leader's append is refused unless this process leads in the asked epoch, the session's lease is valid, and,
 * for acks ALL, the stored ISR has its minimum. All of it is known from the events that passed before.
 */
final class AppendStage {
    /** Acks that wait for nothing. */
    static final int ACKS_NONE = 0;
    /** Acks that wait for the leader's log. */
    static final int ACKS_LEADER = 1;
    /** Acks that wait for the high watermark. */
    static final int ACKS_ALL = -1;

    private static final int ANY_EPOCH = -1;

    /** The logs of the partitions: those that this thread owns. */
    private final Set<Log> logs = new HashSet<>();

    private final PartitionMap<LanePartition> partitions;
    private final PartitionMap<ServedPartition> served;
    private final BooleanSupplier leaseValid;
    private final LaneCounters counters;
    private final LaneFaults faults;
    private final RecordBatch batch = new RecordBatch();
    private final Consumer<LanePartition> forget = this::forgetRole;
    private @Nullable ProducerTable rebuilt;

    /**
     * Creates a stage of a lane without partitions.
     *
     * @param partitions of the lane; this stage adds to them
     * @param served the same, as those see them who serve them
     * @param leaseValid asked for each produce request
     * @param counters to count in
     * @param faults is told of logs that are used and that failed
     */
    AppendStage(
            PartitionMap<LanePartition> partitions,
            PartitionMap<ServedPartition> served,
            BooleanSupplier leaseValid,
            LaneCounters counters,
            LaneFaults faults) {
        this.partitions = partitions;
        this.served = served;
        this.leaseValid = leaseValid;
        this.counters = counters;
        this.faults = faults;
    }

    /**
     * Handles an event.
     *
     * @param event not handled by any stage yet
     */
    void onEvent(ReplicationEvent event) {
        switch (event.type) {
            case PRODUCE -> onProduce(event);
            case REPLICA_DATA -> onReplicaData(event);
            case REPLICA_DIVERGED -> onReplicaDiverged(event);
            case REPLICA_RESTART -> onReplicaRestart(event);
            case APPLY_STATE -> onApplyState(event);
            case ISR_RESULT -> onIsrResult(event);
            case PARTITION_FAILED -> onPartitionFailed(event);
            case LOG_WORK -> onLogWork(event);
            case RELEASE -> onRelease(event);
            case FENCE -> partitions.forEach(forget);
            default -> {
                // Nothing else touches a log or a role.
            }
        }
    }

    /** An idle log gives up its active segment, so that old records are deleted and files are closed. */
    private void onLogWork(ReplicationEvent event) {
        Log log = event.log;
        if (log == null || !logs.contains(log)) {
            // It was released, and may be closed by another thread at this moment.
            return;
        }
        try {
            log.doOwnerWork();
        } catch (StorageException | IllegalStateException e) {
            // A log that failed says so again to the next append or fetch, which fences the partition; one that was
            // closed has no owner any more.
            event.text = e.getMessage();
        }
    }

    private void onRelease(ReplicationEvent event) {
        PartitionId id = event.partitionId;
        if (id == null) {
            return;
        }
        LanePartition partition = partitions.remove(id);
        served.remove(id);
        event.partition = partition;
        if (partition != null) {
            logs.remove(partition.log);
            // Who still holds it, as a reply that is on its way, gets nothing more into the log.
            partition.failed = true;
            forgetRole(partition);
        }
    }

    private void onProduce(ReplicationEvent event) {
        LanePartition partition = event.partition;
        DirectBuffer buffer = event.buffer;
        if (event.code != ErrorCode.NONE) {
            return;
        }
        if (partition == null || buffer == null) {
            event.fail(ErrorCode.UNKNOWN_TOPIC, null);
            return;
        }
        check(event, partition);
        if (event.code != ErrorCode.NONE) {
            return;
        }
        try {
            batch.wrap(buffer, event.index, event.length);
            if (batch.sizeInBytes() != event.length) {
                event.fail(
                        ErrorCode.INVALID_REQUEST,
                        "a produce request carries exactly one batch: batchBytes=" + batch.sizeInBytes()
                                + ", payloadBytes=" + event.length);
                return;
            }
            if (batch.isControl()) {
                event.fail(ErrorCode.INVALID_REQUEST, "clients append no control batches");
                return;
            }
            append(event, partition, buffer);
        } catch (CorruptBatchException e) {
            event.fail(ErrorCode.CORRUPT_BATCH, e.getMessage());
        } catch (InvalidBatchException e) {
            event.fail(ErrorCode.INVALID_REQUEST, e.getMessage());
        } catch (DiskFullException e) {
            event.fail(ErrorCode.STORAGE_ERROR, e.getMessage());
        } catch (StorageException e) {
            fail(event, partition, e);
        }
    }

    private void check(ReplicationEvent event, LanePartition partition) {
        PartitionState state = partition.appendState;
        if (partition.failed) {
            event.fail(ErrorCode.STORAGE_ERROR, null);
        } else if (state == null) {
            event.fail(ErrorCode.NOT_LEADER, null);
        } else if (event.leaderEpoch != ANY_EPOCH && event.leaderEpoch > state.leaderEpoch()) {
            event.fail(ErrorCode.UNKNOWN_EPOCH, null);
        } else if (partition.appendRole != PartitionRole.LEADER) {
            event.fail(ErrorCode.NOT_LEADER, null);
        } else if (event.leaderEpoch != ANY_EPOCH && event.leaderEpoch < state.leaderEpoch()) {
            event.fail(ErrorCode.STALE_EPOCH, null);
        } else if (!leaseValid.getAsBoolean()) {
            event.fail(ErrorCode.COORDINATION_LOST, null);
        } else if (event.acks == ACKS_ALL && !state.hasMinIsr()) {
            event.fail(
                    ErrorCode.NOT_ENOUGH_REPLICAS,
                    "too few replicas in sync: partition=" + partition.id + ", isr=" + state.isr() + ", minIsr="
                            + state.effectiveMinIsr() + "; nothing was appended");
        }
    }

    private void append(ReplicationEvent event, LanePartition partition, DirectBuffer buffer) {
        ProducerTable producers = partition.handle.producers();
        long producerId = batch.producerId();
        short producerEpoch = batch.producerEpoch();
        int baseSequence = batch.baseSequence();
        int records = batch.recordCount();
        switch (producers.check(producerId, producerEpoch, baseSequence, records)) {
            case APPEND -> {
                faults.touch(partition);
                event.baseOffset = partition.log.append(buffer, event.index, event.length, leaderEpoch(partition));
                event.nextOffset = partition.log.logEndOffset();
                event.appended = true;
                producers.onBatch(producerId, producerEpoch, baseSequence, records, event.baseOffset, event.nextOffset);
                LaneCounters.add(counters.batchesAppended(), 1);
                LaneCounters.add(counters.recordsAppended(), records);
            }
            case DUPLICATE -> {
                event.baseOffset = producers.duplicateBaseOffset();
                event.nextOffset = producers.duplicateNextOffset();
            }
            case DUPLICATE_UNKNOWN -> event.fail(ErrorCode.DUPLICATE_SEQUENCE, null);
            case OUT_OF_ORDER -> event.fail(ErrorCode.OUT_OF_ORDER_SEQUENCE, null);
            case STALE_EPOCH -> event.fail(ErrorCode.STALE_PRODUCER_EPOCH, null);
            case UNKNOWN_PRODUCER -> event.fail(ErrorCode.UNKNOWN_PRODUCER, null);
        }
    }

    private void onReplicaData(ReplicationEvent event) {
        LanePartition partition = event.partition;
        DirectBuffer buffer = event.buffer;
        if (partition == null || buffer == null || partition.failed || partition.appendRole != PartitionRole.FOLLOWER) {
            event.fail(ErrorCode.NOT_REPLICA, null);
            return;
        }
        long before = partition.log.logEndOffset();
        faults.touch(partition);
        try {
            partition.log.appendReplicated(buffer, event.index, event.length, leaderEpoch(partition));
            event.appended = true;
            learn(partition.handle.producers(), buffer, event.index, event.length);
        } catch (InvalidBatchException e) {
            event.fail(ErrorCode.CORRUPT_BATCH, e.getMessage());
        } catch (DiskFullException e) {
            event.fail(ErrorCode.STORAGE_ERROR, e.getMessage());
        } catch (StorageException e) {
            fail(event, partition, e);
        }
        if (!event.appended && !partition.failed && partition.log.logEndOffset() > before) {
            // The batches before the bad one were appended.
            event.appended = true;
            rebuilt = partition.handle.producers();
            partition.log.forEachBatch(before, partition.log.logEndOffset(), this::learn);
        }
    }

    private void learn(ProducerTable producers, DirectBuffer buffer, int index, int length) {
        int at = index;
        int end = index + length;
        while (at < end) {
            batch.wrap(buffer, at, end - at);
            learn(producers, batch);
            at += batch.sizeInBytes();
            LaneCounters.add(counters.batchesAppended(), 1);
            LaneCounters.add(counters.recordsAppended(), batch.recordCount());
        }
    }

    private void learn(RecordBatch appended) {
        ProducerTable producers = rebuilt;
        if (producers != null) {
            learn(producers, appended);
        }
    }

    private static void learn(ProducerTable producers, RecordBatch appended) {
        if (appended.producerId() != ProducerTable.NO_PRODUCER_ID) {
            producers.onBatch(
                    appended.producerId(),
                    appended.producerEpoch(),
                    appended.baseSequence(),
                    appended.recordCount(),
                    appended.baseOffset(),
                    appended.nextOffset());
        }
    }

    private void onReplicaDiverged(ReplicationEvent event) {
        LanePartition partition = event.partition;
        PartitionFollower follower = partition == null ? null : partition.follower;
        if (partition == null
                || follower == null
                || partition.failed
                || partition.appendRole != PartitionRole.FOLLOWER) {
            event.fail(ErrorCode.NOT_REPLICA, null);
            return;
        }
        long target =
                follower.truncationFor(event.divergingEpoch, event.divergingEndOffset, new LogEpochs(partition.log));
        faults.touch(partition);
        try {
            if (target < partition.log.logEndOffset()) {
                partition.log.truncateTo(target);
                LaneCounters.add(counters.logTruncations(), 1);
                rebuildProducers(partition);
            }
        } catch (StorageException e) {
            fail(event, partition, e);
        }
    }

    private void onReplicaRestart(ReplicationEvent event) {
        LanePartition partition = event.partition;
        if (partition == null || partition.failed || partition.appendRole != PartitionRole.FOLLOWER) {
            event.fail(ErrorCode.NOT_REPLICA, null);
            return;
        }
        long logEndOffset = partition.log.logEndOffset();
        boolean empty = new LogEpochs(partition.log).lastBatchEpoch() == EpochHistory.NO_EPOCH;
        if (event.logStartOffset < 0 || (logEndOffset >= event.logStartOffset && !empty)) {
            // Only a log that is empty, or ends before the leader's starts, is given up without a comparison of
            // epochs.
            event.fail(ErrorCode.OFFSET_OUT_OF_RANGE, null);
            return;
        }
        faults.touch(partition);
        try {
            partition.log.truncateFullyAndStartAt(event.logStartOffset);
            LaneCounters.add(counters.logTruncations(), 1);
            partition.handle.producers().clear();
        } catch (StorageException e) {
            fail(event, partition, e);
        }
    }

    private void rebuildProducers(LanePartition partition) {
        ProducerTable producers = partition.handle.producers();
        producers.clear();
        rebuilt = producers;
        partition.log.forEachBatch(partition.log.logStartOffset(), partition.log.logEndOffset(), this::learn);
        rebuilt = null;
    }

    private void onApplyState(ReplicationEvent event) {
        PartitionAssignment assignment = event.assignment;
        if (assignment == null) {
            return;
        }
        LanePartition partition = partitions.get(assignment.id());
        LogHandle handle = assignment.log();
        if (handle != null && (partition == null || partition.failed)) {
            if (partition != null) {
                logs.remove(partition.log);
            }
            logs.add(handle.log());
            partition = new LanePartition(assignment.id(), handle);
            partitions.put(partition.id, partition);
            served.put(partition.id, partition.served);
        }
        event.partition = partition;
        event.state = assignment.state();
        if (partition != null) {
            partition.self = assignment.self();
            enter(event, partition, assignment.state());
        }
    }

    private void onIsrResult(ReplicationEvent event) {
        LanePartition partition = event.partitionId == null ? null : partitions.get(event.partitionId);
        event.partition = partition;
        PartitionState state = event.state;
        if (partition != null && state != null && partition.appendState != null) {
            enter(event, partition, state);
        }
    }

    private void enter(ReplicationEvent event, LanePartition partition, PartitionState state) {
        PartitionState known = partition.appendState;
        if (partition.failed || (known != null && !state.isNewerThan(known))) {
            return;
        }
        PartitionRole role = roleOf(state, partition.self);
        event.stateChanged = true;
        event.roleChanged = known == null || known.leaderEpoch() != state.leaderEpoch() || role != partition.appendRole;
        event.role = role;
        partition.appendState = state;
        partition.appendRole = role;
        if (event.roleChanged && role == PartitionRole.LEADER) {
            LaneCounters.add(counters.leaderEpochs(), 1);
            try {
                partition.log.startEpoch(state.leaderEpoch());
            } catch (StorageException e) {
                fail(event, partition, e);
            }
        }
    }

    /**
     * Role that a record gives to a process. A leader entry of another incarnation of the same broker gives none.
     *
     * @param state the record
     * @param self the process
     * @return the role
     */
    static PartitionRole roleOf(PartitionState state, Replica self) {
        if (state.leader().equals(self)) {
            return PartitionRole.LEADER;
        }
        boolean follows =
                !state.leader().isNone() && state.leader().broker() != self.broker() && state.isReplica(self.broker());
        return follows ? PartitionRole.FOLLOWER : PartitionRole.NONE;
    }

    private void fail(ReplicationEvent event, LanePartition partition, StorageException cause) {
        event.fail(ErrorCode.STORAGE_ERROR, cause.getMessage());
        faults.fail(partition, cause);
    }

    private void onPartitionFailed(ReplicationEvent event) {
        LanePartition partition = event.partition;
        if (partition != null) {
            partition.failed = true;
            partition.appendRole = PartitionRole.NONE;
        }
    }

    private void forgetRole(LanePartition partition) {
        partition.appendState = null;
        partition.appendRole = PartitionRole.NONE;
    }

    private static int leaderEpoch(LanePartition partition) {
        PartitionState state = partition.appendState;
        return state == null ? -1 : state.leaderEpoch();
    }
}

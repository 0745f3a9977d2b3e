package io.tidemark.pipeline;

import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Third stage: owns the produce requests that wait for the high watermark and answers them in offset order; sends all
 * other replies that are not parked. The lease is asked once per batch of completions; while it is not valid nothing
 * is acknowledged, and what waits is looked at again after a short while.
 */
final class CompletionStage {
    private static final long NO_DEADLINE = Long.MAX_VALUE;
    private static final long LEASE_RETRY_NS = 50_000_000L;

    private final Long2ObjectHashMap<InboundConnection> connections;
    private final BooleanSupplier leaseValid;
    private final LaneCounters counters;
    private final int pendingMax;
    private final MessageWriter writer = new MessageWriter();
    private final UnsafeBuffer forwarded = new UnsafeBuffer(new byte[0]);
    private final ArrayList<LanePartition> withPending = new ArrayList<>();
    private int pendingCount;
    private long deadlineNs = NO_DEADLINE;
    private long leaseRetryNs = NO_DEADLINE;

    /**
     * Creates a stage with nothing pending.
     *
     * @param connections accepted connections by id
     * @param context lease, counters and limits
     */
    CompletionStage(Long2ObjectHashMap<InboundConnection> connections, LaneContext context) {
        this.connections = connections;
        this.leaseValid = context.leaseValid();
        this.counters = context.counters();
        this.pendingMax = context.config().limits().pendingMax();
    }

    /**
     * Handles an event after the stages before.
     *
     * @param event to complete
     */
    void onEvent(ReplicationEvent event) {
        switch (event.type) {
            case PRODUCE -> onProduce(event);
            case OFFSETS -> onOffsets(event);
            case REPLY -> onReply(event);
            case APPLY_STATE, ISR_RESULT -> {
                if (event.roleChanged && event.partition != null) {
                    failPending(event.partition, ErrorCode.NOT_LEADER);
                }
            }
            case PARTITION_FAILED -> {
                if (event.partition != null) {
                    failPending(event.partition, ErrorCode.STORAGE_ERROR);
                }
            }
            case FENCE -> failAll(ErrorCode.COORDINATION_LOST);
            case RELEASE -> onRelease(event);
            default -> {
                // Answered by the stages before, or not at all.
            }
        }
    }

    /**
     * Whether one more produce request with acks ALL may wait.
     *
     * @return false at the limit
     */
    boolean hasRoom() {
        return pendingCount < pendingMax;
    }

    /**
     * Number of produce requests that wait.
     *
     * @return 0 or more
     */
    int pendingCount() {
        return pendingCount;
    }

    /**
     * Answers what the high watermarks passed.
     *
     * @param advanced partitions whose high watermark moved; emptied, unless the lease is not valid
     * @param nowNs time of this batch
     */
    void onBatchEnd(List<LanePartition> advanced, long nowNs) {
        if (advanced.isEmpty()) {
            return;
        }
        if (pendingCount > 0 && !leaseValid.getAsBoolean()) {
            leaseRetryNs = nowNs + LEASE_RETRY_NS;
            return;
        }
        leaseRetryNs = NO_DEADLINE;
        for (int i = 0; i < advanced.size(); i++) {
            LanePartition partition = advanced.get(i);
            partition.advancedQueued = false;
            complete(partition);
        }
        advanced.clear();
    }

    /**
     * Fails requests whose time is over, and looks at the lease again if it was not valid.
     *
     * @param advanced partitions whose high watermark moved
     * @param nowNs the time
     * @return number of things done
     */
    int onTime(List<LanePartition> advanced, long nowNs) {
        int work = 0;
        if (nowNs >= leaseRetryNs) {
            onBatchEnd(advanced, nowNs);
            work++;
        }
        if (nowNs >= deadlineNs) {
            expire(nowNs);
            work++;
        }
        return work;
    }

    /**
     * When {@link #onTime} has something to do next.
     *
     * @return the time, or an earlier one; {@link Long#MAX_VALUE} if nothing waits
     */
    long deadlineNs() {
        return Math.min(deadlineNs, leaseRetryNs);
    }

    /**
     * Fails everything that waits.
     *
     * @param code of the replies
     */
    void failAll(ErrorCode code) {
        for (int i = 0; i < withPending.size(); i++) {
            LanePartition partition = withPending.get(i);
            failPending(partition, code);
            partition.listedPending = false;
        }
        withPending.clear();
        deadlineNs = NO_DEADLINE;
    }

    /**
     * Answers an event's request with an error, if it is a request of this stage and was not answered.
     *
     * @param event to refuse
     * @param code of the error
     * @param message for the client, null for the code's own text
     */
    void refuse(ReplicationEvent event, ErrorCode code, @Nullable String message) {
        InboundConnection source = event.source;
        if (source == null || event.replied) {
            return;
        }
        event.replied = true;
        if (event.type == EventType.PRODUCE) {
            replyProduce(source, event.correlationId, code, -1, -1, message);
        } else if (event.type == EventType.OFFSETS) {
            replyOffsets(source, event, code);
        }
    }

    private void onProduce(ReplicationEvent event) {
        InboundConnection source = event.source;
        if (source == null) {
            return;
        }
        if (event.code != ErrorCode.NONE) {
            refuse(event, event.code, event.message);
            return;
        }
        event.replied = true;
        LanePartition partition = event.partition;
        if (event.acks == AppendStage.ACKS_NONE || partition == null) {
            return;
        }
        if (event.acks == AppendStage.ACKS_LEADER || isAcknowledged(event, partition)) {
            acknowledge(source, event.correlationId, event.baseOffset, event.nextOffset);
            return;
        }
        partition.pending.add(source, event.correlationId, event.baseOffset, event.nextOffset, event.deadlineNs);
        pendingCount++;
        source.onParked();
        deadlineNs = Math.min(deadlineNs, event.deadlineNs);
        if (!partition.listedPending) {
            partition.listedPending = true;
            withPending.add(partition);
        }
    }

    /** The batch is committed already and nothing before it waits; the lease was checked when it was appended. */
    private static boolean isAcknowledged(ReplicationEvent event, LanePartition partition) {
        return event.nextOffset <= partition.highWatermark
                && (partition.pending.size() == 0 || partition.pending.firstNextOffset() > event.nextOffset);
    }

    private void complete(LanePartition partition) {
        PendingReplies pending = partition.pending;
        while (pending.size() > 0 && pending.firstNextOffset() <= partition.highWatermark) {
            InboundConnection source = pending.source(0);
            long correlationId = pending.correlationId(0);
            long baseOffset = pending.baseOffset(0);
            long nextOffset = pending.nextOffset(0);
            pending.removeFirst();
            pendingCount--;
            source.onUnparked();
            acknowledge(source, correlationId, baseOffset, nextOffset);
        }
    }

    private void acknowledge(InboundConnection source, long correlationId, long baseOffset, long nextOffset) {
        LaneCounters.add(counters.acksSent(), 1);
        replyProduce(source, correlationId, ErrorCode.NONE, baseOffset, nextOffset, "");
    }

    private void failPending(LanePartition partition, ErrorCode code) {
        PendingReplies pending = partition.pending;
        while (pending.size() > 0) {
            InboundConnection source = pending.source(0);
            long correlationId = pending.correlationId(0);
            pending.removeFirst();
            pendingCount--;
            source.onUnparked();
            replyProduce(source, correlationId, code, -1, -1, null);
        }
    }

    private void expire(long nowNs) {
        deadlineNs = NO_DEADLINE;
        int kept = 0;
        for (int i = 0; i < withPending.size(); i++) {
            LanePartition partition = withPending.get(i);
            PendingReplies pending = partition.pending;
            for (int place = 0; place < pending.size(); ) {
                if (nowNs >= pending.deadlineNs(place)) {
                    InboundConnection source = pending.source(place);
                    long correlationId = pending.correlationId(place);
                    pending.remove(place);
                    pendingCount--;
                    source.onUnparked();
                    replyProduce(source, correlationId, ErrorCode.REQUEST_TIMED_OUT, -1, -1, null);
                } else {
                    deadlineNs = Math.min(deadlineNs, pending.deadlineNs(place));
                    place++;
                }
            }
            if (pending.size() == 0) {
                partition.listedPending = false;
            } else {
                withPending.set(kept++, partition);
            }
        }
        withPending.subList(kept, withPending.size()).clear();
    }

    /** The last stage that may use the log: from here on it is its opener's. */
    private void onRelease(ReplicationEvent event) {
        LanePartition partition = event.partition;
        if (partition != null) {
            failPending(partition, ErrorCode.UNKNOWN_TOPIC);
            partition.log.giveUp();
        }
        if (event.released != null) {
            event.released.run();
        }
    }

    private void onOffsets(ReplicationEvent event) {
        InboundConnection source = event.source;
        if (source != null) {
            event.replied = true;
            replyOffsets(source, event, event.code);
        }
    }

    private void onReply(ReplicationEvent event) {
        InboundConnection target = connections.get(event.connectionId);
        byte[] bytes = event.bytes;
        if (target != null && bytes != null) {
            forwarded.wrap(bytes);
            target.onUnparked();
            target.send(forwarded, 0, bytes.length);
        }
    }

    private void replyOffsets(InboundConnection source, ReplicationEvent event, ErrorCode code) {
        boolean ok = code == ErrorCode.NONE;
        writer.offsetsReply()
                .correlationId(event.correlationId)
                .code(code.code())
                .logStartOffset(ok ? event.baseOffset : -1)
                .endOffset(ok ? event.nextOffset : -1)
                .leaderEpoch(event.leaderEpoch);
        source.send(writer.buffer(), 0, writer.length());
    }

    private void replyProduce(
            InboundConnection source,
            long correlationId,
            ErrorCode code,
            long baseOffset,
            long nextOffset,
            @Nullable String message) {
        writer.produceReply()
                .correlationId(correlationId)
                .code(code.code())
                .baseOffset(baseOffset)
                .nextOffset(nextOffset)
                .message(message == null ? code.text() : message);
        source.send(writer.buffer(), 0, writer.length());
    }
}

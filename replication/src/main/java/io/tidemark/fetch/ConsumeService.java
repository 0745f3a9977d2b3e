package io.tidemark.fetch;

import io.tidemark.log.LogSlice;
import io.tidemark.log.OffsetOutOfRangeException;
import io.tidemark.log.StorageException;
import io.tidemark.partition.PartitionLeader;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.sbe.ConsumeRequestDecoder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Serves the reads of clients below the high watermark, and parks those for which there is nothing yet until the high
 * watermark moves or their wait ends. Owned by the progress stage.
 *
 * <p>The high watermark is taken once, before the log is read, and is the limit of the read: no byte at or above it
 * leaves the broker. An offset between it and the log end is no error but "not yet".
 */
public final class ConsumeService {
    /** Longest time a read is parked, whatever the client asks for. */
    public static final int WAIT_MAX_MS = 60_000;

    /** Most bytes in one reply, whatever the client asks for; a first batch that is larger comes whole. */
    public static final int REPLY_BYTES_MAX = 8 * 1024 * 1024;

    private static final long NO_DEADLINE = Long.MAX_VALUE;
    private static final long MILLISECOND_NS = 1_000_000L;
    private static final int ANY_EPOCH = -1;

    private final PartitionMap<ServedPartition> partitions;
    private final PartitionFaults faults;
    private final int parkedMax;
    private final MessageWriter writer = new MessageWriter();
    private final LogSlice[] slices = {new LogSlice()};
    private final ArrayList<ServedPartition> withParked = new ArrayList<>();
    private final ArrayList<ServedPartition> moved = new ArrayList<>();
    private final ArrayDeque<ParkedConsume> pool = new ArrayDeque<>();
    private int parkedCount;
    private long deadlineNs = NO_DEADLINE;

    /**
     * Creates a service with nothing parked.
     *
     * @param partitions that this broker has; changed by the owner of the lane
     * @param faults is told of logs that failed
     * @param parkedMax most reads parked at once; one more is answered with BACK_PRESSURE
     */
    public ConsumeService(PartitionMap<ServedPartition> partitions, PartitionFaults faults, int parkedMax) {
        this.partitions = partitions;
        this.faults = faults;
        this.parkedMax = parkedMax;
    }

    /**
     * Takes a read: answers it at once, or parks it.
     *
     * @param requester who asked
     * @param request checked, not read yet
     * @param nowNs time of this batch
     */
    public void onRequest(Requester requester, ConsumeRequestDecoder request, long nowNs) {
        ParkedConsume consume = pool.isEmpty() ? new ParkedConsume() : pool.removeLast();
        int waitMs = Math.min(Math.max(0, request.maxWaitMs()), WAIT_MAX_MS);
        consume.requester = requester;
        consume.correlationId = request.correlationId();
        consume.leaderEpoch = request.leaderEpoch();
        consume.fetchOffset = request.fetchOffset();
        consume.maxBytes = Math.min(Math.max(1, request.maxBytes()), REPLY_BYTES_MAX);
        consume.deadlineNs = nowNs + waitMs * MILLISECOND_NS;
        ServedPartition partition = partitions.get(request.topicIdHigh(), request.topicIdLow(), request.partition());
        if (partition == null) {
            replyEmpty(consume, requester, null, ErrorCode.UNKNOWN_TOPIC);
            release(consume);
        } else if (answer(consume, requester, partition, waitMs == 0)) {
            release(consume);
        } else if (parkedCount >= parkedMax) {
            replyEmpty(consume, requester, partition, ErrorCode.BACK_PRESSURE);
            release(consume);
        } else {
            park(consume, requester, partition);
        }
    }

    /**
     * The high watermark of a partition moved; {@link #serve} will answer what waited for it.
     *
     * @param partition in which it moved
     */
    public void onHighWatermark(ServedPartition partition) {
        if (!partition.parked.isEmpty() && !partition.listedMoved) {
            partition.listedMoved = true;
            moved.add(partition);
        }
    }

    /**
     * The role or the epoch of a partition changed: what waits for it is judged anew at the end of the batch.
     *
     * @param partition that changed
     */
    public void onRoleChanged(ServedPartition partition) {
        onHighWatermark(partition);
    }

    /**
     * Answers what waited for the partitions that moved.
     *
     * @return number of replies sent
     */
    public int serve() {
        int replies = 0;
        for (int i = 0; i < moved.size(); i++) {
            ServedPartition partition = moved.get(i);
            partition.listedMoved = false;
            replies += answerParked(partition, Long.MIN_VALUE);
        }
        moved.clear();
        return replies;
    }

    /**
     * Answers reads whose wait has ended.
     *
     * @param nowNs time of this batch
     * @return number of replies sent
     */
    public int onTime(long nowNs) {
        if (nowNs < deadlineNs) {
            return 0;
        }
        int replies = 0;
        for (int i = 0; i < withParked.size(); i++) {
            replies += answerParked(withParked.get(i), nowNs);
        }
        deadlineNs = NO_DEADLINE;
        int kept = 0;
        for (int i = 0; i < withParked.size(); i++) {
            ServedPartition partition = withParked.get(i);
            if (partition.parked.isEmpty()) {
                partition.listedParked = false;
                continue;
            }
            withParked.set(kept++, partition);
            for (int k = 0; k < partition.parked.size(); k++) {
                deadlineNs = Math.min(deadlineNs, partition.parked.get(k).deadlineNs);
            }
        }
        withParked.subList(kept, withParked.size()).clear();
        return replies;
    }

    /**
     * When {@link #onTime} has something to do next, or earlier.
     *
     * @return the time, {@link Long#MAX_VALUE} if nothing is parked
     */
    public long deadlineNs() {
        return deadlineNs;
    }

    /**
     * Drops what a closed connection waits for.
     *
     * @param requester whose connection was closed
     */
    public void onClosed(Requester requester) {
        for (int i = 0; i < withParked.size(); i++) {
            ArrayList<ParkedConsume> parked = withParked.get(i).parked;
            int kept = 0;
            for (int k = 0; k < parked.size(); k++) {
                ParkedConsume consume = parked.get(k);
                if (consume.requester == requester) {
                    unpark(consume, requester);
                } else {
                    parked.set(kept++, consume);
                }
            }
            parked.subList(kept, parked.size()).clear();
        }
    }

    /**
     * Answers everything that is parked with an error, because the lane serves nobody any more.
     *
     * @param code of the error
     */
    public void failAll(ErrorCode code) {
        for (int i = 0; i < withParked.size(); i++) {
            ServedPartition partition = withParked.get(i);
            for (int k = 0; k < partition.parked.size(); k++) {
                ParkedConsume consume = partition.parked.get(k);
                Requester requester = consume.requester;
                if (requester != null) {
                    replyEmpty(consume, requester, null, code);
                    unpark(consume, requester);
                }
            }
            partition.parked.clear();
            partition.listedParked = false;
        }
        for (int i = 0; i < moved.size(); i++) {
            moved.get(i).listedMoved = false;
        }
        withParked.clear();
        moved.clear();
        deadlineNs = NO_DEADLINE;
    }

    /**
     * Answers a request with an error at once.
     *
     * @param requester who asked
     * @param correlationId of the request
     * @param code of the error
     */
    public void refuse(Requester requester, long correlationId, ErrorCode code) {
        ParkedConsume consume = new ParkedConsume();
        consume.correlationId = correlationId;
        replyEmpty(consume, requester, null, code);
    }

    /**
     * Number of reads that wait.
     *
     * @return 0 or more
     */
    public int parkedCount() {
        return parkedCount;
    }

    private void park(ParkedConsume consume, Requester requester, ServedPartition partition) {
        partition.parked.add(consume);
        parkedCount++;
        requester.onParked();
        deadlineNs = Math.min(deadlineNs, consume.deadlineNs);
        if (!partition.listedParked) {
            partition.listedParked = true;
            withParked.add(partition);
        }
    }

    private int answerParked(ServedPartition partition, long nowNs) {
        int kept = 0;
        ArrayList<ParkedConsume> parked = partition.parked;
        int size = parked.size();
        for (int i = 0; i < size; i++) {
            ParkedConsume consume = parked.get(i);
            Requester requester = consume.requester;
            if (requester == null || answer(consume, requester, partition, nowNs >= consume.deadlineNs)) {
                if (requester != null) {
                    unpark(consume, requester);
                }
            } else {
                parked.set(kept++, consume);
            }
        }
        parked.subList(kept, size).clear();
        return size - kept;
    }

    private void unpark(ParkedConsume consume, Requester requester) {
        parkedCount--;
        requester.onUnparked();
        release(consume);
    }

    private void release(ParkedConsume consume) {
        consume.requester = null;
        if (pool.size() < parkedMax) {
            pool.addLast(consume);
        }
    }

    /** Sends what can be said now; false if the read has to wait. */
    private boolean answer(ParkedConsume consume, Requester requester, ServedPartition partition, boolean waitIsOver) {
        PartitionLeader leader = partition.leader();
        ErrorCode code = checkEpoch(consume, partition, leader);
        if (code != ErrorCode.NONE || leader == null) {
            replyEmpty(consume, requester, partition, code);
            return true;
        }
        long highWatermark = leader.highWatermark();
        if (consume.fetchOffset < partition.log.logStartOffset()
                || consume.fetchOffset > partition.log.logEndOffset()) {
            replyEmpty(consume, requester, partition, ErrorCode.OFFSET_OUT_OF_RANGE);
            return true;
        }
        if (consume.fetchOffset < highWatermark) {
            return replyData(consume, requester, partition, highWatermark)
                    || replyIfOver(consume, requester, partition, waitIsOver);
        }
        return replyIfOver(consume, requester, partition, waitIsOver);
    }

    private boolean replyIfOver(
            ParkedConsume consume, Requester requester, ServedPartition partition, boolean waitIsOver) {
        if (waitIsOver) {
            replyEmpty(consume, requester, partition, ErrorCode.NONE);
        }
        return waitIsOver;
    }

    private static ErrorCode checkEpoch(
            ParkedConsume consume, ServedPartition partition, @Nullable PartitionLeader leader) {
        int epoch = consume.leaderEpoch;
        if (epoch != ANY_EPOCH && epoch > partition.leaderEpoch()) {
            return ErrorCode.UNKNOWN_EPOCH;
        }
        if (leader == null) {
            return ErrorCode.NOT_LEADER;
        }
        return epoch != ANY_EPOCH && epoch < partition.leaderEpoch() ? ErrorCode.STALE_EPOCH : ErrorCode.NONE;
    }

    private boolean replyData(
            ParkedConsume consume, Requester requester, ServedPartition partition, long highWatermark) {
        faults.onTouch(partition);
        LogSlice slice = slices[0];
        try {
            if (!partition.log.read(consume.fetchOffset, consume.maxBytes, highWatermark, slice)) {
                return false;
            }
        } catch (OffsetOutOfRangeException e) {
            replyEmpty(consume, requester, partition, ErrorCode.OFFSET_OUT_OF_RANGE);
            return true;
        } catch (StorageException e) {
            faults.onFault(partition, e);
            replyEmpty(consume, requester, partition, ErrorCode.STORAGE_ERROR);
            return true;
        }
        encode(consume, partition, ErrorCode.NONE);
        requester.connection().send(writer.buffer(), 0, writer.length(), slices, 1);
        requester.onSent();
        return true;
    }

    private void replyEmpty(
            ParkedConsume consume, Requester requester, @Nullable ServedPartition partition, ErrorCode code) {
        encode(consume, partition, code);
        requester.connection().send(writer.buffer(), 0, writer.length());
        requester.onSent();
    }

    private void encode(ParkedConsume consume, @Nullable ServedPartition partition, ErrorCode code) {
        PartitionLeader leader = partition == null ? null : partition.leader();
        writer.consumeReply()
                .correlationId(consume.correlationId)
                .code(code.code())
                .leaderEpoch(partition == null ? -1 : partition.leaderEpoch())
                .highWatermark(leader == null ? -1 : leader.endOffsetForClients())
                .logStartOffset(partition == null ? -1 : partition.log.logStartOffset())
                .message(code == ErrorCode.NONE ? "" : code.text());
    }
}

package io.tidemark.client;

import io.tidemark.log.InvalidBatchException;
import io.tidemark.log.RecordBatch;
import io.tidemark.transport.Frame;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.sbe.ConsumeReplyDecoder;
import io.tidemark.wire.sbe.OffsetsReplyDecoder;
import java.util.List;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Fetches for one consumer: one request per partition under way, and at most {@link #CHUNKS_MAX} answers that wait to
 * be consumed. Owned by the client's thread.
 */
final class Fetcher {
    /** Chunks per partition that are fetched ahead of the consumer. */
    static final int CHUNKS_MAX = 2;

    private static final long RETRY_PAUSE_NS = 20_000_000L;
    private static final long PARK_NS = 20_000_000L;
    private static final long FOREVER_NS = Deadlines.FOREVER_NS;

    private final ConsumerConfig config;
    private final ClientAgent.Context context;
    private final ChunkQueue chunks;
    private final MessageWriter writer = new MessageWriter();
    private final MessageReader reader = new MessageReader();
    private final RecordBatch batch = new RecordBatch();
    private List<AssignedPartition> partitions = List.of();
    private long nowNs;
    private long idleNs = FOREVER_NS;

    /**
     * A fetcher of nothing.
     *
     * @param config of the consumer
     * @param context of the client
     * @param chunks where answers go
     */
    Fetcher(ConsumerConfig config, ClientAgent.Context context, ChunkQueue chunks) {
        this.config = config;
        this.context = context;
        this.chunks = chunks;
    }

    /**
     * Fetches these partitions from now on.
     *
     * @param assigned immutable
     */
    void assign(List<AssignedPartition> assigned) {
        partitions = assigned;
    }

    /**
     * Sends the requests that are due.
     *
     * @param now in nanoseconds
     * @return count of requests sent
     */
    int tick(long now) {
        nowNs = now;
        idleNs = FOREVER_NS;
        int sent = 0;
        for (int i = 0; i < partitions.size(); i++) {
            final AssignedPartition partition = partitions.get(i);
            if (partition.wantsFetch(now, CHUNKS_MAX)) {
                if (fetch(partition)) {
                    sent++;
                } else {
                    idleNs = PARK_NS;
                }
            } else if (partition.isPausing(now)) {
                idleNs = PARK_NS;
            }
        }
        return sent;
    }

    /**
     * How long the client may sleep for all that this fetcher knows.
     *
     * @return nanoseconds
     */
    long idleNs() {
        return idleNs;
    }

    private boolean fetch(AssignedPartition partition) {
        final LeaderRoute route = partition.fetchRoute();
        final BrokerLink link =
                route.find(context.metadata().view(), context.links(), partition.topic(), partition.partition());
        final UUID topicId = route.topicId();
        if (context.metadata().isGone(partition.topic())) {
            context.metadata().refresh();
            stop(
                    partition,
                    new UnknownTopicException("the topic is not there any more: topic=" + partition.topic()
                            + ", partition=" + partition.partition() + ", position=" + partition.fetchOffset()));
            return false;
        }
        if (topicId != null && !partition.isSameTopic(topicId)) {
            stop(
                    partition,
                    new OffsetOutOfRangeException(
                            "the topic was deleted and created anew: topic=" + partition.topic() + ", partition="
                                    + partition.partition() + ", position=" + partition.fetchOffset()
                                    + "; seek to the beginning to read the new one",
                            partition.topic(),
                            partition.partition(),
                            -1,
                            -1));
            return false;
        }
        if (link == null || topicId == null || !link.readyOrConnect(nowNs)) {
            context.metadata().refresh();
            return false;
        }
        if (!link.isWritable()) {
            return false;
        }
        final long correlationId = link.nextCorrelationId();
        final boolean resolve = partition.fetchOffset() < 0;
        if (resolve) {
            writer.offsetsRequest()
                    .correlationId(correlationId)
                    .topicIdHigh(topicId.getMostSignificantBits())
                    .topicIdLow(topicId.getLeastSignificantBits())
                    .partition(partition.partition())
                    .leaderEpoch(route.leaderEpoch());
        } else {
            writer.consumeRequest()
                    .correlationId(correlationId)
                    .topicIdHigh(topicId.getMostSignificantBits())
                    .topicIdLow(topicId.getLeastSignificantBits())
                    .partition(partition.partition())
                    .leaderEpoch(route.leaderEpoch())
                    .fetchOffset(partition.fetchOffset())
                    .maxBytes(config.fetchMaxBytes())
                    .maxWaitMs((int) config.fetchMaxWait().toMillis());
        }
        final long waitNs = context.requestTimeoutNs() + Deadlines.durationNs(config.fetchMaxWait());
        link.request(
                correlationId,
                writer,
                Deadlines.after(nowNs, waitNs),
                new Request(partition, partition.fetchGeneration(), resolve));
        partition.fetchBegun();
        return true;
    }

    private void onOffsets(AssignedPartition partition, Frame frame) {
        final OffsetsReplyDecoder reply =
                reader.offsetsReply(frame.buffer(), frame.headerIndex(), frame.headerLength());
        final ErrorCode code = ErrorCode.of(reply.code());
        if (code == ErrorCode.NONE) {
            partition.fetchResolved(
                    partition.fetchOffset() == AssignedPartition.END ? reply.endOffset() : reply.logStartOffset());
            chunks.signal();
        } else {
            onError(partition, code, code.text());
        }
    }

    private void onRecords(AssignedPartition partition, Frame frame) {
        final ConsumeReplyDecoder reply =
                reader.consumeReply(frame.buffer(), frame.headerIndex(), frame.headerLength());
        final ErrorCode code = ErrorCode.of(reply.code());
        if (code == ErrorCode.OFFSET_OUT_OF_RANGE) {
            stop(partition, outOfRange(partition, reply.logStartOffset(), reply.highWatermark()));
        } else if (code != ErrorCode.NONE) {
            onError(partition, code, reply.message());
        } else if (frame.payloadLength() > 0) {
            take(partition, frame);
        } else {
            partition.fetchedTo(partition.fetchOffset());
        }
    }

    private void take(AssignedPartition partition, Frame frame) {
        final long next;
        try {
            next = nextOffset(frame);
        } catch (InvalidBatchException e) {
            onError(partition, ErrorCode.CORRUPT_BATCH, String.valueOf(e.getMessage()));
            return;
        }
        if (next <= partition.fetchOffset()) {
            // All of it is before what we want: the broker may send only batches that reach beyond.
            onError(partition, ErrorCode.CORRUPT_BATCH, "batches end at offset " + next);
            return;
        }
        final UnsafeBuffer copy = chunks.buffer(frame.payloadLength());
        frame.buffer().getBytes(frame.payloadIndex(), copy, 0, frame.payloadLength());
        partition.fetchedTo(next);
        partition.chunks().incrementAndGet();
        chunks.add(new FetchedChunk(partition, partition.fetchGeneration(), copy, frame.payloadLength(), null));
    }

    private long nextOffset(Frame frame) {
        int at = frame.payloadIndex();
        final int limit = at + frame.payloadLength();
        long next = -1;
        while (at < limit) {
            batch.wrap(frame.buffer(), at, limit - at);
            next = batch.nextOffset();
            at += batch.sizeInBytes();
        }
        return next;
    }

    private static OffsetOutOfRangeException outOfRange(
            AssignedPartition partition, long logStartOffset, long endOffset) {
        return new OffsetOutOfRangeException(
                "position outside the log: topic=" + partition.topic() + ", partition=" + partition.partition()
                        + ", position=" + partition.fetchOffset() + ", logStartOffset=" + logStartOffset
                        + ", endOffset=" + endOffset + "; seek into that range to go on",
                partition.topic(),
                partition.partition(),
                logStartOffset,
                endOffset);
    }

    private void onError(AssignedPartition partition, ErrorCode code, String text) {
        if (code.retriable()) {
            context.metadata().refresh();
            partition.fetchLater(Deadlines.after(nowNs, RETRY_PAUSE_NS));
        } else {
            stop(
                    partition,
                    new TidemarkException(
                            code,
                            "cannot read: topic=" + partition.topic() + ", partition=" + partition.partition()
                                    + ", position="
                                    + partition.fetchOffset() + ", code=" + code + ", text="
                                    + (text.isEmpty() ? code.text() : text),
                            null));
        }
    }

    private void stop(AssignedPartition partition, TidemarkException failure) {
        partition.fetchStop();
        partition.chunks().incrementAndGet();
        chunks.add(new FetchedChunk(partition, partition.fetchGeneration(), chunks.buffer(0), 0, failure));
    }

    /** A request that waits for its reply. */
    private final class Request implements ReplyHandler {
        private final AssignedPartition partition;
        private final int generation;
        private final boolean resolve;

        Request(AssignedPartition partition, int generation, boolean resolve) {
            this.partition = partition;
            this.generation = generation;
            this.resolve = resolve;
        }

        @Override
        public void onReply(Frame frame) {
            if (!partition.fetchEnded(generation)) {
                return;
            }
            if (resolve) {
                onOffsets(partition, frame);
            } else {
                onRecords(partition, frame);
            }
        }

        @Override
        public void onLost(String why) {
            if (partition.fetchEnded(generation)) {
                onError(partition, ErrorCode.REQUEST_TIMED_OUT, why);
            }
        }
    }
}

package io.tidemark.client;

import io.tidemark.log.InvalidBatchException;
import io.tidemark.log.RecordBatch;
import io.tidemark.log.RecordCursor;
import io.tidemark.wire.ErrorCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/** The application's side of a consumer. One thread at a time, but for {@link #close()}. */
final class ClientConsumer implements Consumer {
    private static final int CHUNKS_PER_POLL_MAX = 64;

    private final ClientAgent agent;
    private final NanoClock clock;
    private final long requestTimeoutNs;
    private final ChunkQueue chunks = new ChunkQueue();
    private final Fetcher fetcher;
    private final RecordBatch batch = new RecordBatch();
    private final CurrentRecord view = new CurrentRecord();
    private List<AssignedPartition> assigned = List.of();
    private volatile boolean closed;

    /**
     * A consumer; its fetcher is to be driven by the agent.
     *
     * @param config of it
     * @param context of the client
     */
    ClientConsumer(ConsumerConfig config, ClientAgent.Context context) {
        this.agent = context.agent();
        this.clock = context.clock();
        this.requestTimeoutNs = context.requestTimeoutNs();
        this.fetcher = new Fetcher(config, context, chunks);
    }

    /**
     * The client's side of this consumer.
     *
     * @return owned by the client's thread
     */
    Fetcher fetcher() {
        return fetcher;
    }

    @Override
    public void assign(String topic, int... partitions) {
        chunks.checkOpen();
        final int count = agent.awaitTopic(topic, requestTimeoutNs).partitions().size();
        final TreeSet<Integer> wanted = new TreeSet<>();
        for (int partition : partitions) {
            if (partition < 0 || partition >= count) {
                throw new IllegalArgumentException(
                        "no such partition: topic=" + topic + ", partition=" + partition + ", partitionCount=" + count);
            }
            wanted.add(partition);
        }
        for (int partition = 0; partition < count && partitions.length == 0; partition++) {
            wanted.add(partition);
        }
        final List<AssignedPartition> next = new ArrayList<>();
        for (int partition : wanted) {
            final AssignedPartition known = find(topic, partition);
            next.add(known != null ? known : new AssignedPartition(topic, partition));
        }
        final List<AssignedPartition> replacement = List.copyOf(next);
        assigned = replacement;
        agent.execute(() -> fetcher.assign(replacement));
    }

    private @Nullable AssignedPartition find(String topic, int partition) {
        for (AssignedPartition candidate : assigned) {
            if (candidate.partition() == partition && candidate.topic().equals(topic)) {
                return candidate;
            }
        }
        return null;
    }

    private AssignedPartition get(String topic, int partition) {
        final AssignedPartition known = find(topic, partition);
        if (known == null) {
            throw new IllegalStateException(
                    "partition not assigned: topic=" + topic + ", partition=" + partition + "; assign it first");
        }
        return known;
    }

    @Override
    public void seek(String topic, int partition, long offset) {
        if (offset < 0) {
            throw new IllegalArgumentException(
                    "negative offset: topic=" + topic + ", partition=" + partition + ", offset=" + offset);
        }
        seek(get(topic, partition), offset);
    }

    private void seek(AssignedPartition partition, long offset) {
        chunks.checkOpen();
        final int generation = partition.seek(offset);
        agent.execute(() -> partition.fetchFrom(generation, offset));
    }

    @Override
    public void seekToBeginning() {
        assigned.forEach(partition -> seek(partition, AssignedPartition.BEGINNING));
    }

    @Override
    public void seekToEnd() {
        assigned.forEach(partition -> seek(partition, AssignedPartition.END));
        final long deadlineNs = Deadlines.after(clock.nanoTime(), requestTimeoutNs);
        assigned.forEach(partition -> resolve(partition, deadlineNs));
    }

    @Override
    public long position(String topic, int partition) {
        return resolve(get(topic, partition), Deadlines.after(clock.nanoTime(), requestTimeoutNs));
    }

    private long resolve(AssignedPartition partition, long deadlineNs) {
        while (true) {
            chunks.checkOpen();
            final long seen = chunks.signals();
            final long position = partition.position();
            if (position >= 0) {
                return position;
            }
            if (!chunks.await(seen, clock, deadlineNs)) {
                throw new TidemarkException(
                        ErrorCode.REQUEST_TIMED_OUT,
                        "the start of a partition is not known in time: topic=" + partition.topic() + ", partition="
                                + partition.partition() + "; check that its leader is running",
                        null);
            }
        }
    }

    @Override
    public List<ConsumedRecord> poll(Duration timeout) {
        final List<ConsumedRecord> records = new ArrayList<>();
        poll(
                timeout,
                record -> records.add(new ConsumedRecord(
                        new RecordPosition(record.topic(), record.partition(), record.offset()),
                        record.timestamp(),
                        record.key(),
                        record.value())));
        return records;
    }

    @Override
    public int poll(Duration timeout, RecordHandler handler) {
        final long deadlineNs = Deadlines.after(clock.nanoTime(), Deadlines.durationNs(timeout));
        while (true) {
            chunks.checkOpen();
            final long seen = chunks.signals();
            final int count = drain(handler);
            if (count > 0 || !chunks.await(seen, clock, deadlineNs)) {
                return count;
            }
        }
    }

    private int drain(RecordHandler handler) {
        int count = 0;
        for (int i = 0; i < CHUNKS_PER_POLL_MAX; i++) {
            final FetchedChunk chunk = chunks.peek();
            if (chunk == null) {
                break;
            }
            final boolean current =
                    chunk.generation() == chunk.source().generation() && assigned.contains(chunk.source());
            if (current && chunk.failure() != null) {
                if (count > 0) {
                    // First what was handed over, the failure by the next poll.
                    break;
                }
                remove(chunk);
                throw chunk.failure();
            }
            if (current) {
                count += handOver(chunk, handler);
            }
            remove(chunk);
        }
        return count;
    }

    private void remove(FetchedChunk chunk) {
        final boolean wasFull = chunk.source().chunks().get() >= Fetcher.CHUNKS_MAX;
        chunks.remove(chunk);
        if (wasFull) {
            agent.wakeUp();
        }
    }

    private int handOver(FetchedChunk chunk, RecordHandler handler) {
        final AssignedPartition source = chunk.source();
        int count = 0;
        int at = 0;
        try {
            while (at < chunk.length()) {
                batch.wrap(chunk.buffer(), at, chunk.length() - at);
                at += batch.sizeInBytes();
                if (batch.nextOffset() <= source.position()) {
                    continue;
                }
                batch.ensureValid();
                count += batch.isControl() ? 0 : handOverRecords(source, handler);
                source.advance(batch.nextOffset());
            }
        } catch (InvalidBatchException e) {
            // Dropped and fetched again: maybe another replica, or another try, brings good bytes.
            remove(chunk);
            seek(source, source.position());
            throw new TidemarkException(
                    ErrorCode.CORRUPT_BATCH,
                    "damaged batch received: topic=" + source.topic() + ", partition=" + source.partition()
                            + ", position=" + source.position() + ", cause=" + e.getMessage(),
                    e);
        }
        return count;
    }

    private int handOverRecords(AssignedPartition source, RecordHandler handler) {
        final RecordCursor cursor = batch.records();
        int count = 0;
        while (cursor.next()) {
            if (cursor.offset() >= source.position()) {
                handler.onRecord(view.at(source, cursor));
                source.advance(cursor.offset() + 1);
                count++;
            }
        }
        return count;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            agent.remove(this);
        }
    }

    /**
     * Ends it. The client's thread.
     *
     * @param why what later calls hear
     */
    void end(TidemarkException why) {
        fetcher.assign(List.of());
        chunks.end(why);
    }

    /** The record under the cursor. */
    private static final class CurrentRecord implements RecordView {
        private AssignedPartition source = new AssignedPartition("", 0);
        private @Nullable RecordCursor cursor;

        CurrentRecord at(AssignedPartition partition, RecordCursor record) {
            source = partition;
            cursor = record;
            return this;
        }

        private RecordCursor cursor() {
            final RecordCursor current = cursor;
            if (current == null) {
                throw new IllegalStateException("no record is being handed over");
            }
            return current;
        }

        @Override
        public String topic() {
            return source.topic();
        }

        @Override
        public int partition() {
            return source.partition();
        }

        @Override
        public long offset() {
            return cursor().offset();
        }

        @Override
        public long timestamp() {
            return cursor().timestamp();
        }

        @Override
        public DirectBuffer buffer() {
            return cursor().buffer();
        }

        @Override
        public int keyIndex() {
            return cursor().keyOffset();
        }

        @Override
        public int keyLength() {
            return cursor().keyLength();
        }

        @Override
        public int valueIndex() {
            return cursor().valueOffset();
        }

        @Override
        public int valueLength() {
            return cursor().valueLength();
        }
    }
}

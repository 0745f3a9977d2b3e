package io.tidemark.client;

import io.tidemark.log.RecordBatch;
import io.tidemark.log.RecordCursor;
import io.tidemark.partition.ProducerTable;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;

/** One partition of a {@link FakeCluster}: a log in memory whose end is its high watermark. */
final class FakePartition {
    /** A stored batch. */
    record Stored(long baseOffset, long nextOffset, UnsafeBuffer bytes) {}

    final UUID topicId;
    final int partition;
    final ProducerTable producers = new ProducerTable();
    final List<Stored> batches = new ArrayList<>();
    final List<String> values = new ArrayList<>();
    int leader;
    int leaderEpoch = 1;
    long logStart;
    long end;
    long largestProducerEpoch = -1;

    FakePartition(UUID topicId, int partition, int leader) {
        this.topicId = topicId;
        this.partition = partition;
        this.leader = leader;
    }

    ProducerTable.Check check(RecordBatch batch) {
        return batch.producerId() < 0
                ? ProducerTable.Check.APPEND
                : producers.check(batch.producerId(), batch.producerEpoch(), batch.baseSequence(), batch.recordCount());
    }

    long append(RecordBatch batch) {
        final long base = end;
        final byte[] bytes = new byte[batch.sizeInBytes()];
        batch.buffer().getBytes(batch.index(), bytes);
        final UnsafeBuffer stored = new UnsafeBuffer(bytes);
        stored.putLong(0, base, ByteOrder.BIG_ENDIAN);
        end += batch.recordCount();
        batches.add(new Stored(base, end, stored));
        if (batch.producerId() >= 0) {
            producers.onBatch(
                    batch.producerId(), batch.producerEpoch(), batch.baseSequence(), batch.recordCount(), base, end);
            largestProducerEpoch = Math.max(largestProducerEpoch, batch.producerEpoch());
        }
        final RecordCursor records = batch.records();
        while (records.next()) {
            values.add(new String(records.value(), StandardCharsets.UTF_8));
        }
        return base;
    }

    /** Copies whole batches from an offset on, at least one if there is one. */
    int copyFrom(long offset, int maxBytes, UnsafeBuffer into) {
        int length = 0;
        for (Stored batch : batches) {
            if (batch.nextOffset > offset) {
                if (length > 0 && length + batch.bytes.capacity() > maxBytes) {
                    break;
                }
                into.putBytes(length, batch.bytes, 0, batch.bytes.capacity());
                length += batch.bytes.capacity();
            }
        }
        return length;
    }
}

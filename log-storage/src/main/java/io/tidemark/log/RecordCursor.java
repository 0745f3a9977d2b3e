package io.tidemark.log;

import io.tidemark.log.format.BatchDefect;
import io.tidemark.log.format.RecordDescriptor;
import io.tidemark.log.format.Varint;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Walks the records of one batch without garbage: in place, or, when they are compressed, in memory of the
 * {@link RecordBatch}. Every length is checked before it is used: bytes that are no records end in an
 * {@link InvalidBatchException}, never in a read beyond the batch. Not thread-safe; valid as long as the batch under it
 * is.
 */
public final class RecordCursor {
    private final HeaderCursor headers = new HeaderCursor();
    private DirectBuffer buffer = new UnsafeBuffer(new byte[0]);
    private long baseOffset;
    private int lastDelta;
    private long baseTimestamp;
    private boolean isAppendTime;
    private int recordCount;
    private int limit;
    private int next;
    private int number;
    private int delta;
    private long timestamp;
    private int keyOffset;
    private int keyLength;
    private int valueOffset;
    private int valueLength;
    private int headersOffset;
    private int headersCount;

    /** A cursor over nothing. */
    RecordCursor() {}

    /**
     * Goes before the first record of a batch.
     *
     * @param batch with a checked header
     * @param records that holds the uncompressed records
     * @param from where the first one begins
     * @param to first index after the last one
     * @return this
     */
    RecordCursor wrap(RecordBatch batch, DirectBuffer records, int from, int to) {
        buffer = records;
        baseOffset = batch.baseOffset();
        lastDelta = (int) (batch.lastOffset() - baseOffset);
        isAppendTime = batch.timestampType() == TimestampType.APPEND_TIME;
        baseTimestamp = isAppendTime ? batch.maxTimestamp() : batch.baseTimestamp();
        recordCount = batch.recordCount();
        limit = to;
        next = from;
        number = -1;
        delta = -1;
        return this;
    }

    /**
     * Goes to the next record.
     *
     * @return false when there is none
     * @throws InvalidBatchException when the bytes are no record
     */
    public boolean next() {
        if (number + 1 >= recordCount) {
            return false;
        }
        number++;
        // Kafka's compaction leaves gaps in a batch, so deltas grow but need not count.
        final int deltaMax = lastDelta - (recordCount - 1 - number);
        final int end = RecordDescriptor.endOfRecord(buffer, next, limit, delta + 1, deltaMax);
        if (end < 0) {
            throw malformed(RecordDescriptor.defectOf(end));
        }
        // The whole record was checked; from here on the lengths can be believed.
        int at = next + Varint.lengthAt(buffer, next, limit, Varint.INT_BYTES_MAX) + 1;
        final int timestampBytes = Varint.lengthAt(buffer, at, limit, Varint.LONG_BYTES_MAX);
        timestamp = isAppendTime ? baseTimestamp : baseTimestamp + Varint.getLong(buffer, at, timestampBytes);
        at += timestampBytes;
        final int deltaBytes = Varint.lengthAt(buffer, at, limit, Varint.INT_BYTES_MAX);
        delta = Varint.getInt(buffer, at, deltaBytes);
        at += deltaBytes;
        final int keyBytes = Varint.lengthAt(buffer, at, limit, Varint.INT_BYTES_MAX);
        keyLength = Varint.getInt(buffer, at, keyBytes);
        keyOffset = at + keyBytes;
        at = keyOffset + Math.max(keyLength, 0);
        final int valueBytes = Varint.lengthAt(buffer, at, limit, Varint.INT_BYTES_MAX);
        valueLength = Varint.getInt(buffer, at, valueBytes);
        valueOffset = at + valueBytes;
        at = valueOffset + Math.max(valueLength, 0);
        final int countBytes = Varint.lengthAt(buffer, at, limit, Varint.INT_BYTES_MAX);
        headersCount = Varint.getInt(buffer, at, countBytes);
        headersOffset = at + countBytes;
        if (number + 1 == recordCount && end != limit) {
            throw malformed(BatchDefect.LEFT_IN_BATCH);
        }
        next = end;
        return true;
    }

    private InvalidBatchException malformed(BatchDefect defect) {
        return new InvalidBatchException("malformed record: " + defect.text() + ", baseOffset=" + baseOffset
                + ", record=" + number + ", index=" + next + ", limit=" + limit
                + "; the batch was built wrongly or is damaged");
    }

    /**
     * The buffer that the offsets below point into.
     *
     * @return the batch's buffer
     */
    public DirectBuffer buffer() {
        return buffer;
    }

    /**
     * The offset of the current record.
     *
     * @return an offset of the log
     */
    public long offset() {
        return baseOffset + delta;
    }

    /**
     * The timestamp of the current record.
     *
     * @return milliseconds since the epoch of Unix: as the producer gave it, or of the append of the whole batch
     */
    public long timestamp() {
        return timestamp;
    }

    /**
     * Where the key begins in the buffer.
     *
     * @return an index
     */
    public int keyOffset() {
        return keyOffset;
    }

    /**
     * The length of the key.
     *
     * @return bytes, -1 when the key is null
     */
    public int keyLength() {
        return keyLength;
    }

    /**
     * Where the value begins in the buffer.
     *
     * @return an index
     */
    public int valueOffset() {
        return valueOffset;
    }

    /**
     * The length of the value.
     *
     * @return bytes, -1 when the value is null
     */
    public int valueLength() {
        return valueLength;
    }

    /**
     * The number of headers.
     *
     * @return a count
     */
    public int headersCount() {
        return headersCount;
    }

    /**
     * A cursor before the first header of the current record. There is one per record cursor: asking again begins anew.
     *
     * @return the headers
     */
    public HeaderCursor headers() {
        return headers.wrap(buffer, headersOffset, headersCount);
    }

    /**
     * A copy of the key.
     *
     * @return new bytes; empty when the key is null, which {@link #keyLength()} tells apart
     */
    public byte[] key() {
        return copyOf(keyOffset, keyLength);
    }

    /**
     * A copy of the value.
     *
     * @return new bytes; empty when the value is null, which {@link #valueLength()} tells apart
     */
    public byte[] value() {
        return copyOf(valueOffset, valueLength);
    }

    private byte[] copyOf(int index, int length) {
        final byte[] bytes = new byte[Math.max(length, 0)];
        buffer.getBytes(index, bytes);
        return bytes;
    }
}

package io.tidemark.log;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.tidemark.log.codec.Compressor;
import io.tidemark.log.format.BatchChecksum;
import io.tidemark.log.format.BatchDescriptor;
import io.tidemark.log.format.RecordDescriptor;
import io.tidemark.log.format.Varint;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Builds one record batch at a time in off-heap memory: {@link #reset()}, {@link #append} while
 * {@link #hasRoomFor} says so, {@link #build}, hand {@link #buffer()} on. The memory is its own or was given, is used
 * again for the next batch, and is left to the garbage collector. Codec, transactional and control bit are settings
 * that stay from one batch to the next. Not thread-safe. No garbage per record; a codec makes some per batch.
 */
public final class BatchBuilder {
    /** Most records of one batch. */
    public static final int RECORDS_MAX = 1 << 20;

    private final UnsafeBuffer buffer;
    private final BatchChecksum checksum = new BatchChecksum();
    private final UnsafeBuffer keyView = new UnsafeBuffer();
    private final UnsafeBuffer valueView = new UnsafeBuffer();
    private @Nullable Compressor compressor;
    private int attributes;
    private boolean isBuilt;
    private int recordCount;
    private int length;
    private int keyIndex;
    private int keyLength;
    private int valueIndex;
    private int valueLength;
    private long baseTimestamp;
    private long maxTimestamp;

    /**
     * A builder with memory of its own.
     *
     * @param capacityBytes greatest size of a batch, header included
     * @throws IllegalArgumentException when it is smaller than a batch header
     */
    public BatchBuilder(int capacityBytes) {
        this(ByteBuffer.allocateDirect(Math.max(capacityBytes, 0)));
    }

    /**
     * A builder in given memory, from its first byte to its capacity.
     *
     * @param memory a direct byte buffer that nobody else uses meanwhile
     * @throws IllegalArgumentException when it is smaller than a batch header or not direct
     */
    public BatchBuilder(ByteBuffer memory) {
        JvmFlags.require();
        if (memory.capacity() < BatchDescriptor.HEADER_LENGTH || !memory.isDirect()) {
            throw new IllegalArgumentException("memory for batches must be direct and take a header: capacityBytes="
                    + memory.capacity() + ", direct=" + memory.isDirect() + ", least="
                    + BatchDescriptor.HEADER_LENGTH);
        }
        final ByteBuffer whole = memory.duplicate();
        whole.clear();
        buffer = new UnsafeBuffer(whole);
        reset();
    }

    /**
     * Compresses the records of each batch when it is built. A batch that would not become smaller stays as it is and
     * says so in its header. Needs memory of about twice the largest batch beside the builder's.
     *
     * @param compression the codec; {@link Compression#NONE}, the default, for none
     * @return this
     * @throws MissingCodecException when the codec's library is not there
     */
    public BatchBuilder compression(Compression compression) {
        compressor = compression == Compression.NONE ? null : new Compressor(compression);
        return this;
    }

    /**
     * Says that the records are part of a transaction of their producer.
     *
     * @param isTransactional the bit, false by default
     * @return this
     */
    public BatchBuilder transactional(boolean isTransactional) {
        return attribute(BatchDescriptor.TRANSACTIONAL_MASK, isTransactional);
    }

    /**
     * Says that the records are marks of the system and not of users.
     *
     * @param isControl the bit, false by default
     * @return this
     */
    public BatchBuilder control(boolean isControl) {
        return attribute(BatchDescriptor.CONTROL_MASK, isControl);
    }

    private BatchBuilder attribute(int mask, boolean isSet) {
        attributes = isSet ? attributes | mask : attributes & ~mask;
        return this;
    }

    /** Begins an empty batch. */
    public void reset() {
        isBuilt = false;
        recordCount = 0;
        length = BatchDescriptor.HEADER_LENGTH;
        baseTimestamp = -1;
        maxTimestamp = -1;
    }

    /**
     * The bytes that a record without headers takes at most.
     *
     * @param keyLength bytes of the key, -1 or 0 when there is none
     * @param valueLength bytes of the value, -1 or 0 when there is none
     * @return an upper bound without the batch's header; headers take {@link RecordHeaders#sizeInBytes()} more
     */
    public static long sizeBound(int keyLength, int valueLength) {
        return (long) RecordDescriptor.OVERHEAD_MAX + Math.max(keyLength, 0) + Math.max(valueLength, 0);
    }

    /**
     * Whether one more record without headers surely fits.
     *
     * @param keyLength bytes of the key, -1 or 0 when there is none
     * @param valueLength bytes of the value, -1 or 0 when there is none
     * @return false when {@link #append} could throw
     */
    public boolean hasRoomFor(int keyLength, int valueLength) {
        return hasRoomFor(keyLength, valueLength, 0);
    }

    /**
     * Whether one more record surely fits.
     *
     * @param keyLength bytes of the key, -1 or 0 when there is none
     * @param valueLength bytes of the value, -1 or 0 when there is none
     * @param headersBytes size of the headers as {@link RecordHeaders#sizeInBytes()} states it
     * @return false when {@link #append} could throw
     */
    public boolean hasRoomFor(int keyLength, int valueLength, int headersBytes) {
        return recordCount < RECORDS_MAX
                && sizeBound(keyLength, valueLength) + headersBytes <= buffer.capacity() - length;
    }

    /**
     * Adds a record without headers.
     *
     * @param timestamp milliseconds since the epoch of Unix, -1 for none
     * @param key bytes, or null
     * @param value bytes, or null: a tombstone
     * @throws IllegalStateException when the record does not surely fit, see {@link #hasRoomFor}, or the batch is built
     */
    public void append(long timestamp, byte @Nullable [] key, byte @Nullable [] value) {
        append(timestamp, key, value, null);
    }

    /**
     * Adds a record.
     *
     * @param timestamp milliseconds since the epoch of Unix, -1 for none
     * @param key bytes, or null
     * @param value bytes, or null: a tombstone
     * @param headers copied, or null for none
     * @throws IllegalStateException when the record does not surely fit, see {@link #hasRoomFor}, or the batch is built
     */
    public void append(
            long timestamp, byte @Nullable [] key, byte @Nullable [] value, @Nullable RecordHeaders headers) {
        if (key != null) {
            keyView.wrap(key);
        }
        if (value != null) {
            valueView.wrap(value);
        }
        keyAt(0, key == null ? -1 : key.length);
        valueAt(0, value == null ? -1 : value.length);
        appendRecord(timestamp, headers);
    }

    /**
     * Adds a record with a value and neither key nor headers.
     *
     * @param timestamp milliseconds since the epoch of Unix, -1 for none
     * @param value that holds the bytes
     * @param valueIndex of the first byte
     * @param valueLength number of bytes
     * @throws IllegalStateException when the record does not surely fit, see {@link #hasRoomFor}, or the batch is built
     */
    public void append(long timestamp, DirectBuffer value, int valueIndex, int valueLength) {
        valueView.wrap(value, valueIndex, valueLength);
        keyAt(0, -1);
        valueAt(0, valueLength);
        appendRecord(timestamp, null);
    }

    /**
     * Adds a record whose key and value stand in one buffer, without headers.
     *
     * @param timestamp milliseconds since the epoch of Unix, -1 for none
     * @param source that holds the bytes
     * @param keyIndex of the first byte of the key
     * @param keyLength number of bytes of the key, -1 when it is null
     * @param valueIndex of the first byte of the value
     * @param valueLength number of bytes of the value, -1 when it is null
     * @throws IllegalStateException when the record does not surely fit, see {@link #hasRoomFor}, or the batch is built
     */
    public void append(
            long timestamp, DirectBuffer source, int keyIndex, int keyLength, int valueIndex, int valueLength) {
        keyView.wrap(source);
        valueView.wrap(source);
        keyAt(keyIndex, keyLength);
        valueAt(valueIndex, valueLength);
        appendRecord(timestamp, null);
    }

    private void keyAt(int index, int bytes) {
        keyIndex = index;
        keyLength = bytes;
    }

    private void valueAt(int index, int bytes) {
        valueIndex = index;
        valueLength = bytes;
    }

    private void appendRecord(long timestamp, @Nullable RecordHeaders headers) {
        final int headersBytes = headers == null ? 0 : headers.sizeInBytes();
        final int headersCount = headers == null ? 0 : headers.count();
        if (isBuilt) {
            throw new IllegalStateException("the batch was built: recordCount=" + recordCount
                    + "; reset the builder before the first record of the next batch");
        }
        if (timestamp < BatchDescriptor.NO_TIMESTAMP) {
            throw new IllegalArgumentException("timestamp is below -1: timestamp=" + timestamp
                    + "; give milliseconds since the epoch of Unix, or -1 for none");
        }
        if (!hasRoomFor(keyLength, valueLength, headersBytes)) {
            throw new IllegalStateException("record does not fit into the batch: recordCount=" + recordCount
                    + ", usedBytes=" + length + ", capacityBytes=" + buffer.capacity() + ", keyLength=" + keyLength
                    + ", valueLength=" + valueLength + ", headersBytes=" + headersBytes
                    + "; build this batch and begin another");
        }
        if (recordCount == 0) {
            baseTimestamp = timestamp;
            maxTimestamp = timestamp;
        }
        final long timestampDelta = timestamp - baseTimestamp;
        final int body = 1
                + Varint.sizeOf(timestampDelta)
                + Varint.sizeOf(recordCount)
                + Varint.sizeOf(keyLength)
                + Math.max(keyLength, 0)
                + Varint.sizeOf(valueLength)
                + Math.max(valueLength, 0)
                + Varint.sizeOf(headersCount)
                + headersBytes;
        int at = Varint.putInt(buffer, length, body);
        buffer.putByte(at++, (byte) 0);
        at = Varint.putLong(buffer, at, timestampDelta);
        at = Varint.putInt(buffer, at, recordCount);
        at = putField(at, keyView, keyIndex, keyLength);
        at = putField(at, valueView, valueIndex, valueLength);
        at = Varint.putInt(buffer, at, headersCount);
        if (headers != null) {
            buffer.putBytes(at, headers.buffer(), 0, headersBytes);
        }
        length = at + headersBytes;
        recordCount++;
        maxTimestamp = Math.max(maxTimestamp, timestamp);
    }

    private int putField(int at, DirectBuffer source, int index, int fieldLength) {
        final int start = Varint.putInt(buffer, at, fieldLength);
        if (fieldLength <= 0) {
            return start;
        }
        buffer.putBytes(start, source, index, fieldLength);
        return start + fieldLength;
    }

    /**
     * The number of records so far.
     *
     * @return a count
     */
    public int recordCount() {
        return recordCount;
    }

    /**
     * Completes the batch: its offset is 0 and its epoch {@link Log#NO_EPOCH} until a log assigns both. Its records are
     * compressed if a codec is set. A batch that was built is not appended to; asking again only stamps it anew.
     *
     * @param producerId id of the idempotent producer, -1 when there is none
     * @param producerEpoch its epoch, -1 when there is none
     * @param baseSequence sequence number of the first record, -1 when there is none
     * @return the length of the batch in bytes
     * @throws IllegalStateException when the batch has no record
     */
    public int build(long producerId, short producerEpoch, int baseSequence) {
        if (recordCount == 0) {
            throw new IllegalStateException("a batch without records cannot be built; append at least one record");
        }
        if (!isBuilt) {
            final int codec = compressRecords();
            isBuilt = true;
            buffer.putShort(BatchDescriptor.ATTRIBUTES, (short) (attributes | codec), BIG_ENDIAN);
        }
        buffer.putLong(BatchDescriptor.BASE_OFFSET, 0, BIG_ENDIAN);
        buffer.putInt(BatchDescriptor.LENGTH, length - BatchDescriptor.LENGTH_OVERHEAD, BIG_ENDIAN);
        buffer.putInt(BatchDescriptor.LEADER_EPOCH, Log.NO_EPOCH, BIG_ENDIAN);
        buffer.putByte(BatchDescriptor.MAGIC, BatchDescriptor.MAGIC_VALUE);
        buffer.putInt(BatchDescriptor.LAST_OFFSET_DELTA, recordCount - 1, BIG_ENDIAN);
        buffer.putLong(BatchDescriptor.BASE_TIMESTAMP, baseTimestamp, BIG_ENDIAN);
        buffer.putLong(BatchDescriptor.MAX_TIMESTAMP, maxTimestamp, BIG_ENDIAN);
        buffer.putInt(BatchDescriptor.RECORD_COUNT, recordCount, BIG_ENDIAN);
        restamp(producerId, producerEpoch, baseSequence);
        return length;
    }

    private int compressRecords() {
        final Compressor compress = compressor;
        if (compress == null) {
            return Compression.NONE.id();
        }
        final int plain = length - BatchDescriptor.HEADER_LENGTH;
        final int packed = compress.compress(buffer, BatchDescriptor.HEADER_LENGTH, plain);
        length = BatchDescriptor.HEADER_LENGTH + packed;
        return packed < plain ? compress.compression().id() : Compression.NONE.id();
    }

    /**
     * Gives the built batch another producer state and a new checksum: for sending it again after the producer's epoch
     * was raised. Offset and records stay.
     *
     * @param producerId id of the idempotent producer, -1 when there is none
     * @param producerEpoch its epoch, -1 when there is none
     * @param baseSequence sequence number of the first record, -1 when there is none
     */
    public void restamp(long producerId, short producerEpoch, int baseSequence) {
        buffer.putLong(BatchDescriptor.PRODUCER_ID, producerId, BIG_ENDIAN);
        buffer.putShort(BatchDescriptor.PRODUCER_EPOCH, producerEpoch, BIG_ENDIAN);
        buffer.putInt(BatchDescriptor.BASE_SEQUENCE, baseSequence, BIG_ENDIAN);
        final int from = BatchDescriptor.ATTRIBUTES;
        buffer.putInt(BatchDescriptor.CRC, checksum.sum(buffer, from, length - from), BIG_ENDIAN);
    }

    /**
     * The buffer that holds the batch, from index 0 on. It is overwritten by the next batch.
     *
     * @return the builder's memory
     */
    public DirectBuffer buffer() {
        return buffer;
    }

    /**
     * The size of the batch so far.
     *
     * @return bytes, header included
     */
    public int length() {
        return length;
    }
}

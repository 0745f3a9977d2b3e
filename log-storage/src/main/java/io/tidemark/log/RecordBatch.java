package io.tidemark.log;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.tidemark.log.codec.Decompressor;
import io.tidemark.log.format.BatchChecksum;
import io.tidemark.log.format.BatchDefect;
import io.tidemark.log.format.BatchDescriptor;
import io.tidemark.log.format.BatchValidator;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A view of one record batch in a buffer. Wrapping checks that the header is there and that the stated size fits the
 * bytes given, so that the accessors never read beyond them; {@link #ensureValid()} checks the rest. One object can be
 * wrapped again and again. Not thread-safe. It is valid as long as the bytes under it are.
 */
public final class RecordBatch {
    private static final int RETAINED_BYTES_MAX = 4 << 20;

    private final BatchChecksum checksum = new BatchChecksum();
    private final RecordCursor cursor = new RecordCursor();
    private DirectBuffer buffer = new UnsafeBuffer(new byte[0]);
    private int index;
    private int size;
    private @Nullable Decompressor decompressor;

    /** A view of nothing; wrap a buffer before any other call. */
    public RecordBatch() {}

    /**
     * Looks at the batch that begins at {@code index}; bytes after it are ignored.
     *
     * @param buffer that holds the batch
     * @param index where it begins
     * @param length number of bytes that may be looked at
     * @return this
     * @throws InvalidBatchException when the bytes do not begin with a batch header whose size fits into {@code length}
     */
    public RecordBatch wrap(DirectBuffer buffer, int index, int length) {
        if (index < 0 || length < 0 || length > buffer.capacity() - index) {
            throw new IndexOutOfBoundsException(
                    "index=" + index + ", length=" + length + ", capacity=" + buffer.capacity());
        }
        final BatchDefect defect = BatchValidator.checkHeader(buffer, index, length, Integer.MAX_VALUE);
        if (defect != BatchDefect.NONE) {
            throw new InvalidBatchException("no record batch: " + defect.text() + ", index=" + index + ", length="
                    + length + "; give whole batches");
        }
        this.buffer = buffer;
        this.index = index;
        this.size = (int) BatchDescriptor.sizeInBytes(buffer, index);
        return this;
    }

    /**
     * The buffer under this view.
     *
     * @return as given to {@link #wrap}
     */
    public DirectBuffer buffer() {
        return buffer;
    }

    /**
     * Where the batch begins in the buffer.
     *
     * @return as given to {@link #wrap}
     */
    public int index() {
        return index;
    }

    /**
     * The size of the whole batch.
     *
     * @return bytes, header included
     */
    public int sizeInBytes() {
        return size;
    }

    /**
     * The offset of the first record.
     *
     * @return an offset
     */
    public long baseOffset() {
        return BatchDescriptor.baseOffset(buffer, index);
    }

    /**
     * The offset of the last record.
     *
     * @return an offset, inclusive
     */
    public long lastOffset() {
        return BatchDescriptor.lastOffset(buffer, index);
    }

    /**
     * The offset after the last record.
     *
     * @return an offset
     */
    public long nextOffset() {
        return lastOffset() + 1;
    }

    /**
     * The epoch of the leader that appended the batch.
     *
     * @return an epoch; {@link Log#NO_EPOCH} before it was appended
     */
    public int leaderEpoch() {
        return BatchDescriptor.leaderEpoch(buffer, index);
    }

    /**
     * The number of records as the header states it.
     *
     * @return a count
     */
    public int recordCount() {
        return BatchDescriptor.recordCount(buffer, index);
    }

    /**
     * The id of the idempotent producer.
     *
     * @return an id, -1 when there is none
     */
    public long producerId() {
        return buffer.getLong(index + BatchDescriptor.PRODUCER_ID, BIG_ENDIAN);
    }

    /**
     * The epoch of the idempotent producer.
     *
     * @return an epoch, -1 when there is none
     */
    public short producerEpoch() {
        return buffer.getShort(index + BatchDescriptor.PRODUCER_EPOCH, BIG_ENDIAN);
    }

    /**
     * The sequence number of the first record.
     *
     * @return a number, -1 when there is none
     */
    public int baseSequence() {
        return buffer.getInt(index + BatchDescriptor.BASE_SEQUENCE, BIG_ENDIAN);
    }

    /**
     * The sequence number of the last record; after the greatest int follows 0.
     *
     * @return a number, -1 when there is none
     */
    public int lastSequence() {
        final int first = baseSequence();
        return first < 0
                ? -1
                : (first + buffer.getInt(index + BatchDescriptor.LAST_OFFSET_DELTA, BIG_ENDIAN)) & Integer.MAX_VALUE;
    }

    /**
     * The timestamp of the first record.
     *
     * @return milliseconds since the epoch of Unix, as the producer gave it
     */
    public long baseTimestamp() {
        return buffer.getLong(index + BatchDescriptor.BASE_TIMESTAMP, BIG_ENDIAN);
    }

    /**
     * The greatest timestamp.
     *
     * @return milliseconds since the epoch of Unix; of the producer's clock or of the append, see
     *     {@link #timestampType()}
     */
    public long maxTimestamp() {
        return buffer.getLong(index + BatchDescriptor.MAX_TIMESTAMP, BIG_ENDIAN);
    }

    /**
     * The attribute bits.
     *
     * @return bits 0-2 codec, 3 timestamp type, 4 transactional, 5 control
     */
    public int attributes() {
        return BatchDescriptor.attributes(buffer, index);
    }

    /**
     * Whether the records are marks of the system and not of users.
     *
     * @return the control bit
     */
    public boolean isControl() {
        return (attributes() & BatchDescriptor.CONTROL_MASK) != 0;
    }

    /**
     * Whether the records are part of a transaction.
     *
     * @return the transactional bit
     */
    public boolean isTransactional() {
        return (attributes() & BatchDescriptor.TRANSACTIONAL_MASK) != 0;
    }

    /**
     * Whose time the timestamps are.
     *
     * @return with {@link TimestampType#APPEND_TIME} every record has the time {@link #maxTimestamp()}
     */
    public TimestampType timestampType() {
        return BatchDescriptor.isAppendTime(buffer, index) ? TimestampType.APPEND_TIME : TimestampType.CREATE_TIME;
    }

    /**
     * How the records are compressed.
     *
     * @return the codec
     */
    public Compression compression() {
        return Compression.ofId(BatchDescriptor.codec(buffer, index));
    }

    /**
     * Whether the records are compressed.
     *
     * @return true when the attributes name a codec
     */
    public boolean isCompressed() {
        return BatchDescriptor.codec(buffer, index) != 0;
    }

    /**
     * Whether the checksum matches. Reads every byte of the batch; safe on mapped files.
     *
     * @return false when the bytes were changed
     */
    public boolean isValid() {
        final int from = BatchDescriptor.ATTRIBUTES;
        return storedChecksum() == checksum.sumMapped(buffer, index + from, size - from);
    }

    /**
     * Does nothing when the checksum matches. Reads every byte of the batch.
     *
     * @throws CorruptBatchException when the bytes were changed
     */
    public void ensureValid() {
        if (!isValid()) {
            throw new CorruptBatchException("batch checksum mismatch: baseOffset=" + baseOffset() + ", sizeInBytes="
                    + size + ", stored=0x" + Integer.toHexString(storedChecksum())
                    + "; fetch the batch from another replica");
        }
    }

    private int storedChecksum() {
        return buffer.getInt(index + BatchDescriptor.CRC, BIG_ENDIAN);
    }

    /**
     * A cursor before the first record. There is one per view: asking again begins anew. Compressed records are opened
     * into memory of this view, at most {@link Compression#DECOMPRESSED_BYTES_MAX}; the others are read in place.
     *
     * @return the cursor
     * @throws MissingCodecException when the library of the batch's codec is not there
     * @throws InvalidBatchException when the records cannot be decompressed
     */
    public RecordCursor records() {
        if (!isCompressed()) {
            return cursor.wrap(this, buffer, index + BatchDescriptor.HEADER_LENGTH, index + size);
        }
        final Decompressor opener = decompressor();
        final int length = opener.open(buffer, index, size);
        return cursor.wrap(this, opener.buffer(), 0, length);
    }

    /**
     * A copy of the bytes of the records, as they are or would be in an uncompressed batch.
     *
     * @return new bytes
     * @throws MissingCodecException when the library of the batch's codec is not there
     * @throws InvalidBatchException when the records cannot be decompressed
     */
    public byte[] recordBytes() {
        if (!isCompressed()) {
            final byte[] bytes = new byte[size - BatchDescriptor.HEADER_LENGTH];
            buffer.getBytes(index + BatchDescriptor.HEADER_LENGTH, bytes);
            return bytes;
        }
        final Decompressor opener = decompressor();
        final byte[] bytes = new byte[opener.open(buffer, index, size)];
        opener.buffer().getBytes(0, bytes);
        return bytes;
    }

    private Decompressor decompressor() {
        Decompressor opener = decompressor;
        if (opener == null) {
            opener = new Decompressor(RETAINED_BYTES_MAX, Compression.DECOMPRESSED_BYTES_MAX);
            decompressor = opener;
        }
        return opener;
    }
}

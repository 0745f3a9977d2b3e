package io.tidemark.tools.verify;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * One record batch as it lies in a file. All numbers are big-endian:
 *
 * <pre>
 *  0 baseOffset int64          12 partitionLeaderEpoch int32   21 attributes int16        27 baseTimestamp int64
 *  8 batchLength int32         16 magic int8                   23 lastOffsetDelta int32   35 maxTimestamp int64
 *                              17 crc uint32 (of 21 to end)
 * 43 producerId int64          51 producerEpoch int16          53 baseSequence int32      57 recordCount int32
 * 61 records
 * </pre>
 *
 * <p>Immutable; the bytes are a copy of those of the file.
 */
public final class LoggedBatch {
    /** Bytes before the records. */
    public static final int HEADER_LENGTH = 61;

    /** Bytes that {@code batchLength} does not count: itself and the base offset. */
    static final int LENGTH_OVERHEAD = 12;

    /** The bit of the attributes that says that the broker's clock gave the timestamp. */
    static final int APPEND_TIME = 8;

    private static final String[] COMPRESSIONS = {"none", "gzip", "snappy", "lz4", "zstd"};

    private final Path file;
    private final long position;
    private final ByteBuffer bytes;

    /**
     * Takes the bytes of a batch.
     *
     * @param file where they were read
     * @param position where in the file
     * @param bytes header and records; at least {@link #HEADER_LENGTH}; not copied
     */
    LoggedBatch(Path file, long position, byte[] bytes) {
        this.file = file;
        this.position = position;
        this.bytes = ByteBuffer.wrap(bytes);
    }

    /**
     * The file in which the batch lies.
     *
     * @return the path of a {@code .log} file
     */
    public Path file() {
        return file;
    }

    /**
     * Where in the file the batch begins.
     *
     * @return the first byte, from 0
     */
    public long position() {
        return position;
    }

    /**
     * The size of the whole batch.
     *
     * @return header and records in bytes
     */
    public int size() {
        return bytes.capacity();
    }

    /**
     * The offset of the first record.
     *
     * @return the offset
     */
    public long baseOffset() {
        return bytes.getLong(0);
    }

    /**
     * The offset of the last record, inclusive.
     *
     * @return the offset
     */
    public long lastOffset() {
        return baseOffset() + lastOffsetDelta();
    }

    /**
     * The epoch of the leader that appended the batch first.
     *
     * @return the epoch
     */
    public int leaderEpoch() {
        return bytes.getInt(12);
    }

    /**
     * The version of the format.
     *
     * @return 2 in a batch that can be read
     */
    public int magic() {
        return bytes.get(16);
    }

    /**
     * The checksum that the batch carries.
     *
     * @return the CRC32C as an unsigned number
     */
    public long storedChecksum() {
        return Integer.toUnsignedLong(bytes.getInt(17));
    }

    /**
     * The checksum that the batch should carry.
     *
     * @return the CRC32C of the bytes from the attributes to the end, as an unsigned number
     */
    public long computedChecksum() {
        CRC32C crc = new CRC32C();
        crc.update(bytes.array(), 21, bytes.capacity() - 21);
        return crc.getValue();
    }

    /**
     * The flags of the batch.
     *
     * @return bits 0 to 2 compression, 3 timestamp type, 4 transactional, 5 control
     */
    public int attributes() {
        return bytes.getShort(21);
    }

    /**
     * The last offset, relative to the first.
     *
     * @return the difference
     */
    public int lastOffsetDelta() {
        return bytes.getInt(23);
    }

    /**
     * The timestamp to which those of the records are relative.
     *
     * @return milliseconds since the epoch
     */
    public long baseTimestamp() {
        return bytes.getLong(27);
    }

    /**
     * The greatest timestamp of the records.
     *
     * @return milliseconds since the epoch
     */
    public long maxTimestamp() {
        return bytes.getLong(35);
    }

    /**
     * The idempotent producer.
     *
     * @return its id, -1 if there is none
     */
    public long producerId() {
        return bytes.getLong(43);
    }

    /**
     * The epoch of the idempotent producer.
     *
     * @return the epoch, -1 if there is none
     */
    public int producerEpoch() {
        return bytes.getShort(51);
    }

    /**
     * The producer's number of the first record.
     *
     * @return the sequence, -1 if there is none
     */
    public int baseSequence() {
        return bytes.getInt(53);
    }

    /**
     * How many records there are.
     *
     * @return the count that the header says
     */
    public int recordCount() {
        return bytes.getInt(57);
    }

    /**
     * How the records are compressed.
     *
     * @return the name of the codec; {@code none} if they are not
     */
    public String compression() {
        int codec = attributes() & 7;
        return codec < COMPRESSIONS.length ? COMPRESSIONS[codec] : "codec " + codec;
    }

    /**
     * Tells whose time the timestamps are.
     *
     * @return true if all records have the greatest timestamp, which is the time of their append
     */
    public boolean isAppendTime() {
        return (attributes() & 0x08) != 0;
    }

    /**
     * Tells whether the records are part of a transaction.
     *
     * @return true if the producer said so
     */
    public boolean isTransactional() {
        return (attributes() & 0x10) != 0;
    }

    /**
     * Tells whether the batch holds a marker instead of records of users.
     *
     * @return true for a control batch
     */
    public boolean isControl() {
        return (attributes() & 0x20) != 0;
    }

    /**
     * Compares all bytes, header and records.
     *
     * @param other another batch
     * @return true if both are the same bytes, wherever they lie
     */
    public boolean hasSameBytes(LoggedBatch other) {
        return bytes.equals(other.bytes);
    }

    /**
     * Walks the records.
     *
     * @param opener opens them if they are compressed
     * @return a cursor before the first record
     * @throws DamagedLogException if the records are compressed and cannot be opened
     */
    public RecordWalk records(BatchOpener opener) throws DamagedLogException {
        if ((attributes() & 7) == 0) {
            return new RecordWalk(this, bytes.duplicate().position(HEADER_LENGTH));
        }
        try {
            byte[] batch = new byte[bytes.capacity()];
            bytes.duplicate().clear().get(batch);
            return new RecordWalk(this, opener.open(batch));
        } catch (IllegalArgumentException e) {
            throw new DamagedLogException("the records cannot be opened: " + e.getMessage(), file, position);
        }
    }

    /**
     * Checks what the header says of itself.
     *
     * @throws DamagedLogException if the version, the checksum or a count is wrong
     */
    void check() throws DamagedLogException {
        if (magic() != 2) {
            throw new DamagedLogException("unknown batch format: magic=" + magic() + ", expected=2", file, position);
        }
        if (storedChecksum() != computedChecksum()) {
            throw new DamagedLogException(
                    String.format(
                            "batch checksum mismatch: baseOffset=%d, expected=0x%08x, actual=0x%08x",
                            baseOffset(), storedChecksum(), computedChecksum()),
                    file,
                    position);
        }
        if (recordCount() < 0 || lastOffsetDelta() < 0 || recordCount() > (long) lastOffsetDelta() + 1) {
            throw new DamagedLogException(
                    "batch counts do not fit: baseOffset=" + baseOffset() + ", recordCount=" + recordCount()
                            + ", lastOffsetDelta=" + lastOffsetDelta(),
                    file,
                    position);
        }
    }
}

package io.tidemark.log.format;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;

/**
 * Layout of the header of a record batch. All fields are big-endian.
 *
 * <pre>
 *   0                   8          12         16    17        21         23            27
 *  +-------------------+----------+----------+-----+---------+----------+-------------+
 *  | baseOffset (8)    |length (4)| epoch (4)|magic| crc (4) | attrs (2)| lastDelta(4)|
 *  +-------------------+----------+----------+-----+---------+----------+-------------+
 *   27                  35                 43              51            53            57          61
 *  +-------------------+------------------+---------------+-------------+-------------+-----------+
 *  | baseTimestamp (8) | maxTimestamp (8) | producerId (8)|prodEpoch (2)| baseSeq (4) | count (4) |  records ...
 *  +-------------------+------------------+---------------+-------------+-------------+-----------+
 * </pre>
 *
 * <p>{@code length} counts the bytes after its own field. The checksum covers everything from {@code attrs} on, so
 * that offset and epoch can be assigned without computing it anew. Source: "Record Batch" in the documentation of
 * Apache Kafka.
 */
public final class BatchDescriptor {
    /** Place of the first offset of the batch (8 bytes). */
    public static final int BASE_OFFSET = 0;
    /** Place of the number of bytes after this field (4 bytes). */
    public static final int LENGTH = 8;
    /** Place of the epoch of the leader that appended the batch (4 bytes). */
    public static final int LEADER_EPOCH = 12;
    /** Place of the format's version (1 byte). */
    public static final int MAGIC = 16;
    /** Place of the CRC32C of everything from {@link #ATTRIBUTES} on (4 bytes). */
    public static final int CRC = 17;
    /** Place of the attribute bits (2 bytes). */
    public static final int ATTRIBUTES = 21;
    /** Place of the difference of last and first offset (4 bytes). */
    public static final int LAST_OFFSET_DELTA = 23;
    /** Place of the timestamp to which the records' deltas are added (8 bytes). */
    public static final int BASE_TIMESTAMP = 27;
    /** Place of the greatest timestamp (8 bytes). */
    public static final int MAX_TIMESTAMP = 35;
    /** Place of the producer's id, -1 when there is none (8 bytes). */
    public static final int PRODUCER_ID = 43;
    /** Place of the producer's epoch, -1 when there is none (2 bytes). */
    public static final int PRODUCER_EPOCH = 51;
    /** Place of the sequence number of the first record, -1 when there is none (4 bytes). */
    public static final int BASE_SEQUENCE = 53;
    /** Place of the number of records (4 bytes). */
    public static final int RECORD_COUNT = 57;
    /** Bytes of the header; the records follow. */
    public static final int HEADER_LENGTH = 61;
    /** Bytes up to and with the length field: a batch takes this plus its length. */
    public static final int LENGTH_OVERHEAD = 12;
    /** The only version of the format that is read or written. */
    public static final byte MAGIC_VALUE = 2;
    /** Attribute bits that name the compression codec; 0 means none. */
    public static final int COMPRESSION_MASK = 0x07;
    /** Greatest codec number that the format knows (zstd). */
    public static final int COMPRESSION_MAX = 4;
    /** Attribute bit that says the maximal timestamp is the broker's append time. */
    public static final int TIMESTAMP_TYPE_MASK = 0x08;
    /** Attribute bit of a transactional batch. */
    public static final int TRANSACTIONAL_MASK = 0x10;
    /** Attribute bit of a control batch. */
    public static final int CONTROL_MASK = 0x20;
    /** Timestamp that stands for none. */
    public static final long NO_TIMESTAMP = -1;

    private BatchDescriptor() {}

    /**
     * The whole size of the batch whose header begins at {@code index}, in bytes. Not checked: it may be negative,
     * absurd or beyond the buffer when the bytes are not a batch.
     *
     * @param buffer that holds at least {@link #LENGTH_OVERHEAD} bytes from {@code index} on
     * @param index where the batch begins
     * @return bytes of the batch with its offset and length field, as a long so that it cannot wrap
     */
    public static long sizeInBytes(DirectBuffer buffer, int index) {
        return (long) buffer.getInt(index + LENGTH, BIG_ENDIAN) + LENGTH_OVERHEAD;
    }

    /**
     * The first offset of the batch.
     *
     * @param buffer that holds the header
     * @param index where the batch begins
     * @return the offset as stored
     */
    public static long baseOffset(DirectBuffer buffer, int index) {
        return buffer.getLong(index + BASE_OFFSET, BIG_ENDIAN);
    }

    /**
     * The last offset of the batch, inclusive.
     *
     * @param buffer that holds the header
     * @param index where the batch begins
     * @return base offset plus delta, as stored
     */
    public static long lastOffset(DirectBuffer buffer, int index) {
        return baseOffset(buffer, index) + buffer.getInt(index + LAST_OFFSET_DELTA, BIG_ENDIAN);
    }

    /**
     * The epoch of the leader that appended the batch.
     *
     * @param buffer that holds the header
     * @param index where the batch begins
     * @return the epoch as stored
     */
    public static int leaderEpoch(DirectBuffer buffer, int index) {
        return buffer.getInt(index + LEADER_EPOCH, BIG_ENDIAN);
    }

    /**
     * The number of records that the header states.
     *
     * @param buffer that holds the header
     * @param index where the batch begins
     * @return the count as stored
     */
    public static int recordCount(DirectBuffer buffer, int index) {
        return buffer.getInt(index + RECORD_COUNT, BIG_ENDIAN);
    }

    /**
     * The attribute bits.
     *
     * @param buffer that holds the header
     * @param index where the batch begins
     * @return the bits as stored
     */
    public static int attributes(DirectBuffer buffer, int index) {
        return buffer.getShort(index + ATTRIBUTES, BIG_ENDIAN);
    }

    /**
     * The codec of the records.
     *
     * @param buffer that holds the header
     * @param index where the batch begins
     * @return its number as stored, 0 when there is none
     */
    public static int codec(DirectBuffer buffer, int index) {
        return attributes(buffer, index) & COMPRESSION_MASK;
    }

    /**
     * Whether the greatest timestamp is the time of the append, and counts for every record.
     *
     * @param buffer that holds the header
     * @param index where the batch begins
     * @return the timestamp type bit
     */
    public static boolean isAppendTime(DirectBuffer buffer, int index) {
        return (attributes(buffer, index) & TIMESTAMP_TYPE_MASK) != 0;
    }

    /**
     * The greatest timestamp of the batch.
     *
     * @param buffer that holds the header
     * @param index where the batch begins
     * @return milliseconds since the epoch of Unix, as stored
     */
    public static long maxTimestamp(DirectBuffer buffer, int index) {
        return buffer.getLong(index + MAX_TIMESTAMP, BIG_ENDIAN);
    }
}

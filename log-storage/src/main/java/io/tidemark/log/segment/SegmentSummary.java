package io.tidemark.log.segment;

import io.tidemark.log.format.BatchDescriptor;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What a closed segment says about itself, so that its time index need not be trusted and need not be built anew: an
 * entry of a time index is a claim about all batches before it, which no look at a single batch can prove. The summary
 * belongs to the segment if the last batch is the one it names and ends where the segment ends. Layout of the file,
 * which is ours, big-endian:
 *
 * <pre>
 *   0             4               8                  12            16
 *  +-------------+---------------+------------------+-------------+-----------------+
 *  | version (4) | sizeBytes (4) | lastPosition (4) | lastCrc (4) | lastOffset (8)  |
 *  +-------------+---------------+------------------+-------------+-----------------+
 *   24                 32                 36        40
 *  +------------------+------------------+---------+
 *  | maxTimestamp (8) | timeIndexCrc (4) | crc (4) |
 *  +------------------+------------------+---------+
 * </pre>
 *
 * <p>The last field is the CRC32C of the bytes before it. An empty segment has no last batch: the three fields are 0, 0
 * and -1.
 *
 * @param sizeBytes size of the segment
 * @param lastPosition where the last batch begins
 * @param lastCrc checksum that the last batch carries
 * @param lastOffset last offset of the last batch, -1 when there is none
 * @param maxTimestamp greatest timestamp of all batches, -1 when there is none
 * @param timeIndexCrc CRC32C of the bytes of the time index
 */
record SegmentSummary(
        int sizeBytes, int lastPosition, int lastCrc, long lastOffset, long maxTimestamp, int timeIndexCrc) {
    /** Bytes of the file. */
    static final int BYTES = 40;

    private static final int VERSION = 1;

    /**
     * The CRC32C of bytes of our own.
     *
     * @param bytes from position to limit, which stay
     * @return the sum
     */
    static int crcOf(ByteBuffer bytes) {
        final CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return (int) crc.getValue();
    }

    /**
     * Whether a segment is the one that was summed up.
     *
     * @param size of the segment
     * @param buffer that holds the header of the batch at {@link #lastPosition}; not looked at for an empty segment
     * @param index where that header begins
     * @return false when the summary is about something else
     */
    boolean isOf(int size, DirectBuffer buffer, int index) {
        if (size != sizeBytes) {
            return false;
        }
        return size == 0
                || (BatchDescriptor.sizeInBytes(buffer, index) == size - lastPosition
                        && BatchDescriptor.lastOffset(buffer, index) == lastOffset
                        && buffer.getInt(index + BatchDescriptor.CRC, java.nio.ByteOrder.BIG_ENDIAN) == lastCrc);
    }

    /**
     * The bytes for the file.
     *
     * @return a new buffer, ready to be written
     */
    ByteBuffer encode() {
        final ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        bytes.putInt(VERSION).putInt(sizeBytes).putInt(lastPosition).putInt(lastCrc);
        bytes.putLong(lastOffset).putLong(maxTimestamp).putInt(timeIndexCrc);
        return bytes.putInt(crcOf(bytes.duplicate().flip())).flip();
    }

    /**
     * Reads the bytes of a file.
     *
     * @param bytes of the file
     * @return the summary; null when it is damaged or of another version
     */
    static @Nullable SegmentSummary decode(ByteBuffer bytes) {
        if (bytes.remaining() != BYTES
                || crcOf(bytes.duplicate().limit(BYTES - Integer.BYTES)) != bytes.getInt(BYTES - Integer.BYTES)
                || bytes.getInt() != VERSION) {
            return null;
        }
        final SegmentSummary summary = new SegmentSummary(
                bytes.getInt(), bytes.getInt(), bytes.getInt(), bytes.getLong(), bytes.getLong(), bytes.getInt());
        final boolean isPossible = summary.lastPosition >= 0
                && (summary.sizeBytes == 0
                        || summary.lastPosition <= summary.sizeBytes - BatchDescriptor.HEADER_LENGTH);
        return isPossible ? summary : null;
    }
}

package io.tidemark.log.format;

import static java.nio.ByteOrder.BIG_ENDIAN;

import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * What a leader changes in the header of a batch that gets the time of its append: the bit of the timestamp type, the
 * greatest timestamp, and the checksum over both. The records and the base timestamp stay as they are; a reader takes
 * the greatest timestamp for that of every record. The batch given is not touched. Owned by one thread.
 */
public final class AppendTimeStamp {
    private static final int FROM = BatchDescriptor.ATTRIBUTES;
    private static final int TO = BatchDescriptor.PRODUCER_ID;

    private final byte[] head = new byte[TO - FROM];
    private final ByteBuffer view = ByteBuffer.wrap(head);
    private int crc;

    /** A stamp of nothing. */
    public AppendTimeStamp() {}

    /**
     * Makes the stamp of a batch.
     *
     * @param batch that holds it, not a mapped file
     * @param index where it begins
     * @param length of it
     * @param timeMs milliseconds since the epoch of Unix
     * @param checksum to compute with
     * @return this
     */
    public AppendTimeStamp of(DirectBuffer batch, int index, int length, long timeMs, BatchChecksum checksum) {
        batch.getBytes(index + FROM, head);
        final int attributes = BatchDescriptor.attributes(batch, index) | BatchDescriptor.TIMESTAMP_TYPE_MASK;
        view.putShort(0, (short) attributes);
        view.putLong(BatchDescriptor.MAX_TIMESTAMP - FROM, timeMs);
        crc = checksum.sum(head, batch, index + TO, length - TO);
        return this;
    }

    /**
     * Stores the changed fields over those of a copy of the batch.
     *
     * @param target that holds the copy
     * @param index where it begins
     */
    public void store(MutableDirectBuffer target, int index) {
        target.putInt(index + BatchDescriptor.CRC, crc, BIG_ENDIAN);
        target.putBytes(index + FROM, head);
    }
}

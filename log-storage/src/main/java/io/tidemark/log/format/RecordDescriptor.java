package io.tidemark.log.format;

import org.agrona.DirectBuffer;

/**
 * Layout of a record inside a batch: {@code length: varint, attributes: int8, timestampDelta: varlong,
 * offsetDelta: varint, keyLength: varint, key, valueLength: varint, value, headerCount: varint, headers}, where each
 * header is {@code keyLength: varint, key, valueLength: varint, value}. A length of -1 stands for null (not for the
 * key of a header). {@code length} counts the bytes after its own field.
 */
public final class RecordDescriptor {
    /** Most bytes that a record takes beside key and value when it has no headers. */
    public static final int OVERHEAD_MAX = 5 * Varint.INT_BYTES_MAX + 1 + Varint.LONG_BYTES_MAX;
    /** Returned when bytes are not a record. */
    public static final int MALFORMED = -1;

    private RecordDescriptor() {}

    /**
     * Checks the record at {@code index} in full and finds its end.
     *
     * @param buffer that holds the record
     * @param index where its length field begins
     * @param limit first index after the batch
     * @param offsetDelta that the record must state
     * @return the first index after the record, or {@link #MALFORMED}
     */
    public static int endOfRecord(DirectBuffer buffer, int index, int limit, int offsetDelta) {
        final int lengthBytes = Varint.lengthAt(buffer, index, limit, Varint.INT_BYTES_MAX);
        if (lengthBytes < 0) {
            return MALFORMED;
        }
        final int length = Varint.getInt(buffer, index, lengthBytes);
        final int start = index + lengthBytes;
        if (length < 1 || length > limit - start) {
            return MALFORMED;
        }
        final int end = start + length;
        int at = start + 1;
        final int timestampBytes = Varint.lengthAt(buffer, at, end, Varint.LONG_BYTES_MAX);
        if (timestampBytes < 0) {
            return MALFORMED;
        }
        at += timestampBytes;
        final int deltaBytes = Varint.lengthAt(buffer, at, end, Varint.INT_BYTES_MAX);
        if (deltaBytes < 0 || Varint.getInt(buffer, at, deltaBytes) != offsetDelta) {
            return MALFORMED;
        }
        at = endOfField(buffer, at + deltaBytes, end, -1);
        at = at < 0 ? at : endOfField(buffer, at, end, -1);
        at = at < 0 ? at : endOfHeaders(buffer, at, end);
        return at == end ? end : MALFORMED;
    }

    /**
     * Finds the end of a field that is a length and so many bytes.
     *
     * @param buffer that holds the field
     * @param index where its length begins
     * @param limit first index after the record
     * @param lengthMin -1 when the field may be null, 0 when not
     * @return the first index after the field, or {@link #MALFORMED}
     */
    public static int endOfField(DirectBuffer buffer, int index, int limit, int lengthMin) {
        final int lengthBytes = Varint.lengthAt(buffer, index, limit, Varint.INT_BYTES_MAX);
        if (lengthBytes < 0) {
            return MALFORMED;
        }
        final int length = Varint.getInt(buffer, index, lengthBytes);
        final int start = index + lengthBytes;
        if (length < lengthMin || length > limit - start) {
            return MALFORMED;
        }
        return start + Math.max(length, 0);
    }

    private static int endOfHeaders(DirectBuffer buffer, int index, int limit) {
        final int countBytes = Varint.lengthAt(buffer, index, limit, Varint.INT_BYTES_MAX);
        if (countBytes < 0) {
            return MALFORMED;
        }
        final int count = Varint.getInt(buffer, index, countBytes);
        int at = index + countBytes;
        // A header takes at least two bytes, so a hostile count cannot make this loop long.
        if (count < 0 || count > (limit - at) / 2) {
            return MALFORMED;
        }
        for (int i = 0; i < count; i++) {
            at = endOfField(buffer, at, limit, 0);
            at = at < 0 ? at : endOfField(buffer, at, limit, -1);
            if (at < 0) {
                return MALFORMED;
            }
        }
        return at;
    }
}

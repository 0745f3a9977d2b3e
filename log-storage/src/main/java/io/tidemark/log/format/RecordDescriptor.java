package io.tidemark.log.format;

import org.agrona.DirectBuffer;

/**
 * Layout of a record inside a batch: {@code length: varint, attributes: int8, timestampDelta: varlong,
 * offsetDelta: varint, keyLength: varint, key, valueLength: varint, value, headerCount: varint, headers}, where each
 * header is {@code keyLength: varint, key, valueLength: varint, value}. A length of -1 stands for null (not for the
 * key of a header). {@code length} counts the bytes after its own field.
 *
 * <p>The checks answer with an index, or with a negative number that {@link #defectOf} turns into the field that is
 * wrong. Nothing is thrown and nothing allocated.
 */
public final class RecordDescriptor {
    /** Most bytes that a record takes beside key, value and headers; the number of the headers is counted. */
    public static final int OVERHEAD_MAX = 5 * Varint.INT_BYTES_MAX + 1 + Varint.LONG_BYTES_MAX;

    private static final int BAD_LENGTH = -1;
    private static final int BAD_TIMESTAMP = -2;
    private static final int BAD_OFFSET = -3;
    private static final int BAD_KEY = -4;
    private static final int BAD_VALUE = -5;
    private static final int BAD_HEADERS = -6;
    private static final int LEFT_OVER = -7;

    private RecordDescriptor() {}

    /**
     * What a negative answer of a check means.
     *
     * @param answer below 0
     * @return the field that is wrong
     */
    public static BatchDefect defectOf(int answer) {
        return switch (answer) {
            case BAD_TIMESTAMP -> BatchDefect.BAD_RECORD_TIMESTAMP;
            case BAD_OFFSET -> BatchDefect.BAD_RECORD_OFFSET;
            case BAD_KEY -> BatchDefect.BAD_RECORD_KEY;
            case BAD_VALUE -> BatchDefect.BAD_RECORD_VALUE;
            case BAD_HEADERS -> BatchDefect.BAD_RECORD_HEADERS;
            case LEFT_OVER -> BatchDefect.LEFT_IN_RECORD;
            default -> BatchDefect.BAD_RECORD_LENGTH;
        };
    }

    /**
     * Checks the record at {@code index} in full and finds its end.
     *
     * @param buffer that holds the record
     * @param index where its length field begins
     * @param limit first index after the batch
     * @param deltaMin least offset delta that the record may state
     * @param deltaMax greatest offset delta that the record may state
     * @return the first index after the record, or a negative number for {@link #defectOf}
     */
    public static int endOfRecord(DirectBuffer buffer, int index, int limit, int deltaMin, int deltaMax) {
        final int lengthBytes = Varint.lengthAt(buffer, index, limit, Varint.INT_BYTES_MAX);
        if (lengthBytes < 0) {
            return BAD_LENGTH;
        }
        final int length = Varint.getInt(buffer, index, lengthBytes);
        final int start = index + lengthBytes;
        if (length < 1 || length > limit - start) {
            return BAD_LENGTH;
        }
        final int end = start + length;
        int at = start + 1;
        final int timestampBytes = Varint.lengthAt(buffer, at, end, Varint.LONG_BYTES_MAX);
        if (timestampBytes < 0) {
            return BAD_TIMESTAMP;
        }
        at += timestampBytes;
        final int deltaBytes = Varint.lengthAt(buffer, at, end, Varint.INT_BYTES_MAX);
        if (deltaBytes < 0) {
            return BAD_OFFSET;
        }
        final int delta = Varint.getInt(buffer, at, deltaBytes);
        if (delta < deltaMin || delta > deltaMax) {
            return BAD_OFFSET;
        }
        at = endOfField(buffer, at + deltaBytes, end, -1);
        if (at < 0) {
            return BAD_KEY;
        }
        at = endOfField(buffer, at, end, -1);
        if (at < 0) {
            return BAD_VALUE;
        }
        at = endOfHeaders(buffer, at, end);
        if (at < 0) {
            return BAD_HEADERS;
        }
        return at == end ? end : LEFT_OVER;
    }

    /**
     * The difference between a record's timestamp and the base timestamp of its batch.
     *
     * @param buffer that holds the record
     * @param index where its length field begins; the record was checked
     * @param end first index after the record
     * @return milliseconds
     */
    public static long timestampDelta(DirectBuffer buffer, int index, int end) {
        final int at = index + Varint.lengthAt(buffer, index, end, Varint.INT_BYTES_MAX) + 1;
        return Varint.getLong(buffer, at, Varint.lengthAt(buffer, at, end, Varint.LONG_BYTES_MAX));
    }

    private static int endOfField(DirectBuffer buffer, int index, int limit, int lengthMin) {
        final int lengthBytes = Varint.lengthAt(buffer, index, limit, Varint.INT_BYTES_MAX);
        if (lengthBytes < 0) {
            return BAD_LENGTH;
        }
        final int length = Varint.getInt(buffer, index, lengthBytes);
        final int start = index + lengthBytes;
        if (length < lengthMin || length > limit - start) {
            return BAD_LENGTH;
        }
        return start + Math.max(length, 0);
    }

    private static int endOfHeaders(DirectBuffer buffer, int index, int limit) {
        final int countBytes = Varint.lengthAt(buffer, index, limit, Varint.INT_BYTES_MAX);
        if (countBytes < 0) {
            return BAD_HEADERS;
        }
        final int count = Varint.getInt(buffer, index, countBytes);
        int at = index + countBytes;
        // A header takes at least two bytes, so a hostile count cannot make this loop long.
        if (count < 0 || count > (limit - at) / 2) {
            return BAD_HEADERS;
        }
        for (int i = 0; i < count; i++) {
            at = endOfField(buffer, at, limit, 0);
            at = at < 0 ? at : endOfField(buffer, at, limit, -1);
            if (at < 0) {
                return BAD_HEADERS;
            }
        }
        return at;
    }
}

package io.tidemark.sim;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;

/**
 * A record batch as the oracle reads it, by its own hand: from the public description of message format v2, not by the
 * classes that it judges.
 *
 * @param base first offset
 * @param next offset after the last
 * @param epoch of the leader that appended it
 * @param hash of all its bytes
 * @param ids numbers of its records, in order
 */
record SeenBatch(long base, long next, int epoch, long hash, List<Long> ids) {
    private static final int LENGTH_AT = 8;
    private static final int EPOCH_AT = 12;
    private static final int MAGIC_AT = 16;
    private static final int LAST_DELTA_AT = 23;
    private static final int COUNT_AT = 57;
    private static final int HEADER_BYTES = 61;
    private static final int LENGTH_END = 12;

    /** Reads all batches of a piece of a log. */
    static List<SeenBatch> read(DirectBuffer buffer, int index, int length) {
        List<SeenBatch> all = new ArrayList<>();
        int at = index;
        int end = index + length;
        while (at + HEADER_BYTES <= end) {
            int size = LENGTH_END + bigInt(buffer, at + LENGTH_AT);
            if (size < HEADER_BYTES || at + size > end || buffer.getByte(at + MAGIC_AT) != 2) {
                break;
            }
            all.add(readOne(buffer, at, size));
            at += size;
        }
        if (at != end) {
            throw new SimViolation("D-01", "a log gives bytes that are no batch, at byte " + (at - index));
        }
        return all;
    }

    private static SeenBatch readOne(DirectBuffer buffer, int at, int size) {
        long base = bigLong(buffer, at);
        long hash = 0xcbf29ce484222325L;
        int i = 0;
        for (; i + Long.BYTES <= size; i += Long.BYTES) {
            hash = (hash ^ buffer.getLong(at + i, ByteOrder.BIG_ENDIAN)) * 0x100000001b3L;
            hash ^= hash >>> 29;
        }
        for (; i < size; i++) {
            hash = (hash ^ buffer.getByte(at + i)) * 0x100000001b3L;
        }
        List<Long> ids = new ArrayList<>();
        Cursor cursor = new Cursor(buffer, at + HEADER_BYTES);
        for (int left = bigInt(buffer, at + COUNT_AT); left > 0; left--) {
            ids.add(cursor.nextId());
        }
        long next = base + bigInt(buffer, at + LAST_DELTA_AT) + 1;
        return new SeenBatch(base, next, bigInt(buffer, at + EPOCH_AT), hash, ids);
    }

    private static long bigLong(DirectBuffer buffer, int at) {
        return ((long) bigInt(buffer, at) << Integer.SIZE) | (bigInt(buffer, at + Integer.BYTES) & 0xffffffffL);
    }

    private static int bigInt(DirectBuffer buffer, int at) {
        int value = 0;
        for (int i = 0; i < Integer.BYTES; i++) {
            value = (value << Byte.SIZE) | (buffer.getByte(at + i) & 0xff);
        }
        return value;
    }

    boolean isSameAs(SeenBatch other) {
        return base == other.base && next == other.next && epoch == other.epoch && hash == other.hash;
    }

    @Override
    public String toString() {
        return "[" + base + "," + next + ") epoch=" + epoch + " hash=" + Long.toHexString(hash);
    }

    /** Goes through records. */
    private static final class Cursor {
        private final DirectBuffer buffer;
        private int at;

        private Cursor(DirectBuffer buffer, int at) {
            this.buffer = buffer;
            this.at = at;
        }

        private long nextId() {
            int end = (int) number();
            end += at;
            at++;
            number();
            number();
            int keyLength = (int) number();
            at += Math.max(0, keyLength);
            int valueLength = (int) number();
            long id = -1;
            if (valueLength >= Long.BYTES) {
                id = bigLong(buffer, at);
            }
            at = end;
            return id;
        }

        private long number() {
            long raw = 0;
            int shift = 0;
            byte b;
            do {
                b = buffer.getByte(at++);
                raw |= (b & 0x7fL) << shift;
                shift += 7;
            } while (b < 0);
            return (raw >>> 1) ^ -(raw & 1);
        }
    }
}

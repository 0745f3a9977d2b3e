package io.tidemark.log;

import io.tidemark.log.format.Varint;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Walks the headers of one record in place, in their order; keys may repeat. No garbage but for the copies that are
 * asked for. Not thread-safe; valid as long as the {@link RecordCursor} that gave it stays on the record.
 */
public final class HeaderCursor {
    private DirectBuffer buffer = new UnsafeBuffer(new byte[0]);
    private int left;
    private int next;
    private int keyOffset;
    private int keyLength;
    private int valueOffset;
    private int valueLength;

    /** A cursor over nothing. */
    HeaderCursor() {}

    /**
     * Goes before the first header of a record that was checked.
     *
     * @param records that holds it
     * @param index of the first header
     * @param count number of headers
     * @return this
     */
    HeaderCursor wrap(DirectBuffer records, int index, int count) {
        buffer = records;
        next = index;
        left = count;
        return this;
    }

    /**
     * Goes to the next header.
     *
     * @return false when there is none
     */
    public boolean next() {
        if (left == 0) {
            return false;
        }
        left--;
        // The record was checked as a whole: both lengths end within it.
        final int keyBytes = Varint.lengthAt(buffer, next, buffer.capacity(), Varint.INT_BYTES_MAX);
        keyLength = Varint.getInt(buffer, next, keyBytes);
        keyOffset = next + keyBytes;
        final int at = keyOffset + keyLength;
        final int valueBytes = Varint.lengthAt(buffer, at, buffer.capacity(), Varint.INT_BYTES_MAX);
        valueLength = Varint.getInt(buffer, at, valueBytes);
        valueOffset = at + valueBytes;
        next = valueOffset + Math.max(valueLength, 0);
        return true;
    }

    /**
     * The buffer that the offsets below point into.
     *
     * @return the records' buffer
     */
    public DirectBuffer buffer() {
        return buffer;
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
     * @return bytes, 0 or more
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
     * The key as text.
     *
     * @return a new text; bytes that are no UTF-8 come as replacement characters
     */
    public String key() {
        final byte[] bytes = new byte[keyLength];
        buffer.getBytes(keyOffset, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /**
     * A copy of the value.
     *
     * @return new bytes, or null when the value is null
     */
    public byte @Nullable [] value() {
        if (valueLength < 0) {
            return null;
        }
        final byte[] bytes = new byte[valueLength];
        buffer.getBytes(valueOffset, bytes);
        return bytes;
    }
}

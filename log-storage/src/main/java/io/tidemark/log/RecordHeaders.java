package io.tidemark.log;

import io.tidemark.log.format.Varint;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a record that is about to be appended, in their order; keys may repeat. They are kept as the bytes of
 * the format. One object can be cleared and filled again and again; keys given as bytes make no garbage. Not
 * thread-safe.
 */
public final class RecordHeaders {
    /** Most bytes that the headers of one record may take: 1 MiB. */
    public static final int BYTES_MAX = 1 << 20;

    private final ExpandableArrayBuffer bytes = new ExpandableArrayBuffer(64);
    private int length;
    private int count;

    /** No headers. */
    public RecordHeaders() {}

    /**
     * Removes all headers.
     *
     * @return this
     */
    public RecordHeaders clear() {
        length = 0;
        count = 0;
        return this;
    }

    /**
     * Adds a header.
     *
     * @param key encoded as UTF-8; may be empty
     * @param value bytes, or null
     * @return this
     * @throws IllegalArgumentException when the headers would take more than {@link #BYTES_MAX}; nothing was added
     */
    public RecordHeaders add(String key, byte @Nullable [] value) {
        return add(key.getBytes(StandardCharsets.UTF_8), value);
    }

    /**
     * Adds a header.
     *
     * @param key UTF-8; may be empty
     * @param value bytes, or null
     * @return this
     * @throws IllegalArgumentException when the headers would take more than {@link #BYTES_MAX}; nothing was added
     */
    public RecordHeaders add(byte[] key, byte @Nullable [] value) {
        final int valueLength = value == null ? -1 : value.length;
        int at = begin(key.length, valueLength);
        at = Varint.putInt(bytes, at, key.length);
        bytes.putBytes(at, key);
        at = Varint.putInt(bytes, at + key.length, valueLength);
        if (value != null) {
            bytes.putBytes(at, value);
        }
        return end(at, valueLength);
    }

    /**
     * Adds a header whose value stands in a buffer.
     *
     * @param key UTF-8; may be empty
     * @param value that holds the bytes
     * @param valueIndex of the first byte
     * @param valueLength number of bytes
     * @return this
     * @throws IllegalArgumentException when the headers would take more than {@link #BYTES_MAX}; nothing was added
     */
    public RecordHeaders add(byte[] key, DirectBuffer value, int valueIndex, int valueLength) {
        int at = begin(key.length, valueLength);
        at = Varint.putInt(bytes, at, key.length);
        bytes.putBytes(at, key);
        at = Varint.putInt(bytes, at + key.length, valueLength);
        bytes.putBytes(at, value, valueIndex, valueLength);
        return end(at, valueLength);
    }

    private int begin(int keyLength, int valueLength) {
        final long after = length + 2L * Varint.INT_BYTES_MAX + keyLength + Math.max(valueLength, 0);
        if (after > BYTES_MAX) {
            throw new IllegalArgumentException("headers of a record are too large: headerCount=" + count
                    + ", usedBytes=" + length + ", keyLength=" + keyLength + ", valueLength=" + valueLength
                    + ", bytesMax=" + BYTES_MAX + "; put large things into the value");
        }
        return length;
    }

    private RecordHeaders end(int at, int valueLength) {
        length = at + Math.max(valueLength, 0);
        count++;
        return this;
    }

    /**
     * The number of headers.
     *
     * @return a count
     */
    public int count() {
        return count;
    }

    /**
     * What the headers take in a record, without their number.
     *
     * @return bytes
     */
    public int sizeInBytes() {
        return length;
    }

    /**
     * The headers in the bytes of the format.
     *
     * @return a buffer, from 0 to {@link #sizeInBytes()}
     */
    DirectBuffer buffer() {
        return bytes;
    }
}

package io.tidemark.log.format;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Zig-zag variable-length integers: seven bits per byte, least significant first, the top bit says that more follow.
 * Reading checks every byte against a limit of the caller, because Agrona's own bounds check can be switched off.
 */
public final class Varint {
    /** Most bytes that a 32-bit value takes. */
    public static final int INT_BYTES_MAX = 5;
    /** Most bytes that a 64-bit value takes. */
    public static final int LONG_BYTES_MAX = 10;
    /** Returned by {@link #lengthAt} when no complete value stands there. */
    public static final int MALFORMED = -1;

    private Varint() {}

    /**
     * The number of bytes of the value at {@code index}.
     *
     * @param buffer to look into
     * @param index where the value begins
     * @param limit first index that must not be read
     * @param bytesMax {@link #INT_BYTES_MAX} or {@link #LONG_BYTES_MAX}
     * @return 1 to {@code bytesMax}, or {@link #MALFORMED} when the value has no end before the limit
     */
    public static int lengthAt(DirectBuffer buffer, int index, int limit, int bytesMax) {
        final int last = Math.min(limit - index, bytesMax);
        for (int i = 0; i < last; i++) {
            if (buffer.getByte(index + i) >= 0) {
                return i + 1;
            }
        }
        return MALFORMED;
    }

    /**
     * Decodes the 32-bit value of a known length; bits beyond 32 are lost.
     *
     * @param buffer to read from
     * @param index where the value begins
     * @param length as {@link #lengthAt} found it
     * @return the value
     */
    public static int getInt(DirectBuffer buffer, int index, int length) {
        int raw = 0;
        for (int i = 0; i < length; i++) {
            raw |= (buffer.getByte(index + i) & 0x7f) << (7 * i);
        }
        return (raw >>> 1) ^ -(raw & 1);
    }

    /**
     * Decodes the 64-bit value of a known length.
     *
     * @param buffer to read from
     * @param index where the value begins
     * @param length as {@link #lengthAt} found it
     * @return the value
     */
    public static long getLong(DirectBuffer buffer, int index, int length) {
        long raw = 0;
        for (int i = 0; i < length; i++) {
            raw |= (buffer.getByte(index + i) & 0x7fL) << (7 * i);
        }
        return (raw >>> 1) ^ -(raw & 1);
    }

    /**
     * The number of bytes that a 32-bit value takes.
     *
     * @param value to be encoded
     * @return 1 to 5
     */
    public static int sizeOf(int value) {
        final int raw = (value << 1) ^ (value >> 31);
        return (38 - Integer.numberOfLeadingZeros(raw)) / 7 + (raw == 0 ? 1 : 0);
    }

    /**
     * The number of bytes that a 64-bit value takes.
     *
     * @param value to be encoded
     * @return 1 to 10
     */
    public static int sizeOf(long value) {
        final long raw = (value << 1) ^ (value >> 63);
        return (70 - Long.numberOfLeadingZeros(raw)) / 7 + (raw == 0 ? 1 : 0);
    }

    /**
     * Encodes a 32-bit value.
     *
     * @param buffer to write to
     * @param index where the value shall begin
     * @param value to encode
     * @return the first index after the value
     */
    public static int putInt(MutableDirectBuffer buffer, int index, int value) {
        int raw = (value << 1) ^ (value >> 31);
        int at = index;
        while ((raw & ~0x7f) != 0) {
            buffer.putByte(at++, (byte) ((raw & 0x7f) | 0x80));
            raw >>>= 7;
        }
        buffer.putByte(at++, (byte) raw);
        return at;
    }

    /**
     * Encodes a 64-bit value.
     *
     * @param buffer to write to
     * @param index where the value shall begin
     * @param value to encode
     * @return the first index after the value
     */
    public static int putLong(MutableDirectBuffer buffer, int index, long value) {
        long raw = (value << 1) ^ (value >> 63);
        int at = index;
        while ((raw & ~0x7fL) != 0) {
            buffer.putByte(at++, (byte) ((raw & 0x7f) | 0x80));
            raw >>>= 7;
        }
        buffer.putByte(at++, (byte) raw);
        return at;
    }
}

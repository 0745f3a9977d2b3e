package io.tidemark.wire;

import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Layout of a frame, the unit of the stream between two processes.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                 frameLength (bytes after this field)          |
 *  +---------------------------------------------------------------+
 *  |                 headerLength                                  |
 *  +---------------------------------------------------------------+
 *  |                 header: SBE message header + message         ...
 *  +---------------------------------------------------------------+
 *  |                 payload: record batches, untouched           ...
 *  +---------------------------------------------------------------+
 * </pre>
 *
 * Both lengths are little-endian. The payload is frameLength − 4 − headerLength bytes, maybe none.
 */
public final class FrameDescriptor {
    /** Byte order of the lengths and of all message headers. */
    public static final ByteOrder BYTE_ORDER = ByteOrder.LITTLE_ENDIAN;

    /** Index of the frame length. */
    public static final int FRAME_LENGTH_OFFSET = 0;

    /** Index of the header length. */
    public static final int HEADER_LENGTH_OFFSET = 4;

    /** Index of the header. */
    public static final int HEADER_OFFSET = 8;

    /** Length of the SBE message header, the least that a header can be. */
    public static final int HEADER_LENGTH_MIN = 8;

    /** Largest frame length accepted and sent, unless configured otherwise: 16 MiB. */
    public static final int FRAME_LENGTH_MAX_DEFAULT = 16 * 1024 * 1024;

    /** Version of the protocol that both sides of a connection must speak, carried in Hello. */
    public static final int PROTOCOL_VERSION = 1;

    private static final int TEMPLATE_ID_OFFSET = 2;

    private FrameDescriptor() {}

    /**
     * Value of the frame length field for a frame.
     *
     * @param headerLength bytes of the header
     * @param payloadLength bytes of the payload, 0 for none
     * @return bytes after the frame length field; a long, since the sum may be beyond an int
     */
    public static long frameLength(int headerLength, long payloadLength) {
        return Integer.BYTES + (long) headerLength + payloadLength;
    }

    /**
     * Checks a frame length field before anything is allocated for it.
     *
     * @param frameLength value of the field
     * @param frameLengthMax largest value accepted
     * @throws WireFormatException if the frame cannot hold a header or is too long
     */
    public static void checkFrameLength(int frameLength, int frameLengthMax) {
        if (frameLength < Integer.BYTES + HEADER_LENGTH_MIN || frameLength > frameLengthMax) {
            throw new WireFormatException("frame length out of range: frameLength=" + frameLength + ", allowed="
                    + (Integer.BYTES + HEADER_LENGTH_MIN) + ".." + frameLengthMax
                    + "; the peer does not speak this protocol or sent too much at once");
        }
    }

    /**
     * Checks a header length field.
     *
     * @param headerLength value of the field
     * @param frameLength value of the frame's length field, itself checked
     * @throws WireFormatException if the header does not lie inside the frame
     */
    public static void checkHeaderLength(int headerLength, int frameLength) {
        if (headerLength < HEADER_LENGTH_MIN || headerLength > frameLength - Integer.BYTES) {
            throw new WireFormatException("frame header length out of range: headerLength=" + headerLength
                    + ", allowed=" + HEADER_LENGTH_MIN + ".." + (frameLength - Integer.BYTES) + ", frameLength="
                    + frameLength);
        }
    }

    /**
     * Writes both length fields.
     *
     * @param buffer to write into
     * @param index of the frame
     * @param headerLength bytes of the header
     * @param payloadLength bytes of the payload
     */
    public static void putLengths(MutableDirectBuffer buffer, int index, int headerLength, int payloadLength) {
        buffer.putInt(
                index + FRAME_LENGTH_OFFSET, Math.toIntExact(frameLength(headerLength, payloadLength)), BYTE_ORDER);
        buffer.putInt(index + HEADER_LENGTH_OFFSET, headerLength, BYTE_ORDER);
    }

    /**
     * Kind of the message whose header starts at an index.
     *
     * @param buffer that holds a header of at least {@link #HEADER_LENGTH_MIN} bytes
     * @param headerIndex of the SBE message header
     * @return the template id as sent, known or not
     */
    public static int templateId(DirectBuffer buffer, int headerIndex) {
        return buffer.getShort(headerIndex + TEMPLATE_ID_OFFSET, BYTE_ORDER) & 0xFFFF;
    }
}

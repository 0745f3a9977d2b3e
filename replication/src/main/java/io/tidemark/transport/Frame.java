package io.tidemark.transport;

import io.tidemark.wire.FrameDescriptor;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A received frame: where its header and its payload lie. A flyweight that the transport moves from frame to frame;
 * valid only during {@link ConnectionHandler#onFrame}.
 *
 * <p>{@link #buffer()} has a {@code byteBuffer()} or a {@code byteArray()} behind it, so that checksums can be
 * computed in place. Index {@code i} of the buffer is byte {@code i + buffer().wrapAdjustment()} of either.
 */
public final class Frame {
    private DirectBuffer buffer = new UnsafeBuffer(new byte[0]);
    private int headerIndex;
    private int headerLength;
    private int payloadLength;

    /** Creates a frame over nothing. */
    public Frame() {}

    /**
     * Moves to a frame whose two lengths have been checked to lie inside the buffer.
     *
     * @param source that holds the frame
     * @param index of the header, after the two lengths
     * @param headerBytes length of the header, at least {@link FrameDescriptor#HEADER_LENGTH_MIN}
     * @param payloadBytes length of the payload that follows, 0 for none
     * @return this
     */
    public Frame wrap(DirectBuffer source, int index, int headerBytes, int payloadBytes) {
        buffer = source;
        headerIndex = index;
        headerLength = headerBytes;
        payloadLength = payloadBytes;
        return this;
    }

    /**
     * Buffer that holds header and payload, and maybe other frames around them.
     *
     * @return the buffer, borrowed
     */
    public DirectBuffer buffer() {
        return buffer;
    }

    /**
     * Where the header, with its SBE message header, starts.
     *
     * @return index into {@link #buffer()}
     */
    public int headerIndex() {
        return headerIndex;
    }

    /**
     * Length of the header.
     *
     * @return bytes, at least {@link FrameDescriptor#HEADER_LENGTH_MIN}
     */
    public int headerLength() {
        return headerLength;
    }

    /**
     * Where the payload starts.
     *
     * @return index into {@link #buffer()}
     */
    public int payloadIndex() {
        return headerIndex + headerLength;
    }

    /**
     * Length of the payload.
     *
     * @return bytes, 0 for none
     */
    public int payloadLength() {
        return payloadLength;
    }

    /**
     * Kind of the message.
     *
     * @return the template id as received, known or not
     */
    public int templateId() {
        return FrameDescriptor.templateId(buffer, headerIndex);
    }
}

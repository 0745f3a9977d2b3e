package io.tidemark.transport;

import static io.tidemark.wire.FrameDescriptor.BYTE_ORDER;
import static io.tidemark.wire.FrameDescriptor.HEADER_OFFSET;

import io.tidemark.wire.FrameDescriptor;
import io.tidemark.wire.WireFormatException;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Cuts the stream of one connection into frames. Frames that lie whole in the bytes received are handed over in place;
 * one that is cut by the end of a read is gathered in a buffer of the connection, so that its bytes are copied once.
 *
 * <p>While the sink takes no frames the bytes that arrive are kept, at most those of one read beyond a partial frame,
 * since reading is off then.
 */
final class FrameAssembler {
    /** A gather buffer of at most this size is kept for the next frame; a larger one is left to the collector. */
    private static final int GATHER_KEPT_MAX = 1 << 20;

    private static final int GATHER_MIN = 16 * 1024;

    private final int frameLengthMax;
    private final FrameSink sink;
    private final Frame frame = new Frame();
    private final UnsafeBuffer gather = new UnsafeBuffer(new byte[0]);
    private int gathered;

    /**
     * An assembler without bytes.
     *
     * @param frameLengthMax largest frame length accepted
     * @param sink takes the frames
     */
    FrameAssembler(int frameLengthMax, FrameSink sink) {
        this.frameLengthMax = frameLengthMax;
        this.sink = sink;
    }

    /**
     * Takes the next bytes of the stream.
     *
     * @param chunk that holds them; with a byte buffer or an array behind it
     * @param index where they start
     * @param length how many there are
     * @throws WireFormatException if a length in them is out of range; the connection must be closed then
     */
    void onBytes(DirectBuffer chunk, int index, int length) {
        final int limit = index + length;
        int at = index;
        if (gathered > 0 && sink.takesFrames()) {
            at = completeGathered(chunk, at, limit);
        }
        if (gathered == 0) {
            at = handOver(chunk, at, limit);
        }
        if (at < limit) {
            gather(chunk, at, limit - at);
        }
    }

    /**
     * Hands over the whole frames that were kept while the sink took none.
     *
     * @throws WireFormatException as {@link #onBytes}
     */
    void resume() {
        final int at = handOver(gather, 0, gathered);
        final int left = gathered - at;
        if (left > 0 && at > 0) {
            gather.putBytes(0, gather, at, left);
        }
        gathered = left;
        shrink();
    }

    /**
     * Whether bytes are kept.
     *
     * @return true while part of a frame, or frames that the sink did not take, are kept
     */
    boolean hasGathered() {
        return gathered > 0;
    }

    private int completeGathered(DirectBuffer chunk, int from, int limit) {
        int at = from;
        while (at < limit) {
            final int missing = gathered < Integer.BYTES ? Integer.BYTES - gathered : firstFrameEnd() - gathered;
            final int count = Math.min(missing, limit - at);
            gather(chunk, at, count);
            at += count;
            if (gathered >= Integer.BYTES && gathered == firstFrameEnd()) {
                // Cleared first: whatever the handler does or throws, the frame is not handed over twice.
                gathered = 0;
                deliver(gather, 0, gather.getInt(0, BYTE_ORDER));
                shrink();
                return at;
            }
        }
        return at;
    }

    private int firstFrameEnd() {
        final int frameLength = gather.getInt(0, BYTE_ORDER);
        FrameDescriptor.checkFrameLength(frameLength, frameLengthMax);
        return Integer.BYTES + frameLength;
    }

    private int handOver(DirectBuffer source, int from, int limit) {
        int at = from;
        while (limit - at >= Integer.BYTES && sink.takesFrames()) {
            final int frameLength = source.getInt(at, BYTE_ORDER);
            FrameDescriptor.checkFrameLength(frameLength, frameLengthMax);
            if (limit - at - Integer.BYTES < frameLength) {
                break;
            }
            deliver(source, at, frameLength);
            at += Integer.BYTES + frameLength;
        }
        return at;
    }

    private void deliver(DirectBuffer source, int index, int frameLength) {
        final int headerLength = source.getInt(index + FrameDescriptor.HEADER_LENGTH_OFFSET, BYTE_ORDER);
        FrameDescriptor.checkHeaderLength(headerLength, frameLength);
        sink.onFrame(
                frame.wrap(source, index + HEADER_OFFSET, headerLength, frameLength - Integer.BYTES - headerLength));
    }

    private void gather(DirectBuffer chunk, int index, int length) {
        ensureCapacity(gathered + length);
        gather.putBytes(gathered, chunk, index, length);
        gathered += length;
    }

    private void ensureCapacity(int needed) {
        if (needed <= gather.capacity()) {
            return;
        }
        // Grows with the bytes that came, not with the length that the peer claims.
        final byte[] grown = new byte[Math.max(GATHER_MIN, Math.max(needed, 2 * gather.capacity()))];
        gather.getBytes(0, grown, 0, gathered);
        gather.wrap(grown);
    }

    private void shrink() {
        if (gathered == 0 && gather.capacity() > GATHER_KEPT_MAX) {
            gather.wrap(new byte[0]);
        }
    }
}

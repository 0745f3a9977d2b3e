package io.tidemark.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.wire.FrameDescriptor;
import io.tidemark.wire.WireFormatException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class FrameAssemblerTest {
    private static final int FRAME_LENGTH_MAX = 64 * 1024;

    private final ExpandableArrayBuffer stream = new ExpandableArrayBuffer();
    private final List<String> frames = new ArrayList<>();
    private int streamLength;
    private boolean open = true;
    private int pauseAfter = Integer.MAX_VALUE;

    private final FrameAssembler assembler = new FrameAssembler(FRAME_LENGTH_MAX, new FrameSink() {
        @Override
        public boolean takesFrames() {
            return open;
        }

        @Override
        public void onFrame(Frame frame) {
            frames.add(describe(frame));
            open = frames.size() % pauseAfter != 0;
        }
    });

    private static String describe(Frame frame) {
        long sum = 0;
        for (int i = 0; i < frame.payloadLength(); i++) {
            sum = 31 * sum + frame.buffer().getByte(frame.payloadIndex() + i);
        }
        return frame.templateId() + ":" + frame.headerLength() + ":" + frame.payloadLength() + ":" + sum;
    }

    private String put(int templateId, int headerLength, int payloadLength, SplittableRandom random) {
        FrameDescriptor.putLengths(stream, streamLength, headerLength, payloadLength);
        int header = streamLength + FrameDescriptor.HEADER_OFFSET;
        stream.setMemory(header, headerLength, (byte) 0);
        stream.putShort(header + 2, (short) templateId, FrameDescriptor.BYTE_ORDER);
        for (int i = 0; i < payloadLength; i++) {
            stream.putByte(header + headerLength + i, (byte) random.nextInt());
        }
        streamLength = header + headerLength + payloadLength;
        return describe(new Frame().wrap(stream, header, headerLength, payloadLength));
    }

    private void putLengths(int frameLength, int headerLength) {
        stream.putInt(0, frameLength, FrameDescriptor.BYTE_ORDER);
        stream.putInt(4, headerLength, FrameDescriptor.BYTE_ORDER);
        streamLength = 24;
    }

    // Every way to cut a stream gives the same frames, whether the reader pauses or not.
    @Test
    void shouldCutTheSameFramesWhateverTheFragments() {
        for (long seed = 1; seed <= 300; seed++) {
            System.out.println("FrameAssemblerTest seed=" + seed + "; replay: run this method with only this seed");
            SplittableRandom random = new SplittableRandom(seed);
            frames.clear();
            streamLength = 0;
            open = true;
            pauseAfter = random.nextBoolean() ? Integer.MAX_VALUE : 1 + random.nextInt(4);
            List<String> expected = new ArrayList<>();
            int count = 1 + random.nextInt(30);
            for (int i = 0; i < count; i++) {
                int payload = random.nextInt(4) == 0 ? random.nextInt(60_000) : random.nextInt(200);
                expected.add(put(i, 8 + random.nextInt(100), payload, random));
            }
            deliverInFragments(random);
            assertEquals(expected, frames, "seed=" + seed);
            assertFalse(assembler.hasGathered(), "seed=" + seed);
        }
    }

    private void deliverInFragments(SplittableRandom random) {
        int at = 0;
        while (at < streamLength) {
            int max = random.nextInt(3) == 0 ? 8 : 70_000;
            int length = Math.min(streamLength - at, 1 + random.nextInt(max));
            byte[] chunk = new byte[length + 3];
            stream.getBytes(at, chunk, 3, length);
            assembler.onBytes(new UnsafeBuffer(chunk), 3, length);
            at += length;
            if (!open && random.nextInt(3) == 0) {
                open = true;
                assembler.resume();
            }
        }
        while (!open) {
            open = true;
            assembler.resume();
        }
    }

    // The limit itself is accepted; one more is refused as soon as the length is there, before any memory is taken.
    @Test
    void shouldEnforceTheFrameLimitBeforeTheFrameIsThere() {
        put(1, 8, FRAME_LENGTH_MAX - 4 - 8, new SplittableRandom(1));
        assembler.onBytes(stream, 0, streamLength);
        assertEquals(1, frames.size());

        putLengths(FRAME_LENGTH_MAX + 1, 8);
        WireFormatException whole = assertThrows(WireFormatException.class, () -> assembler.onBytes(stream, 0, 4));
        assertEquals(
                "frame length out of range: frameLength=65537, allowed=12..65536; the peer does not speak this"
                        + " protocol or sent too much at once",
                whole.getMessage());
    }

    // A length that is cut by the end of a read is checked like any other.
    @Test
    void shouldRefuseBadLengthsInFragments() {
        putLengths(-1, 8);
        assembler.onBytes(stream, 0, 3);
        assertTrue(assembler.hasGathered());
        assertThrows(WireFormatException.class, () -> assembler.onBytes(stream, 3, 5));
    }

    // Hostile lengths: too small for a header, header beyond the frame, negative header.
    @Test
    void shouldRefuseFramesThatCannotHoldTheirHeader() {
        putLengths(11, 7);
        assertThrows(WireFormatException.class, () -> assembler.onBytes(stream, 0, streamLength));
        putLengths(20, 17);
        assertThrows(WireFormatException.class, () -> assembler.onBytes(stream, 0, streamLength));
        putLengths(20, -8);
        assertThrows(WireFormatException.class, () -> assembler.onBytes(stream, 0, streamLength));
        putLengths(20, 7);
        assertThrows(WireFormatException.class, () -> assembler.onBytes(stream, 0, streamLength));
        assertTrue(frames.isEmpty());
    }
}

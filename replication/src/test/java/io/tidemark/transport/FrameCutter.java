package io.tidemark.transport;

import io.tidemark.wire.FrameDescriptor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;

/** Cuts a simulated connection's bytes into frames by the production's own assembler. */
public final class FrameCutter {
    private final FrameAssembler assembler;

    public FrameCutter(BooleanSupplier takesFrames, Consumer<Frame> sink) {
        assembler = new FrameAssembler(FrameDescriptor.FRAME_LENGTH_MAX_DEFAULT, new FrameSink() {
            @Override
            public boolean takesFrames() {
                return takesFrames.getAsBoolean();
            }

            @Override
            public void onFrame(Frame frame) {
                sink.accept(frame);
            }
        });
    }

    /** Takes the next bytes of the stream. */
    public void onBytes(byte[] bytes) {
        assembler.onBytes(new UnsafeBuffer(bytes), 0, bytes.length);
    }

    /** Hands over what was kept while frames were not taken. */
    public void resume() {
        assembler.resume();
    }

    public boolean hasKept() {
        return assembler.hasGathered();
    }
}

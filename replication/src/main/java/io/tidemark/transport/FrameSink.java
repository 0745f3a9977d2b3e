package io.tidemark.transport;

/** Where a {@link FrameAssembler} hands frames over. */
interface FrameSink {
    /**
     * Whether the next frame may be handed over.
     *
     * @return false while reading is off, and for good once the connection is closed
     */
    boolean takesFrames();

    /**
     * Takes a frame.
     *
     * @param frame valid during this call only
     */
    void onFrame(Frame frame);
}

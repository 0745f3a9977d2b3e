package io.tidemark.log.codec;

import java.io.IOException;
import java.io.OutputStream;

/** A stream into an array that does not grow; what does not fit is dropped and remembered. Owned by one thread. */
final class FixedOutput extends OutputStream {
    private final byte[] to;
    private final int room;
    private long length;

    /**
     * A stream to the beginning of an array.
     *
     * @param to takes the bytes
     * @param room most bytes
     */
    FixedOutput(byte[] to, int room) {
        this.to = to;
        this.room = room;
    }

    @Override
    public void write(int b) throws IOException {
        if (length < room) {
            to[(int) length] = (byte) b;
        }
        length++;
    }

    @Override
    public void write(byte[] from, int offset, int count) throws IOException {
        if (length + count <= room) {
            System.arraycopy(from, offset, to, (int) length, count);
        }
        length += count;
    }

    /**
     * The number of bytes written.
     *
     * @return a count, or {@link Codec#NO_ROOM}
     */
    int result() {
        return length <= room ? (int) length : Codec.NO_ROOM;
    }
}

package io.tidemark.log.codec;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Bytes that grow up to a limit. Owned by one thread. */
final class BoundedBytes {
    private static final int LEAST = 4096;

    private final int bytesMax;
    private byte[] bytes = new byte[0];
    private int length;

    /**
     * No bytes.
     *
     * @param bytesMax most bytes
     */
    BoundedBytes(int bytesMax) {
        this.bytesMax = bytesMax;
    }

    /**
     * Most bytes.
     *
     * @return the limit
     */
    int bytesMax() {
        return bytesMax;
    }

    /**
     * Begins anew.
     *
     * @param retainedMax most bytes of memory to be kept
     */
    void clear(int retainedMax) {
        length = 0;
        if (bytes.length > retainedMax) {
            bytes = new byte[0];
        }
    }

    /**
     * Makes room behind the bytes that are there.
     *
     * @param more number of bytes
     * @throws IOException when the limit forbids it
     */
    void reserve(int more) throws IOException {
        if (more > bytesMax - length) {
            throw new IOException("records take more than they may: decompressedBytes=" + (length + (long) more)
                    + ", decompressedBytesMax=" + bytesMax);
        }
        if (more > bytes.length - length) {
            final long grown = Math.max(LEAST, Math.max(length + (long) more, 2L * bytes.length));
            bytes = Arrays.copyOf(bytes, (int) Math.min(grown, bytesMax));
        }
    }

    /**
     * The memory; it changes with {@link #reserve}.
     *
     * @return the bytes and the room behind them
     */
    byte[] array() {
        return bytes;
    }

    /**
     * The number of bytes that are there.
     *
     * @return a count
     */
    int length() {
        return length;
    }

    /**
     * Counts bytes that were put into the room behind.
     *
     * @param count number of bytes
     */
    void added(int count) {
        length += count;
    }

    /**
     * Reads a stream to its end.
     *
     * @param stream to read
     * @throws IOException when it cannot be read, or holds more than the limit allows
     */
    void readAll(InputStream stream) throws IOException {
        while (true) {
            if (length == bytes.length && length < bytesMax) {
                reserve(1);
            }
            if (length == bytesMax) {
                if (stream.read() >= 0) {
                    reserve(1);
                }
                return;
            }
            final int n = stream.read(bytes, length, bytes.length - length);
            if (n < 0) {
                return;
            }
            length += n;
        }
    }
}

package io.tidemark.log.codec;

import java.io.IOException;

/** One way to compress bytes, stateless. Any thread. */
interface Codec {
    /** Returned when the result would not fit. */
    int NO_ROOM = -1;

    /**
     * Compresses bytes.
     *
     * @param from holds the bytes from its beginning
     * @param length number of bytes
     * @param to takes the result from its beginning
     * @param room most bytes of the result
     * @return number of bytes of the result, or {@link #NO_ROOM}
     * @throws IOException when the library fails
     */
    int compress(byte[] from, int length, byte[] to, int room) throws IOException;

    /**
     * Opens compressed bytes, which may be hostile: nothing may be reserved that {@code to} did not allow.
     *
     * @param from holds the bytes from its beginning
     * @param length number of bytes
     * @param to takes the result
     * @throws IOException when the bytes are not of this codec, or the result would be larger than allowed
     */
    void decompress(byte[] from, int length, BoundedBytes to) throws IOException;
}

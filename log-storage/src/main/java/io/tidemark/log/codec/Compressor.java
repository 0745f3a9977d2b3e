package io.tidemark.log.codec;

import io.tidemark.log.Compression;
import io.tidemark.log.MissingCodecException;
import java.io.IOException;
import org.agrona.MutableDirectBuffer;

/** Compresses the records of batches. Keeps memory of about twice the largest batch. Owned by one thread. */
public final class Compressor {
    private static final int PROBE_BYTES = 64;

    private final Compression compression;
    private final Codec codec;
    private byte[] plain = new byte[0];
    private byte[] packed = new byte[0];

    /**
     * A compressor.
     *
     * @param compression not {@link Compression#NONE}
     * @throws MissingCodecException when the codec's library is not there
     */
    public Compressor(Compression compression) {
        this.compression = compression;
        try {
            codec = Codecs.of(compression);
            // A missing library shows when it is used, and not later than now.
            codec.compress(new byte[1], 1, new byte[PROBE_BYTES], PROBE_BYTES);
        } catch (final IOException e) {
            throw new IllegalStateException("codec does not work: codec=" + compression.label(), e);
        } catch (final LinkageError e) {
            throw new MissingCodecException(compression, e);
        }
    }

    /**
     * How it compresses.
     *
     * @return as given
     */
    public Compression compression() {
        return compression;
    }

    /**
     * Puts compressed bytes in the place of bytes, if they are fewer.
     *
     * @param buffer that holds the bytes
     * @param index of the first byte
     * @param length number of bytes
     * @return the new number of bytes, smaller than {@code length}; or {@code length} when nothing was changed
     */
    public int compress(MutableDirectBuffer buffer, int index, int length) {
        if (plain.length < length) {
            plain = new byte[length];
        }
        if (packed.length < length) {
            packed = new byte[length];
        }
        buffer.getBytes(index, plain, 0, length);
        final int result;
        try {
            result = codec.compress(plain, length, packed, length - 1);
        } catch (final IOException e) {
            throw new IllegalStateException(
                    "records cannot be compressed: codec=" + compression.label() + ", bytes=" + length, e);
        }
        if (result == Codec.NO_ROOM) {
            return length;
        }
        buffer.putBytes(index, packed, 0, result);
        return result;
    }
}

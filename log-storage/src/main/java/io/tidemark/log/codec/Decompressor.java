package io.tidemark.log.codec;

import io.tidemark.log.Compression;
import io.tidemark.log.InvalidBatchException;
import io.tidemark.log.MissingCodecException;
import io.tidemark.log.format.BatchDescriptor;
import java.io.IOException;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Opens the records of compressed batches into memory of its own. The compressed bytes are copied first: a library's
 * native code must not touch a mapped file, whose pages may be gone. What hostile bytes can make it reserve is bounded.
 * Owned by one thread.
 */
public final class Decompressor {
    private final int retainedMax;
    private final BoundedBytes records;
    private final UnsafeBuffer view = new UnsafeBuffer(new byte[0]);
    private final @Nullable Codec[] codecs = new Codec[BatchDescriptor.COMPRESSION_MAX + 1];
    private byte[] packed = new byte[0];

    /**
     * A decompressor.
     *
     * @param retainedMax most bytes of memory that are kept from one batch to the next
     * @param bytesMax most bytes of a batch's records
     */
    public Decompressor(int retainedMax, int bytesMax) {
        this.retainedMax = retainedMax;
        records = new BoundedBytes(bytesMax);
    }

    /**
     * Opens the records of a batch.
     *
     * @param batch that holds it, may be a mapped file
     * @param index where it begins
     * @param size of it in bytes; the header was checked
     * @return number of bytes of the records; they begin at 0 in {@link #buffer()}
     * @throws MissingCodecException when the codec's library is not there
     * @throws InvalidBatchException when the bytes are not of the codec or would take too much
     */
    public int open(DirectBuffer batch, int index, int size) {
        final int id = BatchDescriptor.codec(batch, index);
        final Compression compression = Compression.ofId(id);
        final int length = size - BatchDescriptor.HEADER_LENGTH;
        if (packed.length < length || packed.length > Math.max(length, retainedMax)) {
            packed = new byte[length];
        }
        batch.getBytes(index + BatchDescriptor.HEADER_LENGTH, packed, 0, length);
        records.clear(retainedMax);
        try {
            Codec codec = codecs[id];
            if (codec == null) {
                codec = Codecs.of(compression);
                codecs[id] = codec;
            }
            codec.decompress(packed, length, records);
        } catch (final IOException | RuntimeException e) {
            // Libraries meet hostile bytes with exceptions of many types, unchecked ones too.
            throw refused(batch, index, compression, e);
        } catch (final LinkageError e) {
            throw new MissingCodecException(compression, e);
        }
        view.wrap(records.array());
        return records.length();
    }

    private static InvalidBatchException refused(
            DirectBuffer batch, int index, Compression compression, Exception cause) {
        final InvalidBatchException refused = new InvalidBatchException(
                "records cannot be decompressed: field=records, codec=" + compression.label() + ", baseOffset="
                        + BatchDescriptor.baseOffset(batch, index) + ", index=" + index + ", problem="
                        + cause.getMessage() + "; the batch was built wrongly or is damaged");
        refused.initCause(cause);
        return refused;
    }

    /**
     * What came out last.
     *
     * @return a view that changes with the next batch
     */
    public DirectBuffer buffer() {
        return view;
    }
}

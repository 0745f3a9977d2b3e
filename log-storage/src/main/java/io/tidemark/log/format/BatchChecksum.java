package io.tidemark.log.format;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Computes CRC32C over parts of buffers without garbage. Not thread-safe: it keeps the running sum, a view of the
 * byte buffer summed last, and a small scratch.
 */
public final class BatchChecksum {
    private static final int SCRATCH_LENGTH = 8192;

    private final CRC32C crc = new CRC32C();
    private @Nullable ByteBuffer viewOf;
    private @Nullable ByteBuffer view;
    private byte @Nullable [] scratch;

    /**
     * Sums memory of our own: a byte array or a direct byte buffer, never a mapped file. A fault inside the JDK's
     * checksum stub kills the JVM; see {@link #sumMapped}.
     *
     * @param buffer that wraps a byte array or a direct byte buffer
     * @param index of the first byte
     * @param length number of bytes
     * @return the CRC32C
     */
    public int sum(DirectBuffer buffer, int index, int length) {
        final byte[] array = buffer.byteArray();
        final int start = index + buffer.wrapAdjustment();
        crc.reset();
        if (array != null) {
            crc.update(array, start, length);
        } else {
            final ByteBuffer bytes = viewOf(buffer);
            bytes.limit(start + length).position(start);
            crc.update(bytes);
        }
        return (int) crc.getValue();
    }

    /**
     * Sums memory that may be a mapped file: the bytes go through a scratch, because a bulk copy from a page that
     * cannot be had ends in an {@link InternalError}, while the checksum stub would end the JVM.
     *
     * @param buffer of any kind
     * @param index of the first byte
     * @param length number of bytes
     * @return the CRC32C
     */
    public int sumMapped(DirectBuffer buffer, int index, int length) {
        byte[] chunk = scratch;
        if (chunk == null) {
            chunk = new byte[SCRATCH_LENGTH];
            scratch = chunk;
        }
        crc.reset();
        int at = index;
        int left = length;
        while (left > 0) {
            final int n = Math.min(left, SCRATCH_LENGTH);
            buffer.getBytes(at, chunk, 0, n);
            crc.update(chunk, 0, n);
            at += n;
            left -= n;
        }
        return (int) crc.getValue();
    }

    /**
     * Sums a few bytes and then memory of our own, as if one followed the other.
     *
     * @param head first bytes
     * @param buffer that wraps a byte array or a direct byte buffer, never a mapped file
     * @param index of the first byte after the head
     * @param length number of bytes after the head
     * @return the CRC32C
     */
    public int sum(byte[] head, DirectBuffer buffer, int index, int length) {
        final byte[] array = buffer.byteArray();
        final int start = index + buffer.wrapAdjustment();
        crc.reset();
        crc.update(head, 0, head.length);
        if (array != null) {
            crc.update(array, start, length);
        } else {
            final ByteBuffer bytes = viewOf(buffer);
            bytes.limit(start + length).position(start);
            crc.update(bytes);
        }
        return (int) crc.getValue();
    }

    @SuppressWarnings("ReferenceEquality") // the very same buffer is meant, not one of equal content
    private ByteBuffer viewOf(DirectBuffer buffer) {
        final ByteBuffer source = buffer.byteBuffer();
        if (source == null) {
            throw new IllegalArgumentException("buffer wraps neither a byte array nor a byte buffer; wrap one of them");
        }
        ByteBuffer cached = view;
        if (source != viewOf || cached == null) {
            cached = source.duplicate();
            cached.clear();
            view = cached;
            viewOf = source;
        }
        return cached;
    }
}

package io.tidemark.log.segment;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.tidemark.log.format.BatchDefect;
import io.tidemark.log.format.BatchDescriptor;
import io.tidemark.log.format.BatchValidator;
import io.tidemark.log.io.FileHandle;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Walks the batches of a file through its channel, never through a mapping: summing a mapped page that cannot be had
 * kills the JVM. Holds a window of fixed size, whatever lengths the bytes claim. Not thread-safe.
 */
public final class BatchScanner {
    private static final int WINDOW = 64 * 1024;

    private final FileHandle file;
    private final long limit;
    private final boolean checksums;
    private final byte[] window = new byte[WINDOW];
    private final UnsafeBuffer buffer = new UnsafeBuffer(window);
    private final CRC32C crc = new CRC32C();
    private long windowStart;
    private int windowLength;
    private long position;
    private long size;
    private BatchDefect defect = BatchDefect.NONE;

    /**
     * A scanner before the batch at a position.
     *
     * @param file to read; it stays open
     * @param from where the first batch begins
     * @param limit where to stop, at most the size of the file
     * @param checksums whether every byte is read and summed, or only the headers are looked at
     */
    public BatchScanner(FileHandle file, long from, long limit, boolean checksums) {
        this.file = file;
        this.position = from;
        this.limit = limit;
        this.checksums = checksums;
    }

    /**
     * Goes to the next batch.
     *
     * @return false at the limit, and when the bytes there are no good batch; {@link #defect()} tells which
     * @throws IOException when the file cannot be read
     */
    public boolean next() throws IOException {
        position += size;
        size = 0;
        defect = BatchDefect.NONE;
        final long left = limit - position;
        if (left <= 0) {
            return false;
        }
        if (!load((int) Math.min(left, BatchDescriptor.HEADER_LENGTH))) {
            defect = BatchDefect.SHORT_HEADER;
            return false;
        }
        defect = BatchValidator.checkHeader(buffer, at(), (int) Math.min(left, Integer.MAX_VALUE), Integer.MAX_VALUE);
        if (defect == BatchDefect.NONE) {
            defect = BatchValidator.checkPlace(buffer, at());
        }
        if (defect != BatchDefect.NONE) {
            return false;
        }
        final long batchSize = BatchDescriptor.sizeInBytes(buffer, at());
        if (checksums && !matches(batchSize)) {
            defect = BatchDefect.BAD_CRC;
            return false;
        }
        if (!load(BatchDescriptor.HEADER_LENGTH)) {
            defect = BatchDefect.SHORT_HEADER;
            return false;
        }
        size = batchSize;
        return true;
    }

    private boolean matches(long batchSize) throws IOException {
        final int stored = buffer.getInt(at() + BatchDescriptor.CRC, BIG_ENDIAN);
        crc.reset();
        long from = position + BatchDescriptor.ATTRIBUTES;
        final long end = position + batchSize;
        while (from < end) {
            if (from < windowStart || from >= windowStart + windowLength) {
                fill(from);
                if (windowLength == 0) {
                    return false;
                }
            }
            final int start = (int) (from - windowStart);
            final int n = (int) Math.min(end - from, windowLength - start);
            crc.update(window, start, n);
            from += n;
        }
        return (int) crc.getValue() == stored;
    }

    private boolean load(int bytes) throws IOException {
        if (position < windowStart || position + bytes > windowStart + windowLength) {
            fill(position);
        }
        return windowLength - at() >= bytes;
    }

    private void fill(long from) throws IOException {
        windowStart = from;
        windowLength = file.read(ByteBuffer.wrap(window, 0, (int) Math.min(WINDOW, limit - from)), from);
    }

    private int at() {
        return (int) (position - windowStart);
    }

    /**
     * Why {@link #next()} returned false.
     *
     * @return {@link BatchDefect#NONE} at the limit
     */
    public BatchDefect defect() {
        return defect;
    }

    /**
     * Where the current batch begins; after {@code next()} returned false, where the good batches end.
     *
     * @return place in the file
     */
    public long position() {
        return position;
    }

    /**
     * The size of the current batch.
     *
     * @return bytes
     */
    public int sizeInBytes() {
        return (int) size;
    }

    /**
     * The first offset of the current batch.
     *
     * @return an offset
     */
    public long baseOffset() {
        return BatchDescriptor.baseOffset(buffer, at());
    }

    /**
     * The last offset of the current batch.
     *
     * @return an offset, inclusive
     */
    public long lastOffset() {
        return BatchDescriptor.lastOffset(buffer, at());
    }

    /**
     * The greatest timestamp of the current batch.
     *
     * @return milliseconds since the epoch of Unix, as stored
     */
    public long maxTimestamp() {
        return BatchDescriptor.maxTimestamp(buffer, at());
    }

    /**
     * The checksum that the current batch carries.
     *
     * @return the CRC32C as stored
     */
    public int storedChecksum() {
        return buffer.getInt(at() + BatchDescriptor.CRC, BIG_ENDIAN);
    }

    /**
     * The epoch of the current batch.
     *
     * @return an epoch
     */
    public int leaderEpoch() {
        return BatchDescriptor.leaderEpoch(buffer, at());
    }

    /**
     * Whether everything from a position to the limit is zero: an unused tail.
     *
     * @param from place in the file
     * @return false when any byte is set
     * @throws IOException when the file cannot be read
     */
    public boolean isZeroFrom(long from) throws IOException {
        long at = from;
        while (at < limit) {
            fill(at);
            if (windowLength == 0) {
                return true;
            }
            for (int i = 0; i < windowLength; i++) {
                if (window[i] != 0) {
                    return false;
                }
            }
            at += windowLength;
        }
        return true;
    }
}

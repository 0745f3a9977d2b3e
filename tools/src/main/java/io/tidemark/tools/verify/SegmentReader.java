package io.tidemark.tools.verify;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Reads the batches of one {@code .log} file in order, through the channel and a buffer of its own. Bytes of zero up
 * to the end of the file are the unused part of a preallocated file, not damage.
 */
public final class SegmentReader implements AutoCloseable {
    private static final int WINDOW_SIZE = 1 << 18;

    private final Path file;
    private final long endOffset;
    private final FileChannel channel;
    private final long fileSize;
    private ByteBuffer window = ByteBuffer.allocate(WINDOW_SIZE).limit(0);
    private long windowPosition;
    private long position;
    private long tailSize;

    /**
     * Opens a file.
     *
     * @param file the file
     * @param endOffset the base offset of the segment after it, {@link Long#MAX_VALUE} for the last: batches at and
     *     above it were truncated away and are not returned
     * @throws IOException if it cannot be opened
     */
    public SegmentReader(Path file, long endOffset) throws IOException {
        this.file = file;
        this.endOffset = endOffset;
        this.channel = FileChannel.open(file, StandardOpenOption.READ);
        this.fileSize = channel.size();
    }

    /**
     * Reads the next batch and checks its checksum and counts.
     *
     * @return the batch, or null at the end
     * @throws DamagedLogException if the bytes are no valid batch
     * @throws IOException if the file cannot be read
     */
    public @Nullable LoggedBatch next() throws IOException {
        if (position == fileSize) {
            return null;
        }
        if (fileSize - position < LoggedBatch.HEADER_LENGTH) {
            return endWithZeros("the file ends inside a batch header: left=" + (fileSize - position));
        }
        ByteBuffer header = view(LoggedBatch.HEADER_LENGTH);
        long baseOffset = header.getLong(header.position());
        int batchLength = header.getInt(header.position() + 8);
        if (batchLength == 0) {
            return endWithZeros("a batch has no length: baseOffset=" + baseOffset);
        }
        long size = (long) batchLength + LoggedBatch.LENGTH_OVERHEAD;
        if (size < LoggedBatch.HEADER_LENGTH || size > fileSize - position) {
            throw new DamagedLogException(
                    "a batch does not fit into its file: baseOffset=" + baseOffset + ", size=" + size + ", left="
                            + (fileSize - position),
                    file,
                    position);
        }
        if (baseOffset >= endOffset) {
            tailSize = fileSize - position;
            return null;
        }
        byte[] bytes = new byte[(int) size];
        view((int) size).get(bytes);
        LoggedBatch batch = new LoggedBatch(file, position, bytes);
        batch.check();
        position += size;
        return batch;
    }

    /**
     * How many bytes behind the last batch are no part of the log. Known after {@link #next} returned null.
     *
     * @return zeros of a preallocated file, or what a truncation left, in bytes; 0 in a closed folder
     */
    public long tailSize() {
        return tailSize;
    }

    private @Nullable LoggedBatch endWithZeros(String otherwise) throws IOException {
        for (long at = position; at < fileSize; ) {
            int count = (int) Math.min(WINDOW_SIZE, fileSize - at);
            ByteBuffer bytes = viewAt(at, count);
            while (bytes.hasRemaining()) {
                if (bytes.get() != 0) {
                    throw new DamagedLogException(otherwise, file, position);
                }
            }
            at += count;
        }
        tailSize = fileSize - position;
        return null;
    }

    private ByteBuffer view(int count) throws IOException {
        return viewAt(position, count);
    }

    private ByteBuffer viewAt(long from, int count) throws IOException {
        if (from < windowPosition || from + count > windowPosition + window.limit()) {
            if (count > window.capacity()) {
                window = ByteBuffer.allocate(count);
            }
            window.clear();
            windowPosition = from;
            while (window.hasRemaining()) {
                if (channel.read(window, from + window.position()) < 0) {
                    break;
                }
            }
            window.flip();
            if (window.limit() < count) {
                throw new EOFException("the file became shorter while it was read: file=" + file + ", position=" + from
                        + "; read it while no broker uses the folder");
            }
        }
        int start = (int) (from - windowPosition);
        return window.duplicate().limit(start + count).position(start);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}

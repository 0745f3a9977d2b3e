package io.tidemark.tools.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the batches of one {@code .log} file for a check: unlike {@link SegmentReader} it goes on behind a batch whose
 * content is wrong, as long as the length of the batch can be believed, so that one check finds all of the damage.
 */
final class SegmentCheck implements AutoCloseable {
    private static final int WINDOW_SIZE = 1 << 18;

    private final Path file;
    private final long limit;
    private final FileChannel channel;
    private ByteBuffer window = ByteBuffer.allocate(WINDOW_SIZE).limit(0);
    private long windowPosition;
    private long position;
    private @Nullable String problem;

    /**
     * Opens a file.
     *
     * @param file the file
     * @param limit where the live part ends at the latest
     * @throws IOException if it cannot be opened
     */
    SegmentCheck(Path file, long limit) throws IOException {
        this.file = file;
        this.channel = FileChannel.open(file, StandardOpenOption.READ);
        this.limit = Math.min(limit, channel.size());
    }

    /**
     * Reads the next batch, good or bad.
     *
     * @param findings receives what is wrong with a batch that is returned nevertheless
     * @return the batch; null at the end, and where no batch can stand: see {@link #problem()}
     * @throws IOException if the file cannot be read
     */
    @Nullable
    LoggedBatch next(Consumer<DamagedLogException> findings) throws IOException {
        long left = limit - position;
        if (left == 0) {
            return null;
        }
        if (left < LoggedBatch.HEADER_LENGTH) {
            problem = "the file ends inside a batch header: left=" + left;
            return null;
        }
        ByteBuffer header = view(position, LoggedBatch.HEADER_LENGTH);
        int start = header.position();
        long size = header.getInt(start + 8) + (long) LoggedBatch.LENGTH_OVERHEAD;
        if (size < LoggedBatch.HEADER_LENGTH || size > left || header.get(start + 16) != 2) {
            problem = "no batch where one should begin: baseOffset=" + header.getLong(start) + ", size=" + size
                    + ", left=" + left + ", magic=" + header.get(start + 16);
            return null;
        }
        byte[] bytes = new byte[(int) size];
        view(position, (int) size).get(bytes);
        LoggedBatch batch = new LoggedBatch(file, position, bytes);
        position += size;
        try {
            batch.check();
            if (batch.compression().equals("none")) {
                checkRecords(batch);
            }
        } catch (DamagedLogException damaged) {
            findings.accept(damaged);
        }
        return batch;
    }

    private void checkRecords(LoggedBatch batch) throws DamagedLogException {
        RecordWalk walk = batch.records(compressed -> {
            throw new IllegalArgumentException("only the checksum and the counts of compressed batches are checked");
        });
        long greatest = Long.MIN_VALUE;
        for (LoggedRecord record = walk.next(); record != null; record = walk.next()) {
            greatest = Math.max(greatest, record.timestamp());
        }
        boolean isAppendTime = (batch.attributes() & LoggedBatch.APPEND_TIME) != 0;
        if (batch.recordCount() > 0 && !isAppendTime && greatest != batch.maxTimestamp()) {
            throw new DamagedLogException(
                    "batch says another greatest timestamp than its records: baseOffset=" + batch.baseOffset()
                            + ", maxTimestamp=" + batch.maxTimestamp() + ", actual=" + greatest,
                    file,
                    batch.position());
        }
    }

    /**
     * Why {@link #next} returned null.
     *
     * @return what stands there instead of a batch; null at the end of the live part
     */
    @Nullable
    String problem() {
        return problem;
    }

    /**
     * Where the next batch would begin.
     *
     * @return place in the file
     */
    long position() {
        return position;
    }

    /**
     * Whether there are only zeros from the position on: the unused part of a preallocated file.
     *
     * @return false if any byte is set
     * @throws IOException if the file cannot be read
     */
    boolean isZeroFromHere() throws IOException {
        for (long at = position; at < limit; ) {
            int count = (int) Math.min(WINDOW_SIZE, limit - at);
            ByteBuffer bytes = view(at, count);
            while (bytes.hasRemaining()) {
                if (bytes.get() != 0) {
                    return false;
                }
            }
            at += count;
        }
        return true;
    }

    private ByteBuffer view(long from, int count) throws IOException {
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
                throw new DamagedLogException(
                        "the file became shorter while it was read: stop the broker first", file, from);
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

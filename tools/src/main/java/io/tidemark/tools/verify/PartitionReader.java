package io.tidemark.tools.verify;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Walks all batches of one partition folder, segment after segment, and checks that offsets and epochs only grow.
 * Keeps at most one file open.
 */
public final class PartitionReader implements AutoCloseable {
    private static final int BASE_OFFSET_DIGITS = 20;

    private final List<Path> segments;
    private int nextSegment;
    private @Nullable SegmentReader current;
    private long endOffset;
    private int lastEpoch = Integer.MIN_VALUE;
    private long tailSize;

    /**
     * Prepares the walk.
     *
     * @param segments {@code .log} files of one partition in the order of their base offsets
     */
    public PartitionReader(List<Path> segments) {
        this.segments = List.copyOf(segments);
    }

    /**
     * Finds the segments of a folder.
     *
     * @param folder a partition folder
     * @return its {@code .log} files in the order of their base offsets, may be empty
     * @throws NoSuchFileException if there is no such folder
     * @throws IOException if it cannot be listed
     */
    public static List<Path> segmentsOf(Path folder) throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, "*.log")) {
            for (Path entry : entries) {
                if (isSegment(entry)) {
                    files.add(entry);
                }
            }
        }
        files.sort(null);
        return files;
    }

    /**
     * Tells whether a file is named as a segment.
     *
     * @param file any path
     * @return true for 20 digits and {@code .log}
     */
    public static boolean isSegment(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.length() == BASE_OFFSET_DIGITS + 4
                && name.endsWith(".log")
                && name.chars().limit(BASE_OFFSET_DIGITS).allMatch(c -> c >= '0' && c <= '9');
    }

    /**
     * Reads the next batch.
     *
     * @return the batch, or null after the last one of the last segment
     * @throws DamagedLogException if bytes are no valid batch, or offsets or epochs go back
     * @throws IOException if a file cannot be read
     */
    public @Nullable LoggedBatch next() throws IOException {
        while (true) {
            SegmentReader segment = current;
            if (segment == null) {
                if (nextSegment == segments.size()) {
                    return null;
                }
                segment = openNext();
            }
            LoggedBatch batch = segment.next();
            if (batch != null) {
                checkOrder(batch);
                return batch;
            }
            tailSize += segment.tailSize();
            close();
        }
    }

    /**
     * The end of what was read so far.
     *
     * @return the offset after the last batch that was returned, 0 before the first
     */
    public long endOffset() {
        return endOffset;
    }

    /**
     * How many bytes of the segments read to their end are no part of the log.
     *
     * @return preallocated or dead bytes; 0 in a folder that was closed cleanly
     */
    public long tailSize() {
        return tailSize;
    }

    private SegmentReader openNext() throws IOException {
        Path file = segments.get(nextSegment++);
        long nextBase = nextSegment == segments.size() ? Long.MAX_VALUE : baseOffset(segments.get(nextSegment));
        SegmentReader opened = new SegmentReader(file, nextBase);
        current = opened;
        return opened;
    }

    private void checkOrder(LoggedBatch batch) throws DamagedLogException {
        long lowest = Math.max(endOffset, baseOffset(batch.file()));
        if (batch.baseOffset() < lowest) {
            throw new DamagedLogException(
                    "offsets go back: baseOffset=" + batch.baseOffset() + ", expected at least=" + lowest,
                    batch.file(),
                    batch.position());
        }
        if (batch.leaderEpoch() < lastEpoch) {
            throw new DamagedLogException(
                    "leader epochs go back: baseOffset=" + batch.baseOffset() + ", leaderEpoch=" + batch.leaderEpoch()
                            + ", before=" + lastEpoch,
                    batch.file(),
                    batch.position());
        }
        endOffset = batch.lastOffset() + 1;
        lastEpoch = batch.leaderEpoch();
    }

    private static long baseOffset(Path file) {
        return isSegment(file) ? Long.parseLong(file.getFileName().toString().substring(0, BASE_OFFSET_DIGITS)) : 0;
    }

    @Override
    public void close() throws IOException {
        SegmentReader open = current;
        current = null;
        if (open != null) {
            open.close();
        }
    }
}

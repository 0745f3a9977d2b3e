package io.tidemark.log.recovery;

import io.tidemark.log.io.FileSystem;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Says where a segment ends whose dead tail is still in its file, because somebody may be reading it. The mark is
 * durable before anything depends on the truncation and goes when the tail has been cut, so that dead batches cannot
 * come alive, whatever happens to the segments behind. The file is ours: lines {@code version=1},
 * {@code endOffset=...}, {@code sizeBytes=...} and a checksum.
 *
 * @param endOffset next offset after the last live batch, or above it
 * @param sizeBytes where the last live batch ends
 */
public record TruncationMark(long endOffset, int sizeBytes) {
    /**
     * Writes the mark durably.
     *
     * @param fileSystem that holds it
     * @param path of the mark
     * @throws IOException when it may not be durable
     */
    public void write(FileSystem fileSystem, Path path) throws IOException {
        SmallFile.replaceSealed(
                fileSystem, path, "version=1\nendOffset=" + endOffset + "\nsizeBytes=" + sizeBytes + "\n");
    }

    /**
     * Reads a mark.
     *
     * @param fileSystem that holds it
     * @param path of the mark
     * @return the mark; null when there is none
     * @throws IOException when it cannot be read, or is damaged: guessing would bring dead batches back
     */
    public static @Nullable TruncationMark read(FileSystem fileSystem, Path path) throws IOException {
        if (!fileSystem.exists(path)) {
            return null;
        }
        final String text = SmallFile.readSealed(fileSystem, path);
        final String[] lines = text == null ? new String[0] : text.split("\n", -1);
        if (lines.length == 4
                && lines[0].equals("version=1")
                && lines[1].startsWith("endOffset=")
                && lines[2].startsWith("sizeBytes=")) {
            final long end = SmallNumber.parse(lines[1].substring("endOffset=".length()));
            final long size = SmallNumber.parse(lines[2].substring("sizeBytes=".length()));
            if (end >= 0 && size >= 0 && size <= Integer.MAX_VALUE) {
                return new TruncationMark(end, (int) size);
            }
        }
        throw new IOException("truncation mark is damaged: file=" + path);
    }
}

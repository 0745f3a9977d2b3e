package io.tidemark.log.segment;

import io.tidemark.log.StorageException;
import io.tidemark.log.io.FileHandle;
import io.tidemark.log.io.FileSystem;
import io.tidemark.log.io.FileSystem.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The folder of one log and what its segments have in common. Immutable; any thread.
 *
 * @param fileSystem that holds the folder
 * @param directory the folder
 * @param cache that bounds the mappings
 * @param indexBytesMax greatest size of an index file
 * @param indexIntervalBytes bytes of batches between two entries of an index
 */
public record SegmentFolder(
        FileSystem fileSystem, Path directory, MappingCache cache, int indexBytesMax, int indexIntervalBytes) {
    private static final int COPY_BYTES = 1 << 18;

    /**
     * The path of a file of a segment.
     *
     * @param baseOffset of the segment
     * @param suffix of the file
     * @return a path
     */
    public Path path(long baseOffset, String suffix) {
        return directory.resolve(SegmentFileName.of(baseOffset, suffix));
    }

    /**
     * Reads an index file.
     *
     * @param baseOffset of the segment
     * @param sizeBytes of the segment
     * @return the index; null when the file is missing, unreadable or impossible
     */
    @Nullable
    OffsetIndex readIndex(long baseOffset, int sizeBytes) {
        final Path path = path(baseOffset, SegmentFileName.INDEX);
        if (!fileSystem.exists(path)) {
            return null;
        }
        try (FileHandle file = fileSystem.open(path, OpenMode.READ)) {
            // No index has more entries than the segment has room for headers, so a huge file is not even read.
            final long bytes = file.size();
            if (bytes > Math.max(OffsetIndex.ENTRY_BYTES, sizeBytes / 4)) {
                return null;
            }
            final ByteBuffer content = ByteBuffer.allocate((int) bytes);
            file.read(content, 0);
            return OffsetIndex.decode(content.flip(), sizeBytes, indexBytesMax);
        } catch (final IOException e) {
            // The index is derived: whatever is wrong with it costs a scan and nothing else.
            return null;
        }
    }

    /**
     * Writes an index file.
     *
     * @param baseOffset of the segment
     * @param content of the file
     * @throws IOException when it cannot be written
     */
    void writeIndex(long baseOffset, ByteBuffer content) throws IOException {
        try (FileHandle file = fileSystem.open(path(baseOffset, SegmentFileName.INDEX), OpenMode.CREATE)) {
            file.truncate(0);
            file.write(content, 0);
        }
    }

    /**
     * Makes a segment's file end durably where its live batches end, and removes the mark that said so.
     *
     * @param baseOffset of the segment
     * @param sizeBytes where it shall end
     * @param isLeased whether the dead tail may be looked at: then a copy of the live part takes the file's place, and
     *     the old file lives on without a name until the last lease is given back
     * @throws IOException when it may not be durable
     */
    public void cutTail(long baseOffset, int sizeBytes, boolean isLeased) throws IOException {
        final Path path = path(baseOffset, SegmentFileName.LOG);
        if (isLeased) {
            final Path copy = path.resolveSibling(path.getFileName() + SegmentFileName.TEMPORARY);
            copy(path, copy, sizeBytes);
            fileSystem.rename(copy, path);
            fileSystem.syncDirectory(directory);
        } else {
            try (FileHandle file = fileSystem.open(path, OpenMode.WRITE)) {
                file.truncate(sizeBytes);
                file.force();
            }
        }
        if (fileSystem.delete(path(baseOffset, SegmentFileName.TRUNCATED))) {
            fileSystem.syncDirectory(directory);
        }
    }

    private void copy(Path from, Path to, int sizeBytes) throws IOException {
        final ByteBuffer chunk = ByteBuffer.allocate(COPY_BYTES);
        try (FileHandle source = fileSystem.open(from, OpenMode.READ);
                FileHandle target = fileSystem.open(to, OpenMode.CREATE)) {
            target.truncate(0);
            int at = 0;
            while (at < sizeBytes) {
                chunk.clear().limit(Math.min(COPY_BYTES, sizeBytes - at));
                final int n = source.read(chunk, at);
                if (n == 0) {
                    throw new IOException("segment file is shorter than its live part: file=" + from + ", position="
                            + at + ", expectedBytes=" + sizeBytes);
                }
                target.write(chunk.flip(), at);
                at += n;
            }
            target.force();
        }
    }

    /**
     * Builds the index of a segment from its batches, read through the channel.
     *
     * @param segment to look through
     * @return a new index
     * @throws StorageException when the file cannot be read
     */
    OffsetIndex buildIndex(Segment segment) {
        final IndexBuilder builder = new IndexBuilder(segment.baseOffset(), indexBytesMax, indexIntervalBytes);
        try (FileHandle file = fileSystem.open(segment.path(), OpenMode.READ)) {
            final BatchScanner scanner = new BatchScanner(file, 0, segment.size(), false);
            while (scanner.next()) {
                builder.add(scanner.lastOffset(), (int) scanner.position(), scanner.sizeInBytes());
            }
        } catch (final IOException e) {
            throw new StorageException(
                    "segment cannot be read to rebuild its index: file=" + segment.path() + "; check the disk", e);
        }
        return builder.index();
    }
}

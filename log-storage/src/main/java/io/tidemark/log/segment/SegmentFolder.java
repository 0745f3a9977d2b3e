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

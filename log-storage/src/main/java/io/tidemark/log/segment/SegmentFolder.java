package io.tidemark.log.segment;

import io.tidemark.log.StorageException;
import io.tidemark.log.format.BatchDescriptor;
import io.tidemark.log.io.FileHandle;
import io.tidemark.log.io.FileSystem;
import io.tidemark.log.io.FileSystem.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
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
     * Reads an offset index file.
     *
     * @param baseOffset of the segment
     * @param sizeBytes of the segment
     * @return the index; null when the file is missing, unreadable or impossible
     */
    @Nullable
    OffsetIndex readIndex(long baseOffset, int sizeBytes) {
        final ByteBuffer content = readDerived(baseOffset, SegmentFileName.INDEX, sizeBytes);
        return content == null ? null : OffsetIndex.decode(content, sizeBytes, indexBytesMax);
    }

    /**
     * Reads a time index file, if the summary of the segment proves it.
     *
     * @param segment to which it belongs
     * @return the index; null when one of the files is missing, unreadable or not of this segment
     */
    @Nullable
    TimeIndex readTimes(Segment segment) {
        final SegmentSummary summary = readSummary(segment);
        final ByteBuffer content =
                summary == null ? null : readDerived(segment.baseOffset(), SegmentFileName.TIME_INDEX, segment.size());
        return summary == null || content == null || SegmentSummary.crcOf(content) != summary.timeIndexCrc()
                ? null
                : TimeIndex.decode(content, summary.maxTimestamp(), indexBytesMax);
    }

    /**
     * Reads the summary of a segment.
     *
     * @param segment to which it belongs
     * @return the summary; null when it is missing, unreadable, damaged or not of this segment as it is now
     */
    @Nullable
    SegmentSummary readSummary(Segment segment) {
        final ByteBuffer content =
                readDerived(segment.baseOffset(), SegmentFileName.SUMMARY, SegmentSummary.BYTES * Byte.SIZE);
        final SegmentSummary summary = content == null ? null : SegmentSummary.decode(content);
        if (summary == null) {
            return null;
        }
        final UnsafeBuffer header = new UnsafeBuffer(new byte[BatchDescriptor.HEADER_LENGTH]);
        try (FileHandle file = fileSystem.open(segment.path(), OpenMode.READ)) {
            file.read(ByteBuffer.wrap(header.byteArray()), summary.lastPosition());
        } catch (final IOException e) {
            return null;
        }
        return summary.isOf(segment.size(), header, 0) ? summary : null;
    }

    /** The content of a derived file: whatever is wrong with it costs a scan and nothing else. */
    private @Nullable ByteBuffer readDerived(long baseOffset, String suffix, int sizeBytes) {
        final Path path = path(baseOffset, suffix);
        if (!fileSystem.exists(path)) {
            return null;
        }
        try (FileHandle file = fileSystem.open(path, OpenMode.READ)) {
            // No index has more entries than the segment has room for headers, so a huge file is not even read.
            final long bytes = file.size();
            if (bytes > Math.max(TimeIndex.ENTRY_BYTES, sizeBytes / 4)) {
                return null;
            }
            final ByteBuffer content = ByteBuffer.allocate((int) bytes);
            file.read(content, 0);
            return content.flip();
        } catch (final IOException e) {
            return null;
        }
    }

    /**
     * Writes the indexes of a segment and the summary that proves the time index.
     *
     * @param segment that is not appended to any more
     * @param index its offset index
     * @param times its time index
     * @throws IOException when they cannot be written
     */
    void writeIndexes(Segment segment, OffsetIndex index, TimeIndex times) throws IOException {
        final ByteBuffer offsetBytes = index.encode(segment.size());
        final ByteBuffer timeBytes = times.encode();
        final SegmentSummary summary = summaryOf(segment, offsetBytes, times.maxTimestamp(), timeBytes);
        writeDerived(segment.baseOffset(), SegmentFileName.INDEX, offsetBytes);
        writeDerived(segment.baseOffset(), SegmentFileName.TIME_INDEX, timeBytes);
        if (summary != null) {
            writeDerived(segment.baseOffset(), SegmentFileName.SUMMARY, summary.encode());
        }
    }

    private @Nullable SegmentSummary summaryOf(
            Segment segment, ByteBuffer offsetBytes, long maxTimestamp, ByteBuffer timeBytes) throws IOException {
        final int size = segment.size();
        final int crc = SegmentSummary.crcOf(timeBytes);
        if (size == 0) {
            return new SegmentSummary(0, 0, 0, -1, maxTimestamp, crc);
        }
        final int from = offsetBytes.hasRemaining()
                ? OffsetIndex.position(offsetBytes.getLong(offsetBytes.limit() - OffsetIndex.ENTRY_BYTES))
                : 0;
        try (FileHandle file = fileSystem.open(segment.path(), OpenMode.READ)) {
            final BatchScanner scanner = new BatchScanner(file, from, size, false);
            SegmentSummary summary = null;
            while (scanner.next()) {
                if (scanner.position() + scanner.sizeInBytes() == size) {
                    summary = new SegmentSummary(
                            size,
                            (int) scanner.position(),
                            scanner.storedChecksum(),
                            scanner.lastOffset(),
                            maxTimestamp,
                            crc);
                }
            }
            return summary;
        }
    }

    private void writeDerived(long baseOffset, String suffix, ByteBuffer content) throws IOException {
        try (FileHandle file = fileSystem.open(path(baseOffset, suffix), OpenMode.CREATE)) {
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
     * Builds the indexes of a segment from its batches, read through the channel.
     *
     * @param segment to look through
     * @return the builder, which is finished
     * @throws StorageException when the file cannot be read
     */
    public IndexBuilder buildIndexes(Segment segment) {
        final IndexBuilder builder = new IndexBuilder(segment.baseOffset(), indexBytesMax, indexIntervalBytes);
        try (FileHandle file = fileSystem.open(segment.path(), OpenMode.READ)) {
            final BatchScanner scanner = new BatchScanner(file, 0, segment.size(), false);
            while (scanner.next()) {
                builder.add(
                        scanner.lastOffset(), (int) scanner.position(), scanner.sizeInBytes(), scanner.maxTimestamp());
            }
        } catch (final IOException e) {
            throw new StorageException(
                    "segment cannot be read to rebuild its indexes: file=" + segment.path() + "; check the disk", e);
        }
        builder.finish();
        return builder;
    }
}

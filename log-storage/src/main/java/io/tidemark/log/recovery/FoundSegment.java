package io.tidemark.log.recovery;

import io.tidemark.log.io.FileSystem;
import io.tidemark.log.segment.DyingFiles;
import io.tidemark.log.segment.IndexBuilder;
import io.tidemark.log.segment.OffsetIndex;
import io.tidemark.log.segment.Segment;
import io.tidemark.log.segment.SegmentFileName;
import io.tidemark.log.segment.SegmentFolder;
import io.tidemark.log.segment.TimeIndex;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A segment file met while a folder is opened. Used by one thread. */
final class FoundSegment {
    /** First offset that it may hold. */
    final long baseOffset;
    /** The file. */
    final Path path;
    /** Bytes of it that belong to the log, as far as known. */
    int size;
    /** Where the part begins that is not known to be durable, as far as the batches were checked. */
    int doubtFrom;
    /** Its index; null when it was not loaded and not built. */
    @Nullable
    OffsetIndex index;
    /** Its time index; null when it was not built. */
    @Nullable
    TimeIndex times;

    private final SegmentFolder folder;

    /**
     * A file.
     *
     * @param folder that holds it
     * @param path of the file, whose name is one of a segment
     */
    FoundSegment(SegmentFolder folder, Path path) {
        this.folder = folder;
        this.path = path;
        this.baseOffset = SegmentFileName.baseOffset(path.getFileName().toString(), SegmentFileName.LOG);
    }

    /**
     * The file that says where the segment ends while a dead tail is left.
     *
     * @return a path
     */
    Path markPath() {
        return folder.path(baseOffset, SegmentFileName.TRUNCATED);
    }

    /**
     * Whether its batches were checked.
     *
     * @return true when an index was built or loaded
     */
    boolean isScanned() {
        return index != null;
    }

    /** Loads the index, or builds it when its file is no good. */
    void load() {
        index = new Segment(folder, baseOffset, size, null, null, false).index();
    }

    /** Builds the indexes from the batches, whatever their files say. */
    void rebuild() {
        final IndexBuilder built = folder.buildIndexes(new Segment(folder, baseOffset, size, null, null, false));
        index = built.index();
        times = built.times();
    }

    /**
     * The last entry of the loaded index.
     *
     * @return an entry or {@link OffsetIndex#NO_ENTRY}
     */
    long lastEntry() {
        return index == null ? OffsetIndex.NO_ENTRY : index.floorByPosition(Integer.MAX_VALUE);
    }

    /**
     * Makes the segment end durably at a size: by cutting the file, or by a mark while somebody in this JVM still
     * holds a lease from before.
     *
     * @param dying what is still to be done with files that are leased
     * @param bytes new size
     * @param endOffset end of the segment
     * @throws IOException when it may not be durable
     */
    void cut(DyingFiles dying, int bytes, long endOffset) throws IOException {
        final FileSystem fileSystem = folder.fileSystem();
        if (dying.isPending(path)) {
            new TruncationMark(endOffset, bytes).write(fileSystem, markPath());
            dying.add(path, List.of(), isLeased -> folder.cutTail(baseOffset, bytes, isLeased));
        } else {
            folder.cutTail(baseOffset, bytes, false);
        }
    }

    /**
     * Deletes the segment's files, the one with the batches first.
     *
     * @throws IOException when one is there and cannot be deleted
     */
    void delete() throws IOException {
        folder.fileSystem().delete(path);
        for (final String suffix : FolderTidying.DERIVED) {
            folder.fileSystem().delete(folder.path(baseOffset, suffix));
        }
    }
}

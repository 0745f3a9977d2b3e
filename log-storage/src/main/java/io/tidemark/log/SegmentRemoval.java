package io.tidemark.log;

import io.tidemark.log.io.FileSystem;
import io.tidemark.log.io.MappedFile;
import io.tidemark.log.segment.Segment;
import io.tidemark.log.segment.SegmentFileName;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * Takes files of segments out of a log's folder: first durably under another name, so that no start sees them again,
 * then for good when the last lease on them was given back. Files that somebody else removed are no error. Under the
 * flush lock.
 */
final class SegmentRemoval {
    private final LogState state;

    /**
     * The removal of segments of a log.
     *
     * @param state of the log
     */
    SegmentRemoval(LogState state) {
        this.state = state;
    }

    /**
     * Takes a segment's files out of the log, durably.
     *
     * @param segment whose name goes
     * @throws IOException when it may come back
     */
    void takeOut(Segment segment) throws IOException {
        final FileSystem fileSystem = state.folder.fileSystem();
        final Path deleted = deletedPath(segment);
        try {
            fileSystem.rename(segment.path(), deleted);
        } catch (final NoSuchFileException e) {
            // It is gone already, which is what was wanted; what belongs to it goes too.
        }
        fileSystem.delete(state.folder.path(segment.baseOffset(), SegmentFileName.INDEX));
        fileSystem.delete(state.folder.path(segment.baseOffset(), SegmentFileName.TIME_INDEX));
        fileSystem.delete(state.folder.path(segment.baseOffset(), SegmentFileName.SUMMARY));
        fileSystem.delete(state.folder.path(segment.baseOffset(), SegmentFileName.TRUNCATED));
        fileSystem.syncDirectory(state.folder.directory());
        state.dying.renamed(segment.path(), deleted);
    }

    /**
     * Lets a segment that was taken out go when nobody looks at it any more.
     *
     * @param segment that was taken out
     * @param mappings that it had
     */
    void bury(Segment segment, List<MappedFile> mappings) {
        final FileSystem fileSystem = state.folder.fileSystem();
        final Path deleted = deletedPath(segment);
        state.dying.add(deleted, mappings, isLeased -> fileSystem.delete(deleted));
    }

    private static Path deletedPath(Segment segment) {
        return segment.path().resolveSibling(segment.path().getFileName() + SegmentFileName.DELETED);
    }
}

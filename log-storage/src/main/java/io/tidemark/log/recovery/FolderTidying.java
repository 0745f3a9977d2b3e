package io.tidemark.log.recovery;

import io.tidemark.log.io.FileSystem;
import io.tidemark.log.segment.DyingFiles;
import io.tidemark.log.segment.SegmentFileName;
import io.tidemark.log.segment.SegmentFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Removes what a crash left in a log's folder: files that were to be deleted, half-written ones, and what belongs to a
 * segment that is not there. Files of other names are left alone.
 */
final class FolderTidying {
    /** Suffixes of the files that belong to a segment beside the batches. */
    static final List<String> DERIVED = List.of(
            SegmentFileName.INDEX, SegmentFileName.TIME_INDEX, SegmentFileName.SUMMARY, SegmentFileName.TRUNCATED);

    private final SegmentFolder folder;
    private final DyingFiles dying;

    /**
     * Tidying of a folder.
     *
     * @param folder to tidy
     * @param dying files that are still leased; they are left alone
     */
    FolderTidying(SegmentFolder folder, DyingFiles dying) {
        this.folder = folder;
        this.dying = dying;
    }

    /**
     * Tidies up.
     *
     * @return the segments' files, by base offset
     * @throws IOException when the folder cannot be read, or a left-over cannot be deleted
     */
    List<Path> segmentFiles() throws IOException {
        final FileSystem fileSystem = folder.fileSystem();
        final List<Path> logs = new ArrayList<>();
        for (final Path path : fileSystem.list(folder.directory())) {
            final String name = path.getFileName().toString();
            if (fileSystem.isDirectory(path)) {
                continue;
            }
            if (SegmentFileName.baseOffset(name, SegmentFileName.LOG) >= 0) {
                logs.add(path);
            } else if (isLeftOver(name) && !dying.isPending(path)) {
                fileSystem.delete(path);
            }
        }
        return logs;
    }

    private boolean isLeftOver(String name) {
        if (name.endsWith(SegmentFileName.DELETED) || name.endsWith(SegmentFileName.TEMPORARY)) {
            return true;
        }
        for (final String suffix : DERIVED) {
            final long baseOffset = SegmentFileName.baseOffset(name, suffix);
            if (baseOffset >= 0) {
                return !folder.fileSystem().exists(folder.path(baseOffset, SegmentFileName.LOG));
            }
        }
        return false;
    }
}

package io.tidemark.log;

import io.tidemark.log.io.FileSystem;
import io.tidemark.log.io.FileSystem.OpenMode;
import io.tidemark.log.segment.SegmentFolder;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Says that a write or force of a log failed. After a failed force the system may take pages for clean that are not on
 * the disk, and a later force of the same file succeeds without writing them, in later processes too, as long as the
 * page cache lives. So the next start writes everything anew that is not known to be on the disk. Source: Rebello et
 * al., "Can Applications Recover from fsync Failures?", USENIX ATC 2020.
 */
final class FailureMark {
    private static final String NAME = "tidemark.failed";

    private FailureMark() {}

    private static Path path(SegmentFolder folder) {
        return folder.directory().resolve(NAME);
    }

    /**
     * Leaves the mark, if the disk lets us: it has just failed.
     *
     * @param folder of the log
     */
    static void write(SegmentFolder folder) {
        try {
            folder.fileSystem().open(path(folder), OpenMode.CREATE).close();
            folder.fileSystem().syncDirectory(folder.directory());
        } catch (final IOException e) {
            // Nothing can be promised of a disk that fails. The clean-stop marker is not written either way.
            return;
        }
    }

    /**
     * Whether the mark is there.
     *
     * @param folder of the log
     * @return true when the last run saw a failure
     */
    static boolean exists(SegmentFolder folder) {
        return folder.fileSystem().exists(path(folder));
    }

    /**
     * Removes the mark durably: everything is on the disk now.
     *
     * @param folder of the log
     * @throws IOException when it may come back
     */
    static void remove(SegmentFolder folder) throws IOException {
        final FileSystem fileSystem = folder.fileSystem();
        if (fileSystem.delete(path(folder))) {
            fileSystem.syncDirectory(folder.directory());
        }
    }
}

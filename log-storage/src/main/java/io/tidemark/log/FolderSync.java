package io.tidemark.log;

import io.tidemark.log.io.FileHandle;
import io.tidemark.log.io.FileSystem;
import io.tidemark.log.io.FileSystem.OpenMode;
import io.tidemark.log.recovery.PartitionMetadata;
import io.tidemark.log.recovery.SmallFile;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Knows whether the entries of a log's folder are durable. Segments that a roll makes are entered lazily, by the next
 * flush; but never is a second one made while the first may still vanish: a power failure that keeps the later file and
 * loses the earlier one would leave a log with its beginning missing, which nobody could tell from one that was deleted
 * up to there. Any thread; the monitor is held while the folder is forced.
 */
final class FolderSync {
    private final FileSystem fileSystem;
    private final Path directory;
    private boolean isNew;
    private boolean isDoubtful;
    private volatile long changes;
    private volatile long synced;

    /**
     * The entries of a folder.
     *
     * @param fileSystem that holds it
     * @param directory the folder
     */
    FolderSync(FileSystem fileSystem, Path directory) {
        this.fileSystem = fileSystem;
        this.directory = directory;
    }

    /** Says that the folder was just made, so that it may vanish as a whole. */
    synchronized void created() {
        isNew = true;
        changes++;
    }

    /** Says that a process before this one made the folder, and may have failed to make it durable. */
    synchronized void doubted() {
        isDoubtful = true;
        created();
    }

    /** Says that an entry was made. Before what depends on it is shown to others. */
    synchronized void changed() {
        changes++;
    }

    /**
     * Whether entries may vanish.
     *
     * @return false when all are durable
     */
    boolean isPending() {
        return synced != changes;
    }

    /**
     * Makes all entries durable that may vanish.
     *
     * @throws IOException when they may not be durable
     */
    synchronized void sync() throws IOException {
        if (!isPending()) {
            return;
        }
        final Path metadata = directory.resolve(PartitionMetadata.FILE_NAME);
        final String content = isDoubtful ? SmallFile.read(fileSystem, metadata) : null;
        if (content != null) {
            // Not by another force: after one that failed it would say that all is well (D-05).
            SmallFile.replace(fileSystem, metadata, content);
        } else if (isNew) {
            try (FileHandle file = fileSystem.open(metadata, OpenMode.WRITE)) {
                file.force();
            }
        }
        fileSystem.syncDirectory(directory);
        final Path parent = directory.getParent();
        if (isNew && parent != null) {
            fileSystem.syncDirectory(parent);
        }
        isNew = false;
        isDoubtful = false;
        synced = changes;
    }
}

package io.tidemark.log;

import io.tidemark.log.io.NoSpaceException;
import io.tidemark.log.recovery.EpochHistory;
import io.tidemark.log.recovery.LeaderEpochs;
import io.tidemark.log.recovery.RecoveredLog;
import io.tidemark.log.segment.DyingFiles;
import io.tidemark.log.segment.LogView;
import io.tidemark.log.segment.SegmentFolder;
import io.tidemark.log.segment.SegmentWriter;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of one log share. {@code view}, {@code epochs} and {@code writer} are changed by the log's owner
 * thread only and read by any. {@code flushLock} is held while files are forced or the log is truncated or closed: a
 * force that is under way must not be counted for bytes that were truncated meanwhile, and both are rare and slow.
 */
final class LogState {
    /** Names the log. */
    final TopicPartition partition;
    /** Settings. */
    final LogConfig config;
    /** The folder. */
    final SegmentFolder folder;
    /** Files that wait for their last lease. */
    final DyingFiles dying;
    /** The store. */
    final LogOwner owner;
    /** The history's file. */
    final EpochHistory history;
    /** Whether the entries of the folder are durable. */
    final FolderSync folderSync;
    /** Held while forcing, truncating and closing. */
    final Object flushLock = new Object();
    /** What readers see. */
    volatile LogView view;
    /** The history of epochs. */
    volatile LeaderEpochs epochs;
    /** What the history's file says; null when it says something else. Written under {@code flushLock}. */
    volatile @Nullable LeaderEpochs storedEpochs;
    /** Stores into the active segment; null until the first append. */
    volatile @Nullable SegmentWriter writer;
    /** End of what was forced. Written under {@code flushLock}. */
    volatile long flushedOffset;
    /** Why the log failed for good; null while it has not. */
    volatile @Nullable Throwable failure;
    /** Whether the log was closed. */
    volatile boolean closed;

    /**
     * The state of an opened log.
     *
     * @param partition names the log
     * @param config settings
     * @param folder of the log
     * @param dying files that wait for their last lease
     * @param owner the store
     * @param recovered what was found
     */
    LogState(
            TopicPartition partition,
            LogConfig config,
            SegmentFolder folder,
            DyingFiles dying,
            LogOwner owner,
            RecoveredLog recovered) {
        this.partition = partition;
        this.config = config;
        this.folder = folder;
        this.dying = dying;
        this.owner = owner;
        this.history = new EpochHistory(folder);
        this.folderSync = new FolderSync(folder.fileSystem(), folder.directory());
        this.view = recovered.view();
        this.epochs = recovered.epochs();
        this.storedEpochs = recovered.epochsStored() ? recovered.epochs() : null;
        this.flushedOffset = recovered.flushedOffset();
    }

    /**
     * Does nothing while the log can be written.
     *
     * @throws IllegalStateException when it was closed
     * @throws StorageException when it failed
     */
    void requireWritable() {
        final Throwable cause = failure;
        if (cause != null) {
            throw new StorageException(
                    "log failed before and takes nothing more: log=" + partition + ", folder=" + folder.directory()
                            + "; see the cause, check the disk, then close and open the log again",
                    cause);
        }
        requireOpen();
    }

    /**
     * Does nothing while the log is open.
     *
     * @throws IllegalStateException when it was closed
     */
    void requireOpen() {
        if (closed) {
            throw new IllegalStateException("log is closed: log=" + partition + "; open it again");
        }
    }

    /**
     * Stops the log for good: after a failed write or force nobody knows what is on the disk.
     *
     * @param what was being done
     * @param cause what was caught
     * @return to be thrown by the caller
     */
    StorageException fail(String what, @Nullable Throwable cause) {
        final StorageException error = new StorageException(
                what + ": log=" + partition + ", folder=" + folder.directory()
                        + "; the log takes nothing more: check the disk, then close and open it again",
                cause);
        if (failure == null) {
            failure = error;
        }
        return error;
    }

    /**
     * The error for a full disk, which does not stop the log.
     *
     * @param cause what was caught
     * @return to be thrown by the caller
     */
    DiskFullException diskFull(NoSpaceException cause) {
        return new DiskFullException(
                "no space left to append: log=" + partition + ", folder=" + folder.directory()
                        + "; nothing of the batch was stored, free some space and append again",
                cause);
    }
}

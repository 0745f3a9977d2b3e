package io.tidemark.log;

import io.tidemark.log.io.NoSpaceException;
import io.tidemark.log.recovery.EpochHistory;
import io.tidemark.log.recovery.LeaderEpochs;
import io.tidemark.log.recovery.RecoveredLog;
import io.tidemark.log.retention.RetentionRules;
import io.tidemark.log.segment.DiskReserve;
import io.tidemark.log.segment.DyingFiles;
import io.tidemark.log.segment.LogView;
import io.tidemark.log.segment.SegmentFolder;
import io.tidemark.log.segment.SegmentWriter;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of one log share. {@code writer} is changed by the log's owner only and read by any. {@code flushLock}
 * is held while files are forced, deleted or the log is truncated or closed: a force that is under way must not be
 * counted for bytes that were truncated meanwhile, and all are rare and slow. {@code view} and {@code epochs} are
 * changed under {@code viewLock}, because the owner rolls while maintenance deletes old segments; an idle owner cannot
 * be sent a command. It is held for the change alone, never for input or output, and taken after {@code flushLock}.
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
    /** Held while view and epochs are changed. */
    final Object viewLock = new Object();
    /** What lies at or above may not be deleted. */
    final LongSupplier retentionLimit;
    /** What the store has for its logs. */
    final LogHost host;
    /** Measures waits. */
    final NanoClock clock;
    /** Wakes readers at the end. */
    final LogSignal signal = new LogSignal();
    /** What is asked before blocks are written. */
    final DiskReserve reserve;
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
    /** Number of truncations that began. Written under {@code flushLock}. */
    volatile long truncations;
    /** Whether the owner is to roll the active segment. */
    volatile boolean rollWanted;
    /** Whether the owner is to let go of the active segment's mapping and file. */
    volatile boolean parkWanted;
    /** Whether the owner did, and the file is to be closed. */
    volatile boolean parked;
    /** Why the log failed for good; null while it has not. */
    volatile @Nullable Throwable failure;
    /** What is to be deleted; may be changed while the log is open. */
    volatile RetentionRules retentionRules;

    /** Whether the log was closed. */
    volatile boolean closed;

    /**
     * The state of an opened log.
     *
     * @param partition names the log
     * @param config settings
     * @param folder of the log
     * @param host the store and what it has for its logs
     * @param recovered what was found
     * @param retentionLimit what lies at or above may not be deleted
     */
    LogState(
            TopicPartition partition,
            LogConfig config,
            SegmentFolder folder,
            LogHost host,
            RecoveredLog recovered,
            LongSupplier retentionLimit) {
        this.partition = partition;
        this.config = config;
        this.retentionRules = config.retention();
        this.folder = folder;
        this.dying = host.dying();
        this.owner = host.owner();
        this.reserve = host.reserve();
        this.host = host;
        this.clock = host.clock();
        this.retentionLimit = retentionLimit;
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
            owner.failed();
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
                        + "; nothing of the batch was stored, free some space and append again; " + cause.getMessage(),
                cause);
    }

    /**
     * Changes the history of epochs.
     *
     * @param change of it
     */
    void changeEpochs(UnaryOperator<LeaderEpochs> change) {
        synchronized (viewLock) {
            epochs = change.apply(epochs);
        }
    }
}

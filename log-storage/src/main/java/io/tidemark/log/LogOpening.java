package io.tidemark.log;

import io.tidemark.log.io.FileSystem;
import io.tidemark.log.recovery.LastStop;
import io.tidemark.log.recovery.LogRecovery;
import io.tidemark.log.recovery.RecoveredLog;
import io.tidemark.log.recovery.SuspectPages;
import io.tidemark.log.segment.MappingCache;
import io.tidemark.log.segment.SegmentFolder;
import java.io.IOException;
import java.util.UUID;

/** Makes or recovers logs of a store. Any thread; one at a time for each log. */
final class LogOpening {
    private final FileSystem fileSystem;
    private final LogFolders folders;
    private final StoreLedger ledger;
    private final MappingCache cache;
    private final LogHost host;

    /**
     * What opens the logs of a store.
     *
     * @param fileSystem that holds them
     * @param folders of the logs
     * @param ledger of the store
     * @param cache that bounds the mappings
     * @param host what the store has for its logs
     */
    LogOpening(FileSystem fileSystem, LogFolders folders, StoreLedger ledger, MappingCache cache, LogHost host) {
        this.fileSystem = fileSystem;
        this.folders = folders;
        this.ledger = ledger;
        this.cache = cache;
        this.host = host;
    }

    /**
     * Opens a log, or makes it.
     *
     * @param partition names the log
     * @param topicId of its topic
     * @param config settings
     * @param use how it will be used
     * @return the log
     * @throws IOException when the disk fails
     */
    Log open(TopicPartition partition, UUID topicId, LogConfig config, LogUse use) throws IOException {
        final boolean isNew = !folders.isPresent(partition, topicId);
        if (isNew) {
            // Before the folder is made: what was noted for another log of this name must not count for this one.
            ledger.beginAnew(partition);
            folders.make(partition, topicId);
        }
        final SegmentFolder folder = new SegmentFolder(
                fileSystem, folders.folderOf(partition), cache, config.indexBytes(), config.indexIntervalBytes());
        final LastStop lastStop = isNew ? LastStop.PROCESS_ENDED : ledger.lastStopOf(partition, folder.directory());
        final long recoveryPoint = isNew ? 0 : ledger.recoveryPoint(partition);
        final long logStart = ledger.logStart(partition);
        final RecoveredLog recovered = new LogRecovery(folder, host.dying(), lastStop, recoveryPoint).open(logStart);
        ledger.markRecovered(folder.directory(), lastStop);
        if (FailureMark.exists(folder)) {
            SuspectPages.rewrite(fileSystem, recovered.view(), recovered.flushedOffset());
            FailureMark.remove(folder);
        }
        final LogState state = new LogState(partition, config, folder, host, recovered, use.retentionLimit());
        if (isNew) {
            state.folderSync.created();
        } else if (lastStop != LastStop.CLEAN) {
            state.folderSync.doubted();
        }
        final Log log = new Log(state, recovered.report(), use.isShared());
        if (logStart > log.logEndOffset()) {
            // Everything in it was deleted, and the offsets up to there were given away (ST-05).
            log.truncateFullyAndStartAt(logStart);
            log.giveUp();
        }
        return log;
    }
}

package io.tidemark.log;

import io.tidemark.log.io.MappedFile;
import io.tidemark.log.segment.DyingFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Takes whole logs away, in steps of which each may be the last one before a crash: the log is closed without making
 * anything durable; its folder gets a name that no start takes for a log, durably; then, one cycle of maintenance or
 * one start later, the folder goes file by file, when no lease holds a mapping of it any more. A folder that cannot be
 * deleted is tried again after a while. Any thread.
 */
final class LogRemoval {
    /** Ending of folders that are to be deleted. */
    static final String DELETED = "-delete";
    /** Ending of folders that somebody is to look at. */
    static final String STRAY = "-stray";
    /** Folders deleted in one cycle, so that the extents of other logs do not wait for long. */
    static final int FOLDERS_PER_CYCLE_MAX = 8;

    /** Time between two attempts to delete a folder. */
    static final long RETRY_NS = TimeUnit.SECONDS.toNanos(30);

    private final LogFolders folders;
    private final StoreLedger ledger;
    private final DyingFiles dying;
    private final NanoClock clock;
    private final Map<Path, Waiting> pending = new HashMap<>();

    /** A folder that waits for its last lease, or for the next attempt. */
    private static final class Waiting {
        private final List<MappedFile> mappings;
        private long notBeforeNs;

        private Waiting(List<MappedFile> mappings, long notBeforeNs) {
            this.mappings = mappings;
            this.notBeforeNs = notBeforeNs;
        }

        private boolean isFree() {
            mappings.removeIf(MappedFile::isUnmapped);
            return mappings.isEmpty();
        }
    }

    /**
     * The removal of logs from a store.
     *
     * @param folders of the logs
     * @param ledger of the store
     * @param dying files that wait for their last lease
     * @param clock measures the time between attempts
     */
    LogRemoval(LogFolders folders, StoreLedger ledger, DyingFiles dying, NanoClock clock) {
        this.folders = folders;
        this.ledger = ledger;
        this.dying = dying;
        this.clock = clock;
    }

    /**
     * Finds what an earlier run left to be deleted, and forgets what was noted about logs that are gone.
     *
     * @throws IOException when the data folder cannot be listed
     */
    synchronized void findLeft() throws IOException {
        ledger.forgetAllBut(folders.existing());
        for (final Path folder : folders.withEnding(DELETED)) {
            wait(folder, List.of());
        }
    }

    private void wait(Path folder, List<MappedFile> mappings) {
        pending.put(folder, new Waiting(new ArrayList<>(mappings), clock.nanoTime()));
    }

    /**
     * Takes a log out of the data folder.
     *
     * @param partition names the log
     * @param topicId of its topic
     * @param open the log if it is open
     * @param suffix ending of its folder from now on
     * @return false when there is no such log of this topic
     * @throws IOException when it may come back
     */
    synchronized boolean takeAway(TopicPartition partition, UUID topicId, @Nullable Log open, String suffix)
            throws IOException {
        if (!folders.isPresent(partition, topicId)) {
            return false;
        }
        // Before anything is done: from the first step on the folder is no cleanly closed one.
        ledger.beginRun();
        if (open != null) {
            if (suffix.equals(DELETED)) {
                open.abandon();
            } else {
                open.close();
            }
        }
        // What was to be cut or deleted goes with the folder: a new log may have files of the same names.
        final List<MappedFile> leased = dying.takeBelow(folders.folderOf(partition));
        final Path renamed = folders.moveAside(partition, suffix);
        ledger.forget(partition);
        if (suffix.equals(DELETED)) {
            wait(renamed, leased);
        }
        return true;
    }

    /**
     * Has folders deleted that were moved out of the way.
     *
     * @param topicIds topics whose folders are to go
     * @return their number
     * @throws IOException when they cannot be found or renamed
     */
    synchronized int deleteStrays(Set<UUID> topicIds) throws IOException {
        int count = 0;
        for (final Path stray : folders.withEnding(STRAY)) {
            final Optional<UUID> topicId = folders.topicIdIn(stray);
            if (topicId.isPresent() && topicIds.contains(topicId.get())) {
                wait(folders.markDeleted(stray, STRAY, DELETED), List.of());
                count++;
            }
        }
        return count;
    }

    /**
     * Deletes folders that nobody looks at.
     *
     * @return the number of folders deleted
     */
    synchronized int run() {
        if (pending.isEmpty()) {
            return 0;
        }
        final long nowNs = clock.nanoTime();
        int tried = 0;
        int deleted = 0;
        for (final Iterator<Map.Entry<Path, Waiting>> all = pending.entrySet().iterator();
                all.hasNext() && tried < FOLDERS_PER_CYCLE_MAX; ) {
            final Map.Entry<Path, Waiting> next = all.next();
            if (next.getValue().notBeforeNs - nowNs > 0 || !next.getValue().isFree()) {
                continue;
            }
            tried++;
            try {
                folders.deleteTree(next.getKey());
                all.remove();
                deleted++;
            } catch (final IOException e) {
                // It takes space and does no other harm; pending() shows it.
                next.getValue().notBeforeNs = nowNs + RETRY_NS;
            }
        }
        return deleted;
    }

    /**
     * The folders that still take space.
     *
     * @return their number
     */
    synchronized int pending() {
        return pending.size();
    }
}

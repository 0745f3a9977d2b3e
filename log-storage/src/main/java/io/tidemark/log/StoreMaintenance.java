package io.tidemark.log;

import io.tidemark.log.segment.DiskReserve;
import io.tidemark.log.segment.DyingFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;

/** One duty cycle of a store's maintenance, log by log and for the folder as a whole. The maintenance thread. */
final class StoreMaintenance {
    private final Parts parts;
    private final Path directory;

    /**
     * What a cycle goes through.
     *
     * @param writers bounds the open writers
     * @param reserve of the disk
     * @param retention deletes what need not be kept
     * @param dying files that wait for their last lease
     * @param ledger of the store
     * @param removal folders of deleted logs
     */
    record Parts(
            OpenWriters writers,
            DiskReserve reserve,
            StoreRetention retention,
            DyingFiles dying,
            StoreLedger ledger,
            LogRemoval removal) {}

    /**
     * The maintenance of a store.
     *
     * @param parts of the store
     * @param directory the data folder
     */
    StoreMaintenance(Parts parts, Path directory) {
        this.parts = parts;
        this.directory = directory;
    }

    /**
     * Runs a cycle. A log whose disk fails is failed, the others go on.
     *
     * @param logs that are open
     * @param nowMs the time, on the store's clock
     * @return the number of things done
     */
    int run(Collection<Log> logs, long nowMs) {
        int work = 0;
        Log previous = null;
        for (final Log log : logs) {
            try {
                work += log.maintenance().run(nowMs);
            } catch (final IOException | RuntimeException e) {
                log.maintenance().fail(e);
            } catch (final InternalError e) {
                // A page behind a mapping cannot be had. The JVM may throw that later than the access, so
                // that it may have been the log before.
                log.maintenance().fail(e);
                if (previous != null) {
                    previous.maintenance().fail(e);
                }
            }
            previous = log;
        }
        work += parts.writers.park(logs);
        if (parts.reserve.isLow()) {
            parts.reserve.refresh();
        }
        try {
            work += parts.retention.run(logs, nowMs);
            work += parts.dying.run(directory);
            work += parts.ledger.writeRecoveryPoints(logs);
        } catch (final IOException e) {
            // Neither is needed for what was promised. The ledger remembers that this run may not end as a clean one.
            parts.ledger.spoil();
        }
        return work + parts.removal.run();
    }
}

package io.tidemark.log.recovery;

import io.tidemark.log.RecoveryReport;
import io.tidemark.log.segment.LogView;

/**
 * A log that was opened.
 *
 * @param view its segments and end
 * @param epochs its history
 * @param epochsStored whether the history's file says the same
 * @param flushedOffset end of what is known to be durable
 * @param report what had to be done
 */
public record RecoveredLog(
        LogView view, LeaderEpochs epochs, boolean epochsStored, long flushedOffset, RecoveryReport report) {}

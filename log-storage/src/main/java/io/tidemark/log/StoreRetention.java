package io.tidemark.log;

import io.tidemark.log.retention.LogFacts;
import io.tidemark.log.retention.RetentionDecision;
import io.tidemark.log.retention.RetentionPolicy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Deletes what the logs of a store need not keep: decides for all of them, notes the new log starts in one go, and only
 * then deletes. Owned by the maintenance thread.
 */
final class StoreRetention {
    private final StoreLedger ledger;
    private final long intervalMs;
    private final long bytesMax;
    private long lastMs;

    /**
     * The retention of a store.
     *
     * @param ledger where log starts are noted
     * @param config of the store
     * @param nowMs the time
     */
    StoreRetention(StoreLedger ledger, LogStoreConfig config, long nowMs) {
        this.ledger = ledger;
        this.intervalMs = config.retentionInterval().toMillis();
        this.bytesMax = config.bytesMax();
        this.lastMs = nowMs - intervalMs;
    }

    /**
     * Deletes what is due, if the last look is long enough ago.
     *
     * @param open the open logs
     * @param nowMs the time
     * @return the number of things done
     * @throws IOException when the new log starts could not be noted; nothing was deleted
     */
    int run(Collection<Log> open, long nowMs) throws IOException {
        if (nowMs - lastMs < intervalMs) {
            return 0;
        }
        lastMs = nowMs;
        final List<Log> logs = new ArrayList<>(open.size());
        final List<Long> truncations = new ArrayList<>(open.size());
        final List<LogFacts> facts = new ArrayList<>(open.size());
        List<RetentionDecision> decisions = new ArrayList<>(open.size());
        int work = 0;
        for (final Log log : open) {
            if (log.isFailed()) {
                continue;
            }
            final long truncationsBefore = log.maintenance().truncations();
            final LogFacts of = log.maintenance().facts(nowMs);
            final RetentionDecision decision =
                    RetentionPolicy.decide(of, log.maintenance().retentionRules(), nowMs);
            work += rollIfDue(log, decision, nowMs);
            logs.add(log);
            truncations.add(truncationsBefore);
            facts.add(of);
            decisions.add(decision);
        }
        decisions = RetentionPolicy.capped(facts, decisions, bytesMax);
        return work + delete(logs, truncations, decisions);
    }

    private static int rollIfDue(Log log, RetentionDecision decision, long nowMs) {
        try {
            return log.maintenance().rollIfDue(decision.rollsActive(), nowMs);
        } catch (final StorageException e) {
            // The log has failed and says so to whoever uses it; the others go on.
            return 0;
        }
    }

    private int delete(List<Log> logs, List<Long> truncations, List<RetentionDecision> decisions) throws IOException {
        final List<LogStartChange> changes = new ArrayList<>();
        for (int i = 0; i < logs.size(); i++) {
            if (decisions.get(i).dropped() > 0) {
                changes.add(
                        logs.get(i).maintenance().startChange(decisions.get(i).startOffset(), truncations.get(i)));
            }
        }
        if (changes.isEmpty()) {
            return 0;
        }
        ledger.raiseLogStarts(changes);
        int work = 0;
        for (int i = 0; i < logs.size(); i++) {
            if (decisions.get(i).dropped() > 0) {
                final LogMaintenance log = logs.get(i).maintenance();
                try {
                    work += log.delete(decisions.get(i).startOffset(), truncations.get(i));
                } catch (final IOException | RuntimeException e) {
                    log.fail(e);
                }
            }
        }
        return work;
    }
}

package io.tidemark.log;

import io.tidemark.log.retention.LogFacts;
import io.tidemark.log.retention.RetentionRules;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * What the store's maintenance does with one log, beside its owner and its readers. The maintenance thread, except
 * where a method says otherwise.
 */
final class LogMaintenance {
    /**
     * The parts of a log that maintenance uses.
     *
     * @param appender of the log
     * @param flusher of the log
     * @param retention of the log
     * @param ownership of the log
     */
    record Parts(LogAppender appender, LogFlusher flusher, LogRetention retention, LogOwnership ownership) {}

    private final Log log;
    private final LogState state;
    private final Parts parts;
    private boolean isMarked;

    /**
     * The maintenance of a log.
     *
     * @param log itself
     * @param state of the log
     * @param parts of the log
     */
    LogMaintenance(Log log, LogState state, Parts parts) {
        this.log = log;
        this.state = state;
        this.parts = parts;
    }

    /**
     * One duty cycle for this log.
     *
     * @param nowMs the time, on the store's clock
     * @return the number of things done
     * @throws IOException when the disk failed
     */
    int run(long nowMs) throws IOException {
        if (state.failure != null && !isMarked) {
            isMarked = true;
            FailureMark.write(state.folder);
        }
        if (state.closed || state.failure != null) {
            return 0;
        }
        parts.retention().observe(nowMs);
        return parts.flusher().maintain(nowMs);
    }

    /**
     * Stops the log for good.
     *
     * @param cause what was caught
     */
    void fail(Throwable cause) {
        state.fail("maintenance failed", cause);
    }

    /**
     * The log as the rules of retention want to see it.
     *
     * @param nowMs the time
     * @return facts
     */
    LogFacts facts(long nowMs) {
        return parts.retention().facts(nowMs);
    }

    /**
     * The rules of this log as they are now. Any thread.
     *
     * @return its rules
     */
    RetentionRules retentionRules() {
        return state.retentionRules;
    }

    /**
     * Changes the rules of this log, from the next look on. Any thread.
     *
     * @param rules that replace them
     */
    void retentionRules(RetentionRules rules) {
        state.retentionRules = rules;
    }

    /**
     * The number of truncations, to be noted before something is decided about the log.
     *
     * @return a number that grows
     */
    long truncations() {
        return state.truncations;
    }

    /**
     * How a new start of this log is noted.
     *
     * @param startOffset that was decided
     * @param truncations when it was decided
     * @return the change
     */
    LogStartChange startChange(long startOffset, long truncations) {
        return new LogStartChange(state, startOffset, truncations);
    }

    /**
     * Deletes what was decided, unless the log was truncated or closed meanwhile. The new start was noted durably.
     *
     * @param startOffset first offset to be kept
     * @param truncations when it was decided
     * @return the number of segments deleted
     * @throws IOException when what was deleted may come back
     */
    int delete(long startOffset, long truncations) throws IOException {
        return parts.retention().delete(startOffset, truncations);
    }

    /**
     * Lets the active segment be rolled if it is due: by the caller when nobody owns the log, else by the owner.
     *
     * @param mustRoll whether it is due in any case
     * @param nowMs the time
     * @return the number of things done
     */
    int rollIfDue(boolean mustRoll, long nowMs) {
        if (!mustRoll && !parts.retention().isActiveDue(nowMs)) {
            return 0;
        }
        state.rollWanted = true;
        return runOwnerWork();
    }

    /**
     * Lets the active segment's mapping and file be given back: by the caller when nobody owns the log, else by the
     * owner. Blocks for a force.
     *
     * @return the number of things done
     */
    int park() {
        log.flush();
        state.parkWanted = true;
        final int work = runOwnerWork();
        try {
            return work + parts.flusher().closeParked();
        } catch (final IOException e) {
            throw state.fail("file of the active segment cannot be closed", e);
        }
    }

    private int runOwnerWork() {
        final int[] work = {0};
        final boolean isDone = parts.ownership().tryRun(() -> {
            // Under the flush lock, because closing only waits for an owner who knows of it.
            synchronized (state.flushLock) {
                work[0] = parts.appender().doDueWork();
            }
        });
        if (!isDone) {
            state.owner.ownerWork(log);
        }
        return work[0];
    }

    /**
     * Whether the active segment is mapped and open for appending.
     *
     * @return false when the next append has to do that
     */
    boolean hasWriter() {
        return state.writer != null;
    }

    /**
     * When something was last seen to have been appended.
     *
     * @return milliseconds on the store's clock, the least of all numbers when nothing was since the log was opened
     */
    long changedMs() {
        return parts.retention().changedMs();
    }

    /**
     * Whether the caller is the owner. Any thread.
     *
     * @return false when another thread is, or nobody
     */
    boolean isOwnedByCaller() {
        return parts.ownership().isOwnedByCaller();
    }

    /**
     * Ends the log: makes it durable unless it failed, and gives files and mappings back. The caller holds the flush
     * lock; the owner has stopped.
     *
     * @return what went wrong; null when nothing did
     */
    @Nullable
    StorageException finish() {
        StorageException problem = null;
        try {
            if (state.failure == null) {
                parts.appender().settle();
                parts.flusher().finish();
            } else {
                FailureMark.write(state.folder);
            }
        } catch (final IOException | StorageException e) {
            problem = state.fail("log cannot be closed cleanly", e);
        }
        try {
            parts.flusher().retireAll();
        } catch (final IOException e) {
            problem = problem != null ? problem : state.fail("files cannot be closed", e);
        }
        return problem;
    }
}

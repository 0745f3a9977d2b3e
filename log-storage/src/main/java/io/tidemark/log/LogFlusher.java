package io.tidemark.log;

import io.tidemark.log.io.NoSpaceException;
import io.tidemark.log.recovery.LeaderEpochs;
import io.tidemark.log.segment.LogView;
import io.tidemark.log.segment.Segment;
import io.tidemark.log.segment.SegmentWriter;
import java.io.IOException;

/**
 * Makes a log durable and does what need not be done by the appender: preallocation, sealing of rolled segments, the
 * history's file, files whose leases were given back. Any thread; forcing is done under the log's flush lock.
 */
final class LogFlusher {
    private static final long UNKNOWN = Long.MIN_VALUE;

    private final LogState state;
    private long unforcedSinceMs = UNKNOWN;

    /**
     * The flusher of a log.
     *
     * @param state of the log
     */
    LogFlusher(LogState state) {
        this.state = state;
    }

    /**
     * Forces the log up to an offset at least. Who waits for the lock while another one forces finds its own part done.
     *
     * @param upToOffset exclusive
     */
    void flush(long upToOffset) {
        final long end = state.view.endOffset();
        if (upToOffset > end) {
            throw new IllegalArgumentException("offset to flush is above the log's end: log=" + state.partition
                    + ", upToOffset=" + upToOffset + ", logEndOffset=" + end + "; flush what was appended");
        }
        if (upToOffset <= state.flushedOffset) {
            state.requireWritable();
            return;
        }
        synchronized (state.flushLock) {
            state.requireWritable();
            try {
                forceUpTo(upToOffset);
            } catch (final IOException e) {
                throw state.fail("log cannot be forced to the disk", e);
            }
        }
    }

    /**
     * Forces the log up to an offset at least. The caller holds the flush lock.
     *
     * @param upToOffset exclusive
     * @throws IOException when the disk failed
     */
    void forceUpTo(long upToOffset) throws IOException {
        if (upToOffset > state.flushedOffset) {
            force(false);
        }
    }

    private int force(boolean closedOnly) throws IOException {
        // The end first: a view taken after it has all segments below it, one taken before may lack the last.
        final long end = state.view.endOffset();
        final LogView view = state.view;
        final long target = closedOnly ? Math.min(end, view.active().baseOffset()) : end;
        final long from = state.flushedOffset;
        int forced = 0;
        if (target > from) {
            for (int i = view.floor(from); i < view.segmentCount(); i++) {
                final Segment segment = view.segment(i);
                if (segment.baseOffset() < target) {
                    segment.force();
                    forced++;
                }
            }
        }
        // A change is noted before the view that needs it is published, so it is looked at after the view.
        state.folderSync.sync();
        state.flushedOffset = Math.max(from, target);
        if (!closedOnly && state.writer == null) {
            // Nobody appends, and everything is forced: the file need not stay open.
            view.active().closeIfIdle();
        }
        return forced;
    }

    /**
     * One duty cycle of the maintenance thread.
     *
     * @param nowMs the time
     * @return the number of things done
     * @throws IOException when the disk failed
     */
    int maintain(long nowMs) throws IOException {
        if (state.closed || state.failure != null) {
            return 0;
        }
        int work = preallocate() + flushDue(nowMs) + closeParked();
        final LogView view = state.view;
        if (view.segmentCount() > 1 && !view.segment(view.segmentCount() - 2).isSealed()) {
            synchronized (state.flushLock) {
                if (!state.closed && state.failure == null) {
                    work += sealClosed();
                }
            }
        }
        if (state.storedEpochs != state.epochs) {
            synchronized (state.flushLock) {
                if (!state.closed && state.failure == null) {
                    storeEpochs();
                    work++;
                }
            }
        }
        return work;
    }

    private int flushDue(long nowMs) throws IOException {
        final long unforced = state.view.endOffset() - state.flushedOffset;
        if (unforced <= 0) {
            unforcedSinceMs = UNKNOWN;
            return 0;
        }
        if (unforcedSinceMs == UNKNOWN) {
            unforcedSinceMs = nowMs;
        }
        if (unforced < state.config.flushRecords()
                && nowMs - unforcedSinceMs < state.config.flushInterval().toMillis()) {
            return 0;
        }
        unforcedSinceMs = UNKNOWN;
        synchronized (state.flushLock) {
            return state.closed || state.failure != null ? 0 : force(false);
        }
    }

    /**
     * Closes the file of an active segment whose mapping the owner has given back.
     *
     * @return the number of things done
     * @throws IOException when the disk failed
     */
    int closeParked() throws IOException {
        if (!state.parked) {
            return 0;
        }
        state.parked = false;
        synchronized (state.flushLock) {
            if (state.closed || state.failure != null || state.writer != null) {
                return 0;
            }
            force(false);
            return 1;
        }
    }

    private int preallocate() throws IOException {
        final SegmentWriter writer = state.writer;
        try {
            return writer == null ? 0 : writer.preallocateAhead();
        } catch (final NoSpaceException e) {
            // Not an error yet: there is room left in the extent before, and the append that needs more will say so.
            return 0;
        } catch (final InternalError e) {
            throw new IOException("mapped memory cannot be accessed", e);
        }
    }

    private int sealClosed() throws IOException {
        int work = force(true);
        final LogView view = state.view;
        for (int i = view.segmentCount() - 2; i >= 0 && !view.segment(i).isSealed(); i--) {
            view.segment(i).seal();
            work++;
        }
        return work;
    }

    private void storeEpochs() throws IOException {
        final LeaderEpochs epochs = state.epochs;
        state.history.store(epochs);
        state.storedEpochs = epochs;
    }

    /**
     * Leaves the folder as Kafka's readers want it: no unused tails, all indexes there, everything forced. The caller
     * holds the flush lock.
     *
     * @throws IOException when the disk failed
     */
    void finish() throws IOException {
        final SegmentWriter writer = state.writer;
        if (writer != null) {
            writer.stop();
        }
        force(false);
        final LogView view = state.view;
        for (int i = 0; i < view.segmentCount(); i++) {
            final Segment segment = view.segment(i);
            if (!segment.isSealed()) {
                segment.force();
                segment.seal();
            }
        }
        if (state.storedEpochs != state.epochs) {
            storeEpochs();
        }
        state.dying.run(state.folder.directory());
        state.folder.fileSystem().syncDirectory(state.folder.directory());
    }

    /**
     * Gives all mappings and files back; leases go on.
     *
     * @throws IOException when a file cannot be closed
     */
    void retireAll() throws IOException {
        final SegmentWriter writer = state.writer;
        if (writer != null) {
            writer.abandon();
        }
        final LogView view = state.view;
        for (int i = 0; i < view.segmentCount(); i++) {
            final Segment segment = view.segment(i);
            // The log may be opened again in this process, and cut, while they are still held.
            state.dying.leased(segment.path(), segment.retire());
        }
    }
}

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
    private final LogState state;

    /**
     * The flusher of a log.
     *
     * @param state of the log
     */
    LogFlusher(LogState state) {
        this.state = state;
    }

    /** Forces everything up to the end of the log as it is now. */
    void flush() {
        synchronized (state.flushLock) {
            state.requireWritable();
            try {
                forceUpTo(false);
            } catch (final IOException e) {
                throw state.fail("log cannot be forced to the disk", e);
            }
        }
    }

    private int forceUpTo(boolean closedOnly) throws IOException {
        final LogView view = state.view;
        final long end = view.endOffset();
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
        return forced;
    }

    /**
     * One duty cycle of the maintenance thread.
     *
     * @return the number of things done
     * @throws IOException when the disk failed
     */
    int maintain() throws IOException {
        if (state.closed || state.failure != null) {
            return 0;
        }
        int work = preallocate();
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
        return work + state.dying.run(state.folder.directory());
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
        int work = forceUpTo(true);
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
        forceUpTo(false);
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

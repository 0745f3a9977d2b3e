package io.tidemark.log;

import io.tidemark.log.format.BatchDescriptor;
import io.tidemark.log.io.FileSystem;
import io.tidemark.log.io.FileSystem.OpenMode;
import io.tidemark.log.io.MappedFile;
import io.tidemark.log.recovery.LeaderEpochs;
import io.tidemark.log.recovery.TruncationMark;
import io.tidemark.log.segment.LogView;
import io.tidemark.log.segment.Segment;
import io.tidemark.log.segment.SegmentFileName;
import io.tidemark.log.segment.SegmentWriter;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Takes the end off a log without storing into old bytes, which a reader or a socket may still be looking at. The
 * steps, each durable before the next: lower the recovery point; take the later segments out of the log, last one
 * first; mark where the segment ends that is cut in the middle; begin a new segment there. A crash in between leaves a
 * prefix of the old log. Then the new view is published, and the files are deleted or cut when their last lease closes.
 * Owned by the log's owner thread, under the flush lock.
 */
final class LogTruncation {
    private final LogState state;
    private final SegmentRemoval removal;

    /**
     * The truncation of a log.
     *
     * @param state of the log
     */
    LogTruncation(LogState state) {
        this.state = state;
        removal = new SegmentRemoval(state);
    }

    /**
     * Removes all batches that hold an offset at or above the one given.
     *
     * @param offset new end, unless it lies within a batch
     * @return the new end
     */
    long truncateTo(long offset) {
        synchronized (state.flushLock) {
            state.requireWritable();
            final LogView view = state.view;
            final long end = view.endOffset();
            if (offset >= end) {
                return end;
            }
            if (offset < view.startOffset()) {
                return restartAt(offset);
            }
            try {
                final int number = view.floor(offset);
                final Segment segment = view.segment(number);
                final int size = segment.size();
                final long[] newEnd = {offset};
                final int position = size == 0 ? 0 : positionOf(segment, offset, newEnd);
                // A segment of which nothing stays goes too, even an empty one: its name is needed.
                final int kept = position == 0 ? number : number + 1;
                return cutAt(view, kept, position, newEnd[0]);
            } catch (final IOException e) {
                throw state.fail("log cannot be truncated", e);
            } catch (final InternalError e) {
                throw state.fail("mapped memory cannot be accessed", e);
            }
        }
    }

    private static int positionOf(Segment segment, long offset, long[] newEnd) throws IOException {
        final MappedFile mapping = segment.acquire();
        if (mapping == null) {
            throw new IOException("segment is out of use: file=" + segment.path());
        }
        try {
            final int size = segment.size();
            final int position = segment.positionOf(mapping.buffer(), offset, size);
            if (position < size) {
                newEnd[0] = Math.min(offset, BatchDescriptor.baseOffset(mapping.buffer(), position));
            }
            return position;
        } finally {
            mapping.release();
        }
    }

    /**
     * Removes everything and lets the log begin at an offset.
     *
     * @param offset start and end of the log
     * @return the offset
     */
    long restartAt(long offset) {
        synchronized (state.flushLock) {
            state.requireWritable();
            try {
                return cutAt(state.view, 0, 0, offset);
            } catch (final IOException e) {
                throw state.fail("log cannot be emptied", e);
            }
        }
    }

    private long cutAt(LogView view, int kept, int position, long newEnd) throws IOException {
        final FileSystem fileSystem = state.folder.fileSystem();
        // What is durable in a folder is not, as long as the folder may vanish.
        state.folderSync.sync();
        // First ours, then the file's: whoever writes the file meanwhile looks at ours again.
        final long before = state.truncations;
        state.truncations = before + 1;
        state.owner.lowerLogStart(state.partition, newEnd, kept == 0 ? newEnd : view.startOffset());
        state.flushedOffset = Math.min(state.flushedOffset, newEnd);
        state.owner.lowerRecoveryPoint(state.partition, newEnd);
        final SegmentWriter writer = state.writer;
        if (writer != null) {
            writer.abandon();
            state.writer = null;
        }
        for (int i = view.segmentCount() - 1; i >= kept; i--) {
            // Readers of the old view would look for it under the old name otherwise.
            view.segment(i).hold();
            removal.takeOut(view.segment(i));
        }
        final Segment[] segments = new Segment[kept + 1];
        for (int i = 0; i < kept; i++) {
            segments[i] = view.segment(i);
        }
        Segment split = null;
        if (position > 0 && position < view.segment(kept - 1).size()) {
            split = view.segment(kept - 1);
            segments[kept - 1] = markEnd(split, position, newEnd);
        } else if (kept == view.segmentCount()) {
            // The active segment stays whole; what lies behind it was preallocated.
            segments[kept - 1].cut();
            segments[kept - 1].unpin();
        }
        segments[kept] = Segment.empty(state.folder, newEnd);
        fileSystem.open(segments[kept].path(), OpenMode.CREATE_NEW).close();
        fileSystem.syncDirectory(state.folder.directory());
        state.changeEpochs(epochs -> kept == 0 ? LeaderEpochs.EMPTY : epochs.truncatedTo(newEnd));
        final long start = kept == 0 ? newEnd : view.startOffset();
        if (kept == 0) {
            // The log is empty and its only file is durable.
            state.flushedOffset = newEnd;
        }
        synchronized (state.viewLock) {
            state.view = new LogView(segments, view.generation() + 1, start, newEnd);
        }
        retire(view, kept, split, position);
        return newEnd;
    }

    private Segment markEnd(Segment split, int position, long newEnd) throws IOException {
        final Path mark = state.folder.path(split.baseOffset(), SegmentFileName.TRUNCATED);
        new TruncationMark(newEnd, position).write(state.folder.fileSystem(), mark);
        final Segment shorter = new Segment(state.folder, split.baseOffset(), position, split.index(), null, false);
        split.handOver(shorter);
        return shorter;
    }

    /** Readers see the new view from here on; what the old one held goes when nobody looks at it any more. */
    private void retire(LogView old, int kept, @Nullable Segment split, int position) throws IOException {
        for (int i = old.segmentCount() - 1; i >= kept; i--) {
            removal.bury(old.segment(i), old.segment(i).retire());
        }
        if (split != null) {
            final long baseOffset = split.baseOffset();
            state.dying.add(
                    split.path(), split.retire(), isLeased -> state.folder.cutTail(baseOffset, position, isLeased));
        }
    }
}

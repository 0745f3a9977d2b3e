package io.tidemark.log;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.tidemark.log.format.BatchDescriptor;
import io.tidemark.log.io.FileHandle;
import io.tidemark.log.io.FileSystem.OpenMode;
import io.tidemark.log.io.MappedFile;
import io.tidemark.log.retention.LogBounds;
import io.tidemark.log.retention.LogFacts;
import io.tidemark.log.retention.SegmentFacts;
import io.tidemark.log.segment.LogView;
import io.tidemark.log.segment.Segment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Long2LongHashMap;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Knows how old the segments of a log are, and deletes the oldest. The age of a segment is counted from when this node
 * last appended to it: observed while the process lives, and the time of the file's last change for what an earlier run
 * left. Wherever the truth is not known exactly, the later time is taken. Times are those of the store's clock, which
 * does not jump.
 *
 * <p>Observing is owned by the maintenance thread. Deleting is done under the flush lock, by any thread.
 */
final class LogRetention {
    private static final long UNKNOWN = Long.MIN_VALUE;

    private final LogState state;
    private final SegmentRemoval removal;
    private final Long2LongHashMap storedAtMs = new Long2LongHashMap(UNKNOWN);
    private long generation;
    private long activeBase;
    private long seenEnd;
    private long changedMs = UNKNOWN;
    private long bornMs = UNKNOWN;
    private long inheritedEnd;

    /**
     * The retention of a log that was just opened.
     *
     * @param state of the log
     */
    LogRetention(LogState state) {
        this.state = state;
        removal = new SegmentRemoval(state);
        final LogView view = state.view;
        generation = view.generation();
        activeBase = view.active().baseOffset();
        seenEnd = view.endOffset();
        inheritedEnd = seenEnd;
    }

    /**
     * Notes what changed since the last look.
     *
     * @param nowMs the time
     */
    void observe(long nowMs) {
        final long end = state.view.endOffset();
        final LogView view = state.view;
        final long base = view.active().baseOffset();
        if (view.generation() != generation) {
            // The same base may stand for another segment now.
            generation = view.generation();
            storedAtMs.clear();
            inheritedEnd = Math.min(inheritedEnd, base);
            begin(base, end, nowMs);
        } else if (base != activeBase) {
            if (base != seenEnd) {
                storedAtMs.put(activeBase, nowMs);
            } else if (changedMs != UNKNOWN) {
                // Nothing was appended to it since we looked: a roll does not make it younger.
                storedAtMs.put(activeBase, changedMs);
            }
            begin(base, end, nowMs);
        } else if (end != seenEnd) {
            if (seenEnd <= base) {
                bornMs = nowMs;
            }
            seenEnd = end;
            changedMs = nowMs;
        }
    }

    /**
     * When something was last seen to have been appended. The maintenance thread.
     *
     * @return the least of all numbers when nothing was since the log was opened
     */
    long changedMs() {
        return changedMs;
    }

    private void begin(long base, long end, long nowMs) {
        activeBase = base;
        seenEnd = end;
        changedMs = nowMs;
        bornMs = nowMs;
    }

    /**
     * The log as the policy wants to see it.
     *
     * @param nowMs the time
     * @return facts
     */
    LogFacts facts(long nowMs) {
        observe(nowMs);
        final long limit = state.retentionLimit.getAsLong();
        final long end = state.view.endOffset();
        final LogView view = state.view;
        final List<SegmentFacts> segments = new ArrayList<>(view.segmentCount());
        for (int i = 0; i < view.segmentCount(); i++) {
            final Segment segment = view.segment(i);
            segments.add(new SegmentFacts(segment.baseOffset(), segment.size(), storedAt(segment, nowMs)));
        }
        forgetBelow(view.segment(0).baseOffset());
        return new LogFacts(segments, new LogBounds(view.startOffset(), end, limit));
    }

    private long storedAt(Segment segment, long nowMs) {
        final long base = segment.baseOffset();
        if (base == activeBase) {
            if (changedMs == UNKNOWN) {
                changedMs = fileTime(segment, nowMs);
            }
            return changedMs;
        }
        long at = storedAtMs.get(base);
        if (at == UNKNOWN) {
            at = base < inheritedEnd ? fileTime(segment, nowMs) : nowMs;
            storedAtMs.put(base, at);
        }
        return at;
    }

    private long fileTime(Segment segment, long nowMs) {
        try {
            return Math.min(nowMs, state.folder.fileSystem().lastModifiedMs(segment.path()));
        } catch (final IOException e) {
            // Not known, so it counts as new. When the file is gone for good, reads will tell.
            return nowMs;
        }
    }

    private void forgetBelow(long offset) {
        if (storedAtMs.size() > 0) {
            storedAtMs.keySet().removeIfLong(base -> base < offset);
        }
    }

    /**
     * Whether the active segment has been appended to for so long that another one shall take its place. For a segment
     * of an earlier run the timestamp of its first batch counts, which a client gave: a wrong one rolls once too early
     * or too late, and deletes nothing.
     *
     * @param nowMs the time
     * @return false when it is empty
     */
    boolean isActiveDue(long nowMs) {
        final Segment active = state.view.active();
        if (active.size() == 0 || active.baseOffset() != activeBase) {
            return false;
        }
        if (bornMs == UNKNOWN) {
            bornMs = firstTimestamp(active, nowMs);
        }
        return nowMs - bornMs >= state.config.segmentAge().toMillis();
    }

    private long firstTimestamp(Segment segment, long nowMs) {
        final byte[] header = new byte[BatchDescriptor.HEADER_LENGTH];
        try (FileHandle file = state.folder.fileSystem().open(segment.path(), OpenMode.READ)) {
            if (file.read(ByteBuffer.wrap(header), 0) < header.length) {
                return nowMs;
            }
        } catch (final IOException e) {
            return nowMs;
        }
        final long timestamp = new UnsafeBuffer(header).getLong(BatchDescriptor.BASE_TIMESTAMP, BIG_ENDIAN);
        return timestamp < 0 || timestamp > nowMs ? nowMs : timestamp;
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
        synchronized (state.flushLock) {
            if (state.closed || state.failure != null || state.truncations != truncations) {
                return 0;
            }
            // Records may have been deleted by hand meanwhile, so the segments are counted anew.
            final LogView view = state.view;
            final long start = Math.max(view.startOffset(), startOffset);
            final int dropped = view.floor(start);
            drop(dropped, start);
            return dropped;
        }
    }

    /**
     * Removes all records below an offset.
     *
     * @param offset the new start
     * @param flusher of the log
     * @return the log's start
     */
    long deleteBefore(long offset, LogFlusher flusher) {
        synchronized (state.flushLock) {
            state.requireWritable();
            final LogView view = state.view;
            if (offset <= view.startOffset()) {
                return view.startOffset();
            }
            final long limit = Math.min(state.retentionLimit.getAsLong(), view.endOffset());
            if (offset > limit) {
                throw new OffsetOutOfRangeException(state.partition.toString(), offset, view.startOffset(), limit);
            }
            try {
                // What the log begins with must outlive a power failure as surely as the note that it begins there.
                flusher.forceUpTo(offset);
                state.owner.raiseLogStarts(List.of(new LogStartChange(state, offset, state.truncations)));
                drop(state.view.floor(offset), offset);
                return offset;
            } catch (final IOException e) {
                throw state.fail("records cannot be deleted", e);
            }
        }
    }

    /**
     * Deletes the oldest segments. The log start was noted durably; the caller holds the flush lock.
     *
     * @param dropped number of segments, none of them the active one
     * @param startOffset first offset to be kept
     * @throws IOException when what was deleted may come back
     */
    private void drop(int dropped, long startOffset) throws IOException {
        final LogView before;
        synchronized (state.viewLock) {
            before = state.view;
            state.view = before.startingAt(dropped, startOffset);
            state.epochs = state.epochs.startingAt(startOffset);
        }
        // Oldest first, each durable before the next: a power failure leaves no hole.
        for (int i = 0; i < dropped; i++) {
            final Segment segment = before.segment(i);
            final List<MappedFile> mappings = segment.retire();
            removal.takeOut(segment);
            removal.bury(segment, mappings);
        }
    }
}

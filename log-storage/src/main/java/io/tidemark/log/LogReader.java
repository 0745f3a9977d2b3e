package io.tidemark.log;

import io.tidemark.log.format.BatchDescriptor;
import io.tidemark.log.io.MappedFile;
import io.tidemark.log.segment.LogView;
import io.tidemark.log.segment.OffsetIndex;
import io.tidemark.log.segment.Segment;
import org.agrona.DirectBuffer;

/**
 * Reads of a log. A read works on one view and is thrown away when the log was truncated meanwhile, so that neither
 * half-written nor dead bytes are ever taken for damage. Any thread; no state, no garbage.
 */
final class LogReader {
    private static final int WALK_BYTES = 1 << 20;

    private final LogState state;

    /**
     * The reader of a log.
     *
     * @param state of the log
     */
    LogReader(LogState state) {
        this.state = state;
    }

    /**
     * Reads whole batches.
     *
     * @param fromOffset that the first batch holds
     * @param maxBytes of all batches, but at least one is read
     * @param limitOffset above the last offset of the last batch
     * @param into takes the lease
     * @return false when there is no such batch
     */
    boolean read(long fromOffset, int maxBytes, long limitOffset, LogSlice into) {
        while (true) {
            state.requireOpen();
            final LogView view = state.view;
            final long end = view.endOffset();
            boolean isFound = false;
            CorruptLogException damage = null;
            final boolean isInRange = fromOffset >= view.startOffset() && fromOffset <= end;
            if (isInRange) {
                try {
                    isFound = readView(view, fromOffset, maxBytes, Math.min(limitOffset, end), into);
                } catch (final CorruptLogException e) {
                    damage = e;
                } catch (final InternalError e) {
                    into.close();
                    throw new StorageException(
                            "mapped file cannot be read: log=" + state.partition + ", folder="
                                    + state.folder.directory() + ", fromOffset=" + fromOffset
                                    + "; was it cut by somebody else? Check the disk",
                            e);
                }
            }
            if (isCurrent(view, fromOffset, isFound)) {
                if (isFound) {
                    return true;
                }
                into.close();
                if (damage != null) {
                    throw damage;
                }
                if (!isInRange) {
                    throw new OffsetOutOfRangeException(
                            state.partition.toString(), fromOffset, view.startOffset(), end);
                }
                return false;
            }
        }
    }

    /**
     * Whether an answer still holds. What was found is good as long as nothing was truncated and the offset was not
     * deleted; "nothing there" only if there is no newer view, which may have a segment that this one has not.
     */
    private boolean isCurrent(LogView view, long fromOffset, boolean isFound) {
        final LogView now = state.view;
        return now == view || (isFound && now.generation() == view.generation() && fromOffset >= now.startOffset());
    }

    private static boolean readView(LogView view, long fromOffset, int maxBytes, long bound, LogSlice into) {
        if (fromOffset >= bound) {
            return false;
        }
        for (int i = view.floor(fromOffset); i < view.segmentCount(); i++) {
            final Segment segment = view.segment(i);
            final int size = segment.size();
            final MappedFile mapping = size == 0 ? null : segment.acquire();
            if (mapping == null) {
                // Empty, or retired by a truncation or deletion which the caller will notice.
                continue;
            }
            boolean isTaken = false;
            try {
                final int known = into.positionAfter(segment, fromOffset);
                final int from = known >= 0 ? known : segment.positionOf(mapping.buffer(), fromOffset, size);
                if (from < size) {
                    isTaken = take(segment, mapping, from, maxBytes, bound, into);
                    return isTaken;
                }
            } finally {
                if (!isTaken) {
                    mapping.release();
                }
            }
        }
        return false;
    }

    /** Collects batches from a position on; the reference of the mapping goes to the slice when there is any. */
    private static boolean take(
            Segment segment, MappedFile mapping, int from, int maxBytes, long bound, LogSlice into) {
        final DirectBuffer buffer = mapping.buffer();
        final int size = segment.size();
        final long target = from + (long) maxBytes;
        int at = from;
        long nextOffset = Log.NO_OFFSET;
        // Over all but the last stretch the index leads, not the headers one by one.
        final long entry = segment.entryAtPosition(buffer, target, size);
        if (entry != OffsetIndex.NO_ENTRY
                && OffsetIndex.position(entry) > from
                && segment.baseOffset() + OffsetIndex.relativeOffset(entry) < bound) {
            at = OffsetIndex.position(entry);
            nextOffset = BatchDescriptor.baseOffset(buffer, at);
        }
        while (at < size) {
            final int bytes = segment.batchSizeAt(buffer, at, size);
            final long lastOffset = BatchDescriptor.lastOffset(buffer, at);
            if (lastOffset >= bound || (at > from && at + (long) bytes > target)) {
                break;
            }
            at += bytes;
            nextOffset = lastOffset + 1;
        }
        if (at == from) {
            return false;
        }
        into.take(mapping, from, at - from, BatchDescriptor.baseOffset(buffer, from), nextOffset);
        into.rememberSource(segment);
        return true;
    }

    /**
     * Finds the first record that is not older than a timestamp.
     *
     * @param timestamp to look for
     * @return its offset, {@link Log#NO_OFFSET} when there is none
     */
    long offsetForTimestamp(long timestamp) {
        while (true) {
            state.requireOpen();
            final LogView view = state.view;
            long found = Log.NO_OFFSET;
            StorageException problem = null;
            try {
                found = new TimestampSearch(view, timestamp).run();
            } catch (final StorageException e) {
                problem = e;
            } catch (final InternalError e) {
                problem = new StorageException(
                        "mapped file cannot be read: log=" + state.partition + ", folder=" + state.folder.directory()
                                + ", timestamp=" + timestamp + "; was it cut by somebody else? Check the disk",
                        e);
            }
            if (isCurrent(view, found, problem == null && found != Log.NO_OFFSET)) {
                if (problem != null) {
                    throw problem;
                }
                return found;
            }
        }
    }

    /**
     * The greatest timestamp of the segments.
     *
     * @return milliseconds, -1 when there is none
     */
    long maxTimestamp() {
        while (true) {
            state.requireOpen();
            final LogView view = state.view;
            long greatest = BatchDescriptor.NO_TIMESTAMP;
            StorageException problem = null;
            try {
                for (int i = 0; i < view.segmentCount(); i++) {
                    greatest = Math.max(greatest, view.segment(i).maxTimestamp());
                }
            } catch (final StorageException e) {
                problem = e;
            }
            if (state.view == view) {
                if (problem != null) {
                    throw problem;
                }
                return greatest;
            }
        }
    }

    /**
     * Calls a handler for each batch that holds an offset of a range.
     *
     * @param fromOffset first offset
     * @param toOffset end, exclusive
     * @param handler to be called
     */
    void forEachBatch(long fromOffset, long toOffset, BatchHandler handler) {
        final RecordBatch batch = new RecordBatch();
        long next = fromOffset;
        try (LogSlice slice = new LogSlice()) {
            while (next < toOffset && read(next, WALK_BYTES, Long.MAX_VALUE, slice)) {
                int at = slice.index();
                final int end = at + slice.length();
                while (at < end) {
                    batch.wrap(slice.buffer(), at, end - at);
                    if (batch.baseOffset() >= toOffset) {
                        return;
                    }
                    handler.onBatch(batch);
                    at += batch.sizeInBytes();
                }
                next = slice.nextOffset();
            }
        }
    }
}

package io.tidemark.log;

import io.tidemark.log.format.BatchDescriptor;
import io.tidemark.log.io.MappedFile;
import io.tidemark.log.segment.LogView;
import io.tidemark.log.segment.Segment;
import io.tidemark.log.segment.TimeIndex;
import org.agrona.DirectBuffer;

/**
 * Finds the first record of a view whose timestamp is at or above the one asked for. Timestamps need not grow with
 * offsets: segments whose greatest timestamp is below are passed by; in the first other one the time index says up to
 * which offset everything is older; from there on headers are read one by one, and the records of the first batch that
 * may hold an answer. Used once, by one thread.
 */
final class TimestampSearch {
    private final LogView view;
    private final long timestamp;
    private final long endOffset;

    /**
     * A search.
     *
     * @param view to search
     * @param timestamp to look for
     */
    TimestampSearch(LogView view, long timestamp) {
        this.view = view;
        this.timestamp = timestamp;
        this.endOffset = view.endOffset();
    }

    /**
     * Searches.
     *
     * @return an offset, {@link Log#NO_OFFSET} when every record is older
     */
    long run() {
        for (int i = view.floor(view.startOffset()); i < view.segmentCount(); i++) {
            final Segment segment = view.segment(i);
            final int size = segment.size();
            if (size > 0 && segment.maxTimestamp() >= timestamp) {
                final long found = in(segment, size);
                if (found != Log.NO_OFFSET) {
                    return found;
                }
            }
        }
        return Log.NO_OFFSET;
    }

    private long in(Segment segment, int size) {
        final long older = segment.times().floorBelow(timestamp);
        final long first = older == TimeIndex.NO_ENTRY ? segment.baseOffset() : segment.baseOffset() + older + 1;
        final MappedFile mapping = segment.acquire();
        if (mapping == null) {
            // Retired by a truncation, which the caller will notice.
            return Log.NO_OFFSET;
        }
        try {
            final DirectBuffer buffer = mapping.buffer();
            int at = segment.positionOf(buffer, Math.max(first, view.startOffset()), size);
            while (at < size && BatchDescriptor.baseOffset(buffer, at) < endOffset) {
                final int bytes = segment.batchSizeAt(buffer, at, size);
                if (BatchDescriptor.maxTimestamp(buffer, at) >= timestamp) {
                    final long found = inBatch(segment, buffer, at, bytes);
                    if (found != Log.NO_OFFSET) {
                        return found;
                    }
                }
                at += bytes;
            }
            return Log.NO_OFFSET;
        } finally {
            mapping.release();
        }
    }

    private long inBatch(Segment segment, DirectBuffer buffer, int at, int bytes) {
        final long start = view.startOffset();
        try {
            final RecordBatch batch = new RecordBatch().wrap(buffer, at, bytes);
            if (batch.timestampType() == TimestampType.APPEND_TIME) {
                return Math.max(batch.baseOffset(), start);
            }
            final RecordCursor records = batch.records();
            while (records.next()) {
                if (records.timestamp() >= timestamp && records.offset() >= start) {
                    return records.offset();
                }
            }
            return Log.NO_OFFSET;
        } catch (final MissingCodecException e) {
            // The records cannot be looked at here. Earlier than right is right for somebody who reads on from there.
            return Math.max(BatchDescriptor.baseOffset(buffer, at), start);
        } catch (final InvalidBatchException e) {
            throw new CorruptLogException(
                    "records cannot be walked: file=" + segment.path() + ", position=" + at + ", problem="
                            + e.getMessage(),
                    e);
        }
    }
}

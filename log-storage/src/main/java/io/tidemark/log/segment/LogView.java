package io.tidemark.log.segment;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * What readers see of a log: its segments, its start and end and its truncation generation, published together as one
 * object. Only the end changes in place, and only forwards; it is shared by all views of one generation. A roll or a
 * moved log start makes a new view with the same generation, a truncation one with the next. A reader takes the view
 * once, works with it, and looks whether the log's generation is still the same and what it asked for has not been
 * deleted meanwhile: bytes of a view are never overwritten, so what it read was complete. An old view may show an end
 * that only a newer view has the segments for. No allocation per append, no lock.
 */
public final class LogView {
    /** The end of all views of one generation. */
    private static final class End {
        private static final VarHandle OFFSET;

        static {
            try {
                OFFSET = MethodHandles.lookup().findVarHandle(End.class, "offset", long.class);
            } catch (final ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        @SuppressWarnings("UnusedVariable") // by OFFSET
        private long offset;

        End(long offset) {
            this.offset = offset;
        }
    }

    private final Segment[] segments;
    private final long generation;
    private final long startOffset;
    private final End end;

    /**
     * A view of a new generation.
     *
     * @param segments by base offset, at least one; the last one is appended to; not to be changed any more
     * @param generation number of truncations
     * @param startOffset first offset kept
     * @param endOffset next offset to be written
     */
    public LogView(Segment[] segments, long generation, long startOffset, long endOffset) {
        this(segments, generation, startOffset, new End(endOffset));
    }

    private LogView(Segment[] segments, long generation, long startOffset, End end) {
        this.segments = segments;
        this.generation = generation;
        this.startOffset = startOffset;
        this.end = end;
    }

    /**
     * The same log with one more segment.
     *
     * @param active the new last segment
     * @return a new view, with the same end
     */
    public LogView rolled(Segment active) {
        final Segment[] more = Arrays.copyOf(segments, segments.length + 1);
        more[segments.length] = active;
        return new LogView(more, generation, startOffset, end);
    }

    /**
     * The same log without its oldest part.
     *
     * @param dropped number of segments that are left out, below {@link #segmentCount()}
     * @param offset first offset kept, not below the start of this view
     * @return a new view, with the same end
     */
    public LogView startingAt(int dropped, long offset) {
        return new LogView(Arrays.copyOfRange(segments, dropped, segments.length), generation, offset, end);
    }

    /**
     * The number of segments.
     *
     * @return 1 or more
     */
    public int segmentCount() {
        return segments.length;
    }

    /**
     * A segment.
     *
     * @param number 0 is the oldest
     * @return the segment
     */
    public Segment segment(int number) {
        return segments[number];
    }

    /**
     * The segment that is appended to.
     *
     * @return the last one
     */
    public Segment active() {
        return segments[segments.length - 1];
    }

    /**
     * The number of the last segment that begins at or before an offset.
     *
     * @param offset to look for
     * @return a number, 0 when all begin after it
     */
    public int floor(long offset) {
        int low = 0;
        int high = segments.length - 1;
        while (low < high) {
            final int middle = (low + high + 1) >>> 1;
            if (segments[middle].baseOffset() <= offset) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /**
     * The number of truncations.
     *
     * @return a number that grows
     */
    public long generation() {
        return generation;
    }

    /**
     * First offset kept.
     *
     * @return an offset
     */
    public long startOffset() {
        return startOffset;
    }

    /**
     * Next offset to be written.
     *
     * @return an offset
     */
    public long endOffset() {
        // Acquire: pairs with the release in publishEnd; the active segment's bytes and size are visible before it.
        return (long) End.OFFSET.getAcquire(end);
    }

    /**
     * Moves the end forwards. Owned by the log's owner thread.
     *
     * @param offset the new end
     */
    public void publishEnd(long offset) {
        End.OFFSET.setRelease(end, offset);
    }
}

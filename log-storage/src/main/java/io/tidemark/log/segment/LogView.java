package io.tidemark.log.segment;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What readers see of a log: its segments, its end and its truncation generation, published together as one object.
 * Only the end changes in place, and only forwards; a roll makes a new view with the same generation, a truncation one
 * with the next. A reader takes the view once, works with it, and looks whether the log's generation is still the same:
 * bytes of a view are never overwritten, so what it read was complete and, unless the generation changed, is alive.
 * No allocation per append, no lock, no retry but after a truncation.
 */
public final class LogView {
    private static final VarHandle END;

    static {
        try {
            END = MethodHandles.lookup().findVarHandle(LogView.class, "endOffset", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Segment[] segments;
    private final long generation;
    private final long startOffset;

    @SuppressWarnings("UnusedVariable") // by END
    private long endOffset;

    /**
     * A view.
     *
     * @param segments by base offset, at least one; the last one is appended to; not to be changed any more
     * @param generation number of truncations
     * @param startOffset first offset kept
     * @param endOffset next offset to be written
     */
    public LogView(Segment[] segments, long generation, long startOffset, long endOffset) {
        this.segments = segments;
        this.generation = generation;
        this.startOffset = startOffset;
        this.endOffset = endOffset;
    }

    /**
     * The same log with one more segment.
     *
     * @param active the new last segment
     * @return a new view
     */
    public LogView rolled(Segment active) {
        final Segment[] more = new Segment[segments.length + 1];
        System.arraycopy(segments, 0, more, 0, segments.length);
        more[segments.length] = active;
        return new LogView(more, generation, startOffset, endOffset());
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
        return (long) END.getAcquire(this);
    }

    /**
     * Moves the end forwards. Owned by the log's owner thread.
     *
     * @param offset the new end
     */
    public void publishEnd(long offset) {
        END.setRelease(this, offset);
    }
}

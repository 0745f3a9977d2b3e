package io.tidemark.log.segment;

/** Decides which batches of a segment get an entry in its two indexes. Owned by one thread. */
public final class IndexBuilder {
    private final OffsetIndex index;
    private final TimeIndex times;
    private final long baseOffset;
    private final int intervalBytes;
    private long bytesSinceEntry;

    /**
     * A builder of empty indexes.
     *
     * @param baseOffset of the segment
     * @param indexBytesMax greatest size of the index's file
     * @param intervalBytes bytes of batches between two entries
     */
    public IndexBuilder(long baseOffset, int indexBytesMax, int intervalBytes) {
        this(new OffsetIndex(indexBytesMax), new TimeIndex(indexBytesMax), baseOffset, intervalBytes, 0);
    }

    /**
     * A builder that goes on with indexes.
     *
     * @param index to add to
     * @param times to add to
     * @param baseOffset of the segment
     * @param intervalBytes bytes of batches between two entries
     * @param bytesSinceEntry bytes of the segment after its last entry
     */
    public IndexBuilder(OffsetIndex index, TimeIndex times, long baseOffset, int intervalBytes, long bytesSinceEntry) {
        this.index = index;
        this.times = times;
        this.baseOffset = baseOffset;
        this.intervalBytes = intervalBytes;
        this.bytesSinceEntry = bytesSinceEntry;
    }

    /**
     * Takes a batch into account.
     *
     * @param lastOffset of the batch
     * @param position of the batch
     * @param sizeInBytes of the batch
     * @param maxTimestamp of the batch
     */
    public void add(long lastOffset, int position, int sizeInBytes, long maxTimestamp) {
        final long relative = lastOffset - baseOffset;
        times.add(maxTimestamp, relative);
        // A segment of an older build may hold offsets too far from its base (ST-02): those are found by scanning.
        if (bytesSinceEntry > intervalBytes && relative <= Integer.MAX_VALUE && !index.isFull()) {
            index.append((int) relative, position);
            times.addEntry();
            bytesSinceEntry = 0;
        }
        bytesSinceEntry += sizeInBytes;
    }

    /**
     * The index so far.
     *
     * @return the index that is added to
     */
    public OffsetIndex index() {
        return index;
    }

    /**
     * The time index so far.
     *
     * @return the index that is added to
     */
    public TimeIndex times() {
        return times;
    }

    /**
     * Whether the segment should be rolled before an index takes more entries than its file may.
     *
     * @return true when either is full
     */
    public boolean isFull() {
        return index.isFull() || times.isFull();
    }

    /** Ends building: the greatest timestamp gets its entry. More batches may be added nevertheless. */
    public void finish() {
        times.finish();
    }
}

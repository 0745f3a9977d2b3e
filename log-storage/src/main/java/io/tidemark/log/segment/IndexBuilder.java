package io.tidemark.log.segment;

/** Decides which batches of a segment get an index entry. Owned by one thread. */
public final class IndexBuilder {
    private final OffsetIndex index;
    private final long baseOffset;
    private final int intervalBytes;
    private long bytesSinceEntry;

    /**
     * A builder of an empty index.
     *
     * @param baseOffset of the segment
     * @param indexBytesMax greatest size of the index's file
     * @param intervalBytes bytes of batches between two entries
     */
    public IndexBuilder(long baseOffset, int indexBytesMax, int intervalBytes) {
        this(new OffsetIndex(indexBytesMax), baseOffset, intervalBytes, 0);
    }

    /**
     * A builder that goes on with an index.
     *
     * @param index to add to
     * @param baseOffset of the segment
     * @param intervalBytes bytes of batches between two entries
     * @param bytesSinceEntry bytes of the segment after its last entry
     */
    public IndexBuilder(OffsetIndex index, long baseOffset, int intervalBytes, long bytesSinceEntry) {
        this.index = index;
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
     */
    public void add(long lastOffset, int position, int sizeInBytes) {
        final long relative = lastOffset - baseOffset;
        // A segment of an older build may hold offsets too far from its base (ST-02): those are found by scanning.
        if (bytesSinceEntry >= intervalBytes && relative <= Integer.MAX_VALUE && !index.isFull()) {
            index.append((int) relative, position);
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
}

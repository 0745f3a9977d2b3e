package io.tidemark.pipeline;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Produce requests of one partition that wait for the high watermark, in the order of their end offsets: a ring
 * buffer of primitives that grows as needed and never shrinks. Owned by the completion stage.
 */
final class PendingReplies {
    private static final int CAPACITY_MIN = 16;

    private @Nullable InboundConnection[] sources = new @Nullable InboundConnection[0];
    private long[] correlationIds = new long[0];
    private long[] baseOffsets = new long[0];
    private long[] nextOffsets = new long[0];
    private long[] deadlinesNs = new long[0];
    private int head;
    private int size;

    /**
     * Number of requests.
     *
     * @return 0 or more
     */
    int size() {
        return size;
    }

    /**
     * Puts a request in its place. It is last, except for a repeated request whose original still waits.
     *
     * @param source to answer
     * @param correlationId of the request
     * @param baseOffset first offset of its batch
     * @param nextOffset end of its batch
     * @param deadlineNs when it times out
     */
    void add(InboundConnection source, long correlationId, long baseOffset, long nextOffset, long deadlineNs) {
        if (size == sources.length) {
            grow();
        }
        int place = size;
        while (place > 0 && nextOffsets[slot(place - 1)] > nextOffset) {
            copy(slot(place - 1), slot(place));
            place--;
        }
        int slot = slot(place);
        sources[slot] = source;
        correlationIds[slot] = correlationId;
        baseOffsets[slot] = baseOffset;
        nextOffsets[slot] = nextOffset;
        deadlinesNs[slot] = deadlineNs;
        size++;
    }

    /**
     * End offset of the first request; only if there is one.
     *
     * @return the offset
     */
    long firstNextOffset() {
        return nextOffsets[head];
    }

    /**
     * Who waits.
     *
     * @param place from 0, the least end offset first
     * @return the connection
     */
    InboundConnection source(int place) {
        InboundConnection source = sources[slot(place)];
        if (source == null) {
            throw new IndexOutOfBoundsException("place=" + place + ", size=" + size);
        }
        return source;
    }

    /**
     * Its correlation id.
     *
     * @param place from 0, the least end offset first
     * @return the id
     */
    long correlationId(int place) {
        return correlationIds[slot(place)];
    }

    /**
     * First offset of its batch.
     *
     * @param place from 0, the least end offset first
     * @return the offset
     */
    long baseOffset(int place) {
        return baseOffsets[slot(place)];
    }

    /**
     * End of its batch.
     *
     * @param place from 0, the least end offset first
     * @return the offset
     */
    long nextOffset(int place) {
        return nextOffsets[slot(place)];
    }

    /**
     * When it times out.
     *
     * @param place from 0, the least end offset first
     * @return the time
     */
    long deadlineNs(int place) {
        return deadlinesNs[slot(place)];
    }

    /** Takes the first request out. */
    void removeFirst() {
        sources[head] = null;
        head = slot(1);
        size--;
    }

    /**
     * Takes a request out of the middle.
     *
     * @param place from 0, the least end offset first
     */
    void remove(int place) {
        for (int i = place; i < size - 1; i++) {
            copy(slot(i + 1), slot(i));
        }
        sources[slot(size - 1)] = null;
        size--;
    }

    private int slot(int place) {
        return (head + place) & (sources.length - 1);
    }

    private void copy(int from, int to) {
        sources[to] = sources[from];
        correlationIds[to] = correlationIds[from];
        baseOffsets[to] = baseOffsets[from];
        nextOffsets[to] = nextOffsets[from];
        deadlinesNs[to] = deadlinesNs[from];
    }

    private void grow() {
        int oldCapacity = sources.length;
        int capacity = Math.max(CAPACITY_MIN, oldCapacity * 2);
        sources = Arrays.copyOf(sources, capacity);
        correlationIds = Arrays.copyOf(correlationIds, capacity);
        baseOffsets = Arrays.copyOf(baseOffsets, capacity);
        nextOffsets = Arrays.copyOf(nextOffsets, capacity);
        deadlinesNs = Arrays.copyOf(deadlinesNs, capacity);
        // The ring was full, so that the part before the head follows what stands at the end of the old arrays.
        for (int i = 0; i < head; i++) {
            copy(i, oldCapacity + i);
            sources[i] = null;
        }
    }
}

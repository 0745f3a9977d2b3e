package io.tidemark.log.segment;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the number of mappings of segments that nobody appends to: when one more is mapped than allowed, the least
 * recently used one loses the reference that keeps it; leases go on. Any thread. There is a lock because mapping is
 * rare and slow anyhow; no lock of a segment is taken while it is held.
 */
public final class MappingCache {
    private final int mappingsMax;
    private final List<Segment> mapped = new ArrayList<>();
    private int ticks;

    /**
     * An empty cache.
     *
     * @param mappingsMax most mappings kept, 1 or more
     */
    public MappingCache(int mappingsMax) {
        this.mappingsMax = mappingsMax;
    }

    /**
     * A number that grows with the use of mappings. Races only make the order of use less exact.
     *
     * @return the mark of a use
     */
    int tick() {
        return ++ticks;
    }

    /**
     * Counts the mapping of a segment, and drops another one when there are too many. Not to be called with the lock of
     * a segment held.
     *
     * @param segment that was mapped
     */
    void add(Segment segment) {
        final Segment victim = addAndChoose(segment);
        if (victim != null) {
            victim.evict();
        }
    }

    private synchronized @Nullable Segment addAndChoose(Segment segment) {
        mapped.remove(segment);
        mapped.add(segment);
        if (mapped.size() <= mappingsMax) {
            return null;
        }
        int oldest = 0;
        for (int i = 1; i < mapped.size() - 1; i++) {
            // A difference, because the ticks may wrap.
            if (mapped.get(i).lastUsed() - mapped.get(oldest).lastUsed() < 0) {
                oldest = i;
            }
        }
        return mapped.remove(oldest);
    }

    /**
     * Forgets a segment.
     *
     * @param segment that is unmapped or appended to from now on
     */
    synchronized void remove(Segment segment) {
        mapped.remove(segment);
    }

    /**
     * The number of mappings counted.
     *
     * @return at most the limit
     */
    public synchronized int size() {
        return mapped.size();
    }
}

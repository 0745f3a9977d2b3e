package io.tidemark.log.retention;

import java.util.List;

/**
 * A log as retention sees it.
 *
 * @param segments oldest first, the active one last; at least one
 * @param bounds of the log
 */
public record LogFacts(List<SegmentFacts> segments, LogBounds bounds) {
    /**
     * Copies the list.
     *
     * @param segments see the record
     * @param bounds see the record
     */
    public LogFacts {
        segments = List.copyOf(segments);
    }
}

package io.tidemark.log.retention;

/**
 * What may be deleted.
 *
 * @param dropped number of oldest segments that may go
 * @param startOffset first offset to be kept; not below the log's start
 * @param rollsActive whether the active segment may go too, once another one has taken its place
 */
public record RetentionDecision(int dropped, long startOffset, boolean rollsActive) {}

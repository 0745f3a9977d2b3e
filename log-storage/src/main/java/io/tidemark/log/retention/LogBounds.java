package io.tidemark.log.retention;

/**
 * Between which offsets a log lies.
 *
 * @param startOffset first offset kept
 * @param endOffset next offset to be written
 * @param limitOffset what lies at or above it may not be deleted: the high watermark; negative when nothing may
 */
public record LogBounds(long startOffset, long endOffset, long limitOffset) {}

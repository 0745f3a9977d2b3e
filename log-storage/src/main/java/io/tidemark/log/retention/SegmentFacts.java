package io.tidemark.log.retention;

/**
 * What retention has to know of a segment. Nothing in it comes from a client: timestamps of records do not count.
 *
 * @param baseOffset first offset that it may hold
 * @param sizeBytes bytes of batches
 * @param storedAtMs when its last batch was stored on this node, or later; on the clock that the decision is made by
 */
public record SegmentFacts(long baseOffset, long sizeBytes, long storedAtMs) {}

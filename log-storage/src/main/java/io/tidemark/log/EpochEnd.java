package io.tidemark.log;

/**
 * Where a leader epoch ends in a log. Source: KIP-279.
 *
 * @param epoch the greatest known epoch that is not above the one asked for; {@link Log#NO_EPOCH} when there is none
 * @param endOffset where it ends, exclusive; the log's start when there is no such epoch
 */
public record EpochEnd(int epoch, long endOffset) {}

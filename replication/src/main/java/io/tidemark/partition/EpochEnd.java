package io.tidemark.partition;

/**
 * Where a leader epoch ends in a log.
 *
 * @param epoch the largest epoch of the log that is not above the one asked for, {@link EpochHistory#NO_EPOCH} if the
 *     log has none
 * @param endOffset exclusive end of that epoch: the start of the next one or the log end; the log start if there is no
 *     such epoch
 */
public record EpochEnd(int epoch, long endOffset) {}

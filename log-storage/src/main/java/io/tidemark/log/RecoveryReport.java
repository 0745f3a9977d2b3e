package io.tidemark.log;

/**
 * What the opening of a log had to do.
 *
 * @param scanned whether batches were checked, because the log had not been closed cleanly
 * @param scannedBytes bytes of the batches that were found good
 * @param cutBytes bytes that were in the files behind the last good batch, unused preallocated ones included
 * @param droppedSegments number of segments behind a torn tail that were removed
 */
public record RecoveryReport(boolean scanned, long scannedBytes, long cutBytes, int droppedSegments) {
    /** Nothing had to be done. */
    public static final RecoveryReport NOTHING = new RecoveryReport(false, 0, 0, 0);
}

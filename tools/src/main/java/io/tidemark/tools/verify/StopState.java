package io.tidemark.tools.verify;

/**
 * How a log was left, which decides what may be in its folder.
 *
 * @param isClean whether the last process closed it: nothing may be left over and everything derived must be there
 * @param recoveryPoint end of what is said to be on the disk, -1 if nothing is said
 */
record StopState(boolean isClean, long recoveryPoint) {
    /** A log of which nothing is known but its folder: as if it had been closed. */
    static final StopState ALONE = new StopState(true, -1);

    /**
     * Whether damage at an offset may be the torn end of a log that was not closed.
     *
     * @param offset at which no good batch stands
     * @return false below the recovery point and in a log that was closed
     */
    boolean mayBeTornAt(long offset) {
        return !isClean && offset >= recoveryPoint;
    }
}

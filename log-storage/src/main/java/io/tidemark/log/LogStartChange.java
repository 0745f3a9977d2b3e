package io.tidemark.log;

/**
 * A log start that is to be noted.
 *
 * @param log whose start moves
 * @param startOffset first offset to be kept
 * @param truncations of the log when this was decided
 */
record LogStartChange(LogState log, long startOffset, long truncations) {
    /**
     * Whether nothing was truncated since.
     *
     * @return false when the change must not be made
     */
    boolean isCurrent() {
        return log.truncations == truncations;
    }
}

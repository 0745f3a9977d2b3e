package io.tidemark.log;

/** How batches reach the disk. Both ways keep everything when the process dies. */
public enum LogDurability {
    /**
     * Batches are stored into mapped memory, for some tens of nanoseconds each. A power failure loses what was not
     * forced: by {@link Log#flush}, by the settings of {@link LogConfig}, or by the system in its own time.
     */
    PAGE_CACHE,
    /**
     * For logs that are forced after each batch or few batches: batches are gathered and written by one call into
     * blocks that are on the disk already, because a force after that costs half of what it costs after stores into
     * mapped memory. Who appends asks for the force, by {@link Log#flush(long)}, before promising anything.
     */
    FSYNCED
}

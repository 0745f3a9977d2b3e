package io.tidemark.log.recovery;

/** How a log was left, which decides how much of it is believed. */
public enum LastStop {
    /** Everything was forced and cut: nothing needs to be scanned. */
    CLEAN,
    /** The process ended, but the machine went on: the page cache kept what was stored. */
    PROCESS_ENDED,
    /** The machine may have stopped: what was not forced may be there, or not, in any mixture. */
    MACHINE_ENDED
}

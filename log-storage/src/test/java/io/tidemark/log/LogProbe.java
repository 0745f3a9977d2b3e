package io.tidemark.log;

/** What tests of other modules ask a log that users need not know. */
public final class LogProbe {
    private LogProbe() {}

    /** How many truncations of a log began since it was opened. */
    public static long truncations(Log log) {
        return log.maintenance().truncations();
    }
}

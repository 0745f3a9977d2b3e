package io.tidemark.tools.check;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** A few measured times. Not thread-safe. */
final class Latencies {
    private final List<Long> timesNs = new ArrayList<>();

    /** Begins without one. */
    Latencies() {}

    /**
     * Adds a time.
     *
     * @param timeNs in nanoseconds
     */
    void add(long timeNs) {
        timesNs.add(timeNs);
    }

    /**
     * A time for a person.
     *
     * @param timeNs in nanoseconds
     * @return in milliseconds, with the unit
     */
    static String millis(long timeNs) {
        return String.format(Locale.ROOT, timeNs < 1_000_000 ? "%.3f ms" : "%.1f ms", timeNs / 1e6);
    }

    private long quantile(double share) {
        List<Long> sorted = new ArrayList<>(timesNs);
        Collections.sort(sorted);
        return sorted.get((int) Math.min(sorted.size() - 1L, Math.round(share * sorted.size())));
    }

    /** The middle and the slowest. */
    @Override
    public String toString() {
        return "p50 " + millis(quantile(0.5)) + ", max " + millis(Collections.max(timesNs)) + " of " + timesNs.size();
    }
}

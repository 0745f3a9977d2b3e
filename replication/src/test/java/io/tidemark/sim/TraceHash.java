package io.tidemark.sim;

import java.util.ArrayDeque;
import java.util.Deque;

/** A running hash of everything that happened; two runs of one seed have the same. Optionally keeps the last lines. */
final class TraceHash {
    private static final long PRIME = 0x100000001b3L;
    private static final int LINES_MAX = 400;

    private final SimScheduler scheduler;
    private final Deque<String> lines = new ArrayDeque<>();
    private final boolean prints;
    private long hash = 0xcbf29ce484222325L;

    TraceHash(SimScheduler scheduler, boolean prints) {
        this.scheduler = scheduler;
        this.prints = prints;
    }

    void mix(long value) {
        hash = (hash ^ value) * PRIME;
        hash ^= hash >>> 29;
    }

    void mix(String text) {
        mix(text.hashCode());
    }

    /** Something that people who look for a cause want to see. */
    void line(String text) {
        mix(scheduler.nowNs());
        mix(text);
        String line = String.format("%12.6f  %s", scheduler.elapsedNs() / 1e9, text);
        lines.addLast(line);
        if (lines.size() > LINES_MAX) {
            lines.removeFirst();
        }
        if (prints) {
            Output.line(line);
        }
    }

    /** The last lines, oldest first. */
    Iterable<String> lines() {
        return lines;
    }

    long value() {
        return hash;
    }
}

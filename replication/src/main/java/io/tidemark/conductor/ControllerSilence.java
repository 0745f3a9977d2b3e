package io.tidemark.conductor;

import java.util.concurrent.TimeUnit;

/** Since when no controller was heard. Owned by the conductor. */
final class ControllerSilence {
    /** A broker that heard nothing from a controller for so long reads the state itself. */
    static final long MAX_NS = TimeUnit.SECONDS.toNanos(30);

    private long heardNs;

    /** Nothing was heard yet. */
    ControllerSilence() {}

    /**
     * A controller was heard, or the state was read otherwise.
     *
     * @param nowNs now
     */
    void heard(long nowNs) {
        heardNs = nowNs;
    }

    /**
     * Whether it was silent for too long; the next silence begins then.
     *
     * @param nowNs now
     * @return true once in every {@link #MAX_NS} without a word
     */
    boolean isOver(long nowNs) {
        boolean isOver = nowNs - heardNs >= MAX_NS;
        if (isOver) {
            heardNs = nowNs;
        }
        return isOver;
    }
}

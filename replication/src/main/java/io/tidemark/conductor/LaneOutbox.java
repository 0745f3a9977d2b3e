package io.tidemark.conductor;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;

/**
 * What the conductor still has to say to the lane, in order; the lane's ring may be full for a moment. Each entry says
 * the newest about its subject at the time it gets through, and a subject that is waiting is not added again, so that
 * the outbox is bounded by the number of partitions and of forwarded requests. Owned by the conductor.
 */
final class LaneOutbox {
    private final Deque<BooleanSupplier> waiting = new ArrayDeque<>();

    /** Begins empty. */
    LaneOutbox() {}

    /**
     * Says something, now or when the ring has room.
     *
     * @param call a call of the lane's proxy; false means that there was no room and nothing was done
     */
    void say(BooleanSupplier call) {
        if (!waiting.isEmpty() || !call.getAsBoolean()) {
            waiting.add(call);
        }
    }

    /**
     * Says what waits, as far as there is room.
     *
     * @return how much was said
     */
    int drain() {
        int count = 0;
        while (!waiting.isEmpty() && waiting.getFirst().getAsBoolean()) {
            waiting.removeFirst();
            count++;
        }
        return count;
    }

    /**
     * How much waits.
     *
     * @return the number of calls
     */
    int size() {
        return waiting.size();
    }

    /** Forgets what waits, since the lane is closed. */
    void clear() {
        waiting.clear();
    }
}

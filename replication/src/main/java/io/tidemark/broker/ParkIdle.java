package io.tidemark.broker;

import java.util.function.IntConsumer;
import org.agrona.concurrent.IdleStrategy;

/** Lets an agent that had nothing to do wait where only it can be woken. Used by one agent's thread. */
final class ParkIdle implements IdleStrategy {
    private final IntConsumer idle;

    /**
     * Makes the strategy.
     *
     * @param idle is given the work count of each duty cycle; waits for a wake-up or a while if it is 0
     */
    ParkIdle(IntConsumer idle) {
        this.idle = idle;
    }

    @Override
    public void idle(int workCount) {
        idle.accept(workCount);
    }

    @Override
    public void idle() {
        idle.accept(0);
    }

    @Override
    public void reset() {
        // There is no state.
    }

    @Override
    public String alias() {
        return "park";
    }
}

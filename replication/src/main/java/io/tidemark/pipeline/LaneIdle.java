package io.tidemark.pipeline;

import org.agrona.concurrent.IdleStrategy;

/**
 * Lets a lane that had nothing to do wait for its network, for a wake-up or for its next timer, whichever comes
 * first; it never spins. For the runner of one {@link LaneAgent}; the lane's thread.
 */
public final class LaneIdle implements IdleStrategy {
    private final LaneAgent lane;

    /**
     * Creates the strategy of a lane.
     *
     * @param lane that the runner runs
     */
    public LaneIdle(LaneAgent lane) {
        this.lane = lane;
    }

    @Override
    public void idle(int workCount) {
        if (workCount <= 0) {
            lane.park();
        }
    }

    @Override
    public void idle() {
        lane.park();
    }

    @Override
    public void reset() {
        // There is no state: each wait is measured by the lane's timers alone.
    }

    @Override
    public String alias() {
        return "lane-park";
    }
}

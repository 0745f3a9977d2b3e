package io.tidemark.broker;

import io.tidemark.controller.ControllerSettings;
import java.time.Duration;
import java.util.List;

/**
 * How a broker decides while it is the controller. All brokers of a cluster should have the same. Immutable.
 *
 * @param autoLeaderRebalance whether leadership goes back to preferred leaders by itself; true unless set
 * @param leaderImbalancePercent how many of the partitions that prefer a broker others may lead before it gets them
 *     back, 0 to 100 percent; 10 unless set
 * @param leaderRebalanceInterval time between two looks at the balance, 1 s to 1 day; 60 s unless set. A partition
 *     moves at most once in it, and a broker gets nothing back before it has been there for one interval
 */
public record ControllerConfig(
        boolean autoLeaderRebalance, int leaderImbalancePercent, Duration leaderRebalanceInterval) {
    /** What is not set otherwise. */
    public static final ControllerConfig DEFAULT = new ControllerConfig(true, 10, Duration.ofSeconds(60));

    private static final int PERCENT_MAX = 100;

    /**
     * The same, but for the balance.
     *
     * @param isOn whether leadership goes back by itself
     * @return a copy
     */
    public ControllerConfig withAutoLeaderRebalance(boolean isOn) {
        return new ControllerConfig(isOn, leaderImbalancePercent, leaderRebalanceInterval);
    }

    /**
     * The same, but for the allowed imbalance.
     *
     * @param percent 0 to 100
     * @return a copy
     */
    public ControllerConfig withLeaderImbalancePercent(int percent) {
        return new ControllerConfig(autoLeaderRebalance, percent, leaderRebalanceInterval);
    }

    /**
     * The same, but for the interval.
     *
     * @param interval 1 s to 1 day
     * @return a copy
     */
    public ControllerConfig withLeaderRebalanceInterval(Duration interval) {
        return new ControllerConfig(autoLeaderRebalance, leaderImbalancePercent, interval);
    }

    /**
     * Adds what is out of its range.
     *
     * @param problems list to add to
     */
    void check(List<String> problems) {
        BrokerConfig.checkRange(problems, "leaderImbalancePercent", leaderImbalancePercent, 0, PERCENT_MAX);
        BrokerConfig.checkDuration(
                problems,
                "leaderRebalanceInterval",
                leaderRebalanceInterval,
                Duration.ofSeconds(1),
                Duration.ofDays(1));
    }

    /**
     * As the controller takes it.
     *
     * @return the settings
     */
    ControllerSettings settings() {
        return new ControllerSettings(autoLeaderRebalance, leaderImbalancePercent, leaderRebalanceInterval.toNanos());
    }
}

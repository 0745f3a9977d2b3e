package io.tidemark.controller;

/**
 * How a controller decides where there is a choice.
 *
 * @param isBalancing whether leadership goes back to preferred leaders by itself
 * @param imbalancePercent how many of a broker's preferred partitions others may lead before that, in percent, 0 to 100
 * @param balanceIntervalNs time between two looks at the balance, in nanoseconds, at least 1
 */
public record ControllerSettings(boolean isBalancing, int imbalancePercent, long balanceIntervalNs) {
    /** Balance at 10 % every 60 s. */
    public static final ControllerSettings DEFAULT = new ControllerSettings(true, 10, 60_000_000_000L);
}

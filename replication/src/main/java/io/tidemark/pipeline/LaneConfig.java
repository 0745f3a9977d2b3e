package io.tidemark.pipeline;

import io.tidemark.fetch.FetchConfig;

/**
 * Settings of a lane. Immutable.
 *
 * @param brokerId id of the broker
 * @param lane index of the lane in its broker, from 0; said in each Hello and checked
 * @param host name or address to listen at
 * @param port to listen at; 0 takes a free one
 * @param replicaLagMaxNs how long a follower may be behind before it leaves the ISR
 * @param limits of what may wait in the lane
 * @param fetch settings of replication traffic
 */
public record LaneConfig(
        int brokerId, int lane, String host, int port, long replicaLagMaxNs, LaneLimits limits, FetchConfig fetch) {
    /**
     * Checks the values.
     *
     * @param brokerId id of the broker
     * @param lane index of the lane in its broker
     * @param host name or address to listen at
     * @param port to listen at
     * @param replicaLagMaxNs how long a follower may be behind before it leaves the ISR
     * @param limits of what may wait in the lane
     * @param fetch settings of replication traffic
     */
    public LaneConfig {
        if (brokerId < 0 || lane < 0 || port < 0 || port > 65535 || replicaLagMaxNs <= 0) {
            throw new IllegalArgumentException("bad lane settings: brokerId=" + brokerId + ", lane=" + lane + ", port="
                    + port + ", replicaLagMaxNs=" + replicaLagMaxNs
                    + "; ids are 0 or more, ports 0 to 65535, the lag above 0");
        }
    }

    /**
     * Settings with the default limits.
     *
     * @param brokerId id of the broker
     * @param host name or address to listen at
     * @param port to listen at; 0 takes a free one
     * @param replicaLagMaxNs how long a follower may be behind before it leaves the ISR
     * @return settings of lane 0
     */
    public static LaneConfig of(int brokerId, String host, int port, long replicaLagMaxNs) {
        return new LaneConfig(brokerId, 0, host, port, replicaLagMaxNs, LaneLimits.defaults(), FetchConfig.defaults());
    }
}

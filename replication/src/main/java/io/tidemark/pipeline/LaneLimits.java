package io.tidemark.pipeline;

/**
 * What may wait in a lane at once. At a limit the lane stops reading the connection that feeds it; what was read
 * already and does not fit even then is answered with BACK_PRESSURE.
 *
 * @param ringSize events from other threads, a power of two
 * @param ringBatchMax events of the ring that are handled before sockets are looked at again
 * @param pendingPerConnectionMax unanswered requests of one connection above which it is not read
 * @param pendingMax unanswered produce requests of the lane
 * @param parkedConsumesMax parked reads of the lane
 * @param connectionsMax accepted connections
 */
public record LaneLimits(
        int ringSize,
        int ringBatchMax,
        int pendingPerConnectionMax,
        int pendingMax,
        int parkedConsumesMax,
        int connectionsMax) {
    /** Default size of the ring. */
    public static final int RING_SIZE = 1024;

    /** Default number of ring events between two looks at the sockets. */
    public static final int RING_BATCH_MAX = 256;

    /** Default number of unanswered requests of one connection. */
    public static final int PENDING_PER_CONNECTION_MAX = 8 * 1024;

    /** Default number of unanswered produce requests of a lane. */
    public static final int PENDING_MAX = 64 * 1024;

    /** Default number of parked reads of a lane. */
    public static final int PARKED_CONSUMES_MAX = 64 * 1024;

    /** Default number of accepted connections of a lane. */
    public static final int CONNECTIONS_MAX = 4 * 1024;

    /**
     * Checks the values.
     *
     * @param ringSize events from other threads
     * @param ringBatchMax events of the ring that are handled before sockets are looked at again
     * @param pendingPerConnectionMax unanswered requests of one connection above which it is not read
     * @param pendingMax unanswered produce requests of the lane
     * @param parkedConsumesMax parked reads of the lane
     * @param connectionsMax accepted connections
     */
    public LaneLimits {
        if (Integer.bitCount(ringSize) != 1
                || ringBatchMax <= 0
                || pendingPerConnectionMax <= 0
                || pendingMax <= 0
                || parkedConsumesMax <= 0
                || connectionsMax <= 0) {
            throw new IllegalArgumentException("bad lane limits: ringSize=" + ringSize + ", ringBatchMax="
                    + ringBatchMax + ", pendingPerConnectionMax=" + pendingPerConnectionMax + ", pendingMax="
                    + pendingMax + ", parkedConsumesMax=" + parkedConsumesMax + ", connectionsMax=" + connectionsMax
                    + "; all are above 0, and ringSize is a power of two");
        }
    }

    /**
     * The default limits.
     *
     * @return limits made of this class's constants
     */
    public static LaneLimits defaults() {
        return new LaneLimits(
                RING_SIZE,
                RING_BATCH_MAX,
                PENDING_PER_CONNECTION_MAX,
                PENDING_MAX,
                PARKED_CONSUMES_MAX,
                CONNECTIONS_MAX);
    }
}

package io.tidemark.sim;

import java.time.Duration;
import java.util.SplittableRandom;

/**
 * What a seed draws before its run: how large, how fast and how odd the cluster is.
 *
 * @param brokers number of brokers
 * @param partitions number of partitions of the topic
 * @param replicationFactor replicas of each
 * @param minIsr fewest in-sync replicas of a commit
 * @param clients number of client processes, each with producers and a consumer
 * @param sessionTtlMs time to live of a broker's session
 * @param replicaLagMs how long a follower may lag
 * @param segmentBytes size of a log segment
 * @param batchBytes size of a producer's batch
 * @param valueBytesMax largest value
 * @param lingerMs of the producers
 * @param stepMaxNs how long an agent waits for its step at most
 * @param latencyMinNs fastest path between two machines
 * @param latencyJitterNs what is added at most, usually
 * @param latencyTailPermille how many of a thousand pieces take much longer
 * @param latencyTailNs how much longer
 * @param pieceMaxBytes where a stream may be cut; 0 for nowhere
 * @param coordinationNs usual time of a message to or from the coordination service
 * @param sendPauseNs usual time between two sends of a client
 * @param deliveryMs how long a producer tries
 * @param driftPermille how much the clocks of brokers go fast or slow at most (F36)
 */
record Knobs(
        int brokers,
        int partitions,
        int replicationFactor,
        int minIsr,
        int clients,
        long sessionTtlMs,
        long replicaLagMs,
        int segmentBytes,
        int batchBytes,
        int valueBytesMax,
        long lingerMs,
        long stepMaxNs,
        long latencyMinNs,
        long latencyJitterNs,
        int latencyTailPermille,
        long latencyTailNs,
        int pieceMaxBytes,
        long coordinationNs,
        long sendPauseNs,
        long deliveryMs,
        int driftPermille) {
    private static final int PIECE_BYTES = 64 * 1024;

    /** Draws a run's knobs. */
    static Knobs of(long seed) {
        SplittableRandom random = new SplittableRandom(seed ^ 0x5eed0003L);
        int brokers = pick(random, 3, 3, 3, 4, 5);
        int replicationFactor = Math.min(brokers, pick(random, 3, 3, 3, 3, 2));
        long sessionTtlMs = pick(random, 1000, 2000, 3000, 6000);
        int segmentBytes = pick(random, 4, 8, 16, 64, 256) * 1024;
        return new Knobs(
                brokers,
                pick(random, 1, 2, 3, 4),
                replicationFactor,
                Math.min(replicationFactor, pick(random, 2, 2, 2, 1, 3)),
                pick(random, 1, 2, 3),
                sessionTtlMs,
                Math.max(sessionTtlMs, pick(random, 1000, 3000, 10_000)),
                segmentBytes,
                pick(random, 1024, 2048, 4096),
                pick(random, 20, 100, 400),
                pick(random, 0, 0, 1, 10),
                pick(random, 2_000, 20_000, 200_000),
                pick(random, 20_000, 200_000, 1_000_000),
                pick(random, 50_000, 500_000, 4_000_000),
                pick(random, 0, 2, 20),
                pick(random, 10, 100, 1500) * 1_000_000L,
                pick(random, 0, 0, 700, 40),
                pick(random, 200_000, 1_000_000, 8_000_000),
                pick(random, 3, 10, 25) * 1_000_000L,
                pick(random, 1500, 5000, 30_000),
                pick(random, 0, 0, 1, 50));
    }

    /** Knobs of a cluster at which nothing is odd. */
    static Knobs plain() {
        return plain(3, 2, 3, 2);
    }

    /** The same, of a size. */
    static Knobs plain(int brokers, int partitions, int replicationFactor, int minIsr) {
        return new Knobs(
                brokers,
                partitions,
                replicationFactor,
                minIsr,
                1,
                3000,
                3000,
                64 * 1024,
                4096,
                100,
                0,
                20_000,
                100_000,
                100_000,
                0,
                1,
                0,
                500_000,
                10_000_000L,
                30_000,
                0);
    }

    Duration sessionTtl() {
        return Duration.ofMillis(sessionTtlMs);
    }

    Duration replicaLagMax() {
        return Duration.ofMillis(replicaLagMs);
    }

    /** How fast the clock of a broker goes; some are fast, some slow, one is right. */
    double clockRate(int broker) {
        return 1 + (broker % 3 - 1) * driftPermille / 1000.0;
    }

    /** How many bytes of a stream stay together. */
    int pieceBytes(SplittableRandom random) {
        return pieceMaxBytes == 0 ? PIECE_BYTES : 1 + random.nextInt(pieceMaxBytes);
    }

    private static int pick(SplittableRandom random, int... values) {
        return values[random.nextInt(values.length)];
    }
}

package io.tidemark.tools.demo;

import io.tidemark.coordination.CoordinationSecurity;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a run of the demo does. Immutable.
 *
 * @param brokers how many brokers, 1 to 9
 * @param coordination {@code zk} or {@code etcd} for a server of our own, {@code local} for one process, or a URI
 * @param security who the run is at the user's service, as settings of {@code CoordinationSecurity}
 * @param input the file whose lines are sent
 * @param records how many records are sent; the lines are repeated as needed
 * @param recordSize the size of each value in bytes, 0 for as long as its line
 * @param kill who is killed at the half
 * @param keep where the folders stay, or empty if they are removed
 * @param json where the result is written too, or empty
 */
public record DemoOptions(
        int brokers,
        String coordination,
        Map<String, String> security,
        Path input,
        int records,
        int recordSize,
        KillMode kill,
        Optional<Path> keep,
        Optional<Path> json) {
    /** Records that must be in flight at the kill. */
    public static final int IN_FLIGHT_MIN = 1_000;

    /** Records of a run at most: what is known of each is kept in memory. */
    static final int RECORDS_MAX = 50_000_000;

    /** The largest value: a record with its overhead has to fit into a batch of the producer's default size. */
    static final int RECORD_SIZE_MAX = 60_000;

    private static final Set<String> OWN = Set.of("zk", "etcd", "local");
    private static final int BROKERS_MAX = 9;
    private static final int RECORDS_MIN_WITH_KILL = 4 * IN_FLIGHT_MIN;
    private static final int RECORD_SIZE_MIN = 32;

    /**
     * Looks for values that make no sense.
     *
     * @return one sentence for each problem
     */
    public List<String> problems() {
        List<String> problems = new ArrayList<>();
        if (brokers < 1 || brokers > BROKERS_MAX) {
            problems.add("--brokers must lie between 1 and " + BROKERS_MAX + ": brokers=" + brokers);
        }
        if (kill == KillMode.FOLLOWER && brokers < 2) {
            problems.add("--kill follower needs two brokers or more: brokers=" + brokers);
        }
        int recordsMin = kill == KillMode.NONE ? 1 : RECORDS_MIN_WITH_KILL;
        if (records < recordsMin || records > RECORDS_MAX) {
            problems.add("--records must lie between " + recordsMin + " and " + RECORDS_MAX + ": records=" + records);
        }
        if (recordSize != 0 && (recordSize < RECORD_SIZE_MIN || recordSize > RECORD_SIZE_MAX)) {
            problems.add("--record-size must lie between " + RECORD_SIZE_MIN + " and " + RECORD_SIZE_MAX
                    + ": recordSize=" + recordSize);
        }
        if (!OWN.contains(coordination)) {
            checkUri(problems);
        } else if (!security.isEmpty()) {
            problems.add("credentials and TLS are for a service of yours: name it with --coordination URI");
        }
        return problems;
    }

    private void checkUri(List<String> problems) {
        if (coordination.indexOf(':') < 0) {
            problems.add("--coordination must be zk, etcd, local, or a URI such as zk://HOST:PORT/PATH: coordination="
                    + coordination);
        } else if (coordination.indexOf('@') >= 0) {
            problems.add("--coordination must not hold a user; give it with --credentials-file");
        }
        try {
            CoordinationSecurity.from(security);
        } catch (IllegalArgumentException unusable) {
            problems.add(unusable.getMessage());
        }
    }

    /**
     * How many copies each partition has.
     *
     * @return 3, or less if there are fewer brokers
     */
    int replicationFactor() {
        return Math.min(brokers, 3);
    }

    /**
     * How many in-sync replicas acks ALL needs.
     *
     * @return 2, or 1 if there is one broker
     */
    int minIsr() {
        return Math.min(replicationFactor(), 2);
    }
}

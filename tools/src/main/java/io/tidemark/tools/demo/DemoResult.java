package io.tidemark.tools.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Everything that a run found out, and the judgement of it. Immutable.
 *
 * @param kill who was killed
 * @param send what became of the sends
 * @param reading what was read back
 * @param recovery what the outage led to; empty if nobody was killed
 * @param cluster what the brokers and their states tell
 * @param replicas what the comparison of the folders found
 * @param latency the commit latency with one record outstanding
 */
record DemoResult(
        KillMode kill,
        Sends send,
        ReadLedger.Verdict reading,
        Optional<Outage.Recovery> recovery,
        ClusterChanges cluster,
        Replicas replicas,
        CommitLatency latency) {
    /**
     * What became of the sends.
     *
     * @param sent records sent
     * @param acknowledged records acknowledged
     * @param firstFailure why the first that failed did so, or empty
     * @param maxGapMillis the longest time without an acknowledgement in a partition while one was awaited; with a
     *     follower killed only over the partitions in which it followed
     * @param gapMillis the same for each partition
     * @param recordsPerSecond acknowledged records by the time from the first send to the last acknowledgement
     * @param recordsPerSecondBeforeKill the same up to the kill; up to the end if there was none
     */
    record Sends(
            int sent,
            int acknowledged,
            Optional<String> firstFailure,
            long maxGapMillis,
            List<Long> gapMillis,
            long recordsPerSecond,
            long recordsPerSecondBeforeKill) {}

    /**
     * What the brokers and their states tell.
     *
     * @param leaderEpochBefore leader epoch of partition 0 before the kill
     * @param leaderEpochAfter leader epoch of partition 0 at the end
     * @param isrShrinks how often members left the ISR, over all partitions
     * @param isrGrows how often members joined the ISR, over all partitions
     * @param truncations how often the brokers that ran at the end truncated a log
     */
    record ClusterChanges(
            int leaderEpochBefore, int leaderEpochAfter, int isrShrinks, int isrGrows, long truncations) {}

    /**
     * What the comparison of the folders found.
     *
     * @param batches batches below the high watermarks
     * @param records records in them
     * @param difference the first difference, or empty if the replicas are equal
     */
    record Replicas(long batches, long records, Optional<String> difference) {}

    /**
     * Judges the run.
     *
     * @return one sentence for each thing that is not as it must be; empty if all is right
     */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        if (send.acknowledged() != send.sent()) {
            problems.add("not all records were acknowledged: sent=" + send.sent() + ", acked=" + send.acknowledged()
                    + ", first failure=" + send.firstFailure().orElse("none"));
        }
        if (!reading.isClean()) {
            problems.add("what was read is not what was acknowledged: lost=" + reading.lost() + ", duplicated="
                    + reading.duplicated() + ", outOfOrder=" + reading.outOfOrder() + ", misplaced="
                    + reading.misplaced() + ", foreign=" + reading.foreign());
        }
        replicas.difference().ifPresent(difference -> problems.add("the replicas differ: " + difference));
        if (replicas.difference().isEmpty() && replicas.records() != reading.read()) {
            problems.add("the folders hold another number of records than was read: folders=" + replicas.records()
                    + ", read=" + reading.read());
        }
        recovery.ifPresent(outage -> judgeOutage(outage, problems));
        return problems;
    }

    private void judgeOutage(Outage.Recovery outage, List<String> problems) {
        if (outage.inFlightAtKill() < DemoOptions.IN_FLIGHT_MIN) {
            problems.add("too few records were in flight at the kill: inFlightAtKill=" + outage.inFlightAtKill()
                    + ", min=" + DemoOptions.IN_FLIGHT_MIN);
        }
        boolean mustChangeEpoch = kill == KillMode.LEADER || kill == KillMode.ALL;
        if (mustChangeEpoch && cluster.leaderEpochAfter() <= cluster.leaderEpochBefore()) {
            problems.add("the kill did not change the leader epoch of partition 0: before="
                    + cluster.leaderEpochBefore() + ", after=" + cluster.leaderEpochAfter());
        }
        boolean mustChangeController = kill == KillMode.CONTROLLER || kill == KillMode.ALL;
        if (mustChangeController && outage.controllerEpochAfter() <= outage.controllerEpochBefore()) {
            problems.add("the kill did not change the controller epoch: before=" + outage.controllerEpochBefore()
                    + ", after=" + outage.controllerEpochAfter());
        }
        if (cluster.isrShrinks() == 0 || cluster.isrGrows() == 0) {
            problems.add("the kill did not make the ISR shrink and grow: isrShrinks=" + cluster.isrShrinks()
                    + ", isrGrows=" + cluster.isrGrows());
        }
    }
}

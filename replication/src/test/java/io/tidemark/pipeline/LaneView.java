package io.tidemark.pipeline;

import io.tidemark.log.Log;
import io.tidemark.partition.PartitionLeader;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** What a lane holds of each partition, as plain values for those who judge it between two steps. */
public final class LaneView {
    private LaneView() {}

    /**
     * One replica as its lane has it now.
     *
     * @param role NONE, LEADER or FOLLOWER
     * @param leaderEpoch epoch of the record that gave the role, -1 without one
     * @param incarnation of this broker, by the same record
     * @param endForClients what clients would be told as the partition's end, -1 if nothing
     */
    public record ReplicaView(
            UUID topicId,
            int partition,
            String role,
            int leaderEpoch,
            long incarnation,
            long highWatermark,
            long logStartOffset,
            long logEndOffset,
            boolean failed,
            long endForClients,
            Log log) {}

    /** All replicas of a lane; empty if it does not run. */
    public static List<ReplicaView> of(LaneAgent agent) {
        Lane lane = agent.lane();
        List<ReplicaView> all = new ArrayList<>();
        if (lane != null) {
            lane.partitions().forEach(partition -> all.add(view(partition)));
        }
        return all;
    }

    /** Whether the lane failed as a whole. */
    public static boolean isFenced(LaneAgent agent) {
        Lane lane = agent.lane();
        return lane != null && lane.isFenced();
    }

    private static ReplicaView view(LanePartition partition) {
        PartitionLeader leader = partition.leader;
        return new ReplicaView(
                partition.id.topicId(),
                partition.id.partition(),
                partition.role.name(),
                partition.leaderEpoch(),
                partition.self.incarnation(),
                partition.highWatermark,
                partition.log.logStartOffset(),
                partition.log.logEndOffset(),
                partition.failed,
                leader == null ? -1 : leader.endOffsetForClients(),
                partition.log);
    }
}

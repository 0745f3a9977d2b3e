package io.tidemark.pipeline;

import io.tidemark.fetch.FollowedPartition;
import io.tidemark.fetch.ServedPartition;
import io.tidemark.log.Log;
import io.tidemark.partition.PartitionFollower;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionLeader;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import org.jspecify.annotations.Nullable;

/**
 * A partition's state in the lane, by owning stage. A stage writes its own fields only; what it needs of an earlier
 * stage comes with the event, since the earlier one may be some events ahead. What it reads of another stage
 * directly is noted at the field.
 */
final class LanePartition {
    /** The partition. */
    final PartitionId id;
    /** The log with what belongs to it. */
    final LogHandle handle;
    /** The log. */
    final Log log;
    /** View of those who serve it. */
    final ServedPartition served;
    /** View of those who copy it. */
    final FollowedPartition followed;

    // Owned by the append stage.
    /** Record last entered, null before the first and after a fence. */
    @Nullable
    PartitionState appendState;
    /** Role by that record. */
    PartitionRole appendRole = PartitionRole.NONE;
    /** This broker, as the last record came for it. */
    Replica self = Replica.NONE;
    /** Whether the log works no more. */
    boolean failed;

    // Owned by the progress stage; the completion stage reads the high watermark, which only grows within an epoch.
    /** Record last entered. */
    @Nullable
    PartitionState state;
    /** Role by that record. */
    PartitionRole role = PartitionRole.NONE;
    /** Decisions of the leader, null in other roles. */
    @Nullable
    PartitionLeader leader;
    /** Place in the stage's list of those that lead; only while it leads. */
    int leadingIndex;

    /** Decisions of the follower, null in other roles. */
    @Nullable
    PartitionFollower follower;
    /** Exclusive end of what is known to be committed. */
    long highWatermark;
    /** Whether the gauge is to be published at the end of the batch. */
    boolean gaugeQueued;
    /** Whether the completion stage is to look at what waits. */
    boolean advancedQueued;

    // Owned by the completion stage.
    /** Produce requests that wait. */
    final PendingReplies pending = new PendingReplies();
    /** Whether the stage lists the partition among those with waiting requests. */
    boolean listedPending;

    // Owned by the lane.
    /** How often a leader sent what could not be appended. */
    int corruptReplies;

    /** Whether the log's memory was used in this batch of work. */
    boolean touched;

    /**
     * Creates a partition without a role.
     *
     * @param id of the partition
     * @param handle with its open log
     */
    LanePartition(PartitionId id, LogHandle handle) {
        this.id = id;
        this.handle = handle;
        this.log = handle.log();
        this.served = new ServedPartition(id, log, this);
        this.followed = new FollowedPartition(id, log, this);
        this.highWatermark = Math.max(log.logStartOffset(), Math.min(handle.highWatermarkHint(), log.logEndOffset()));
    }

    /**
     * Epoch of the record last entered by the progress stage.
     *
     * @return -1 if there is none
     */
    int leaderEpoch() {
        PartitionState known = state;
        return known == null ? -1 : known.leaderEpoch();
    }
}

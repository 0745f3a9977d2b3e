package io.tidemark.fetch;

import io.tidemark.log.Log;
import io.tidemark.partition.PartitionId;
import org.jspecify.annotations.Nullable;

/** A partition as the one sees it who copies it from its leader. Owned by the progress stage. */
public final class FollowedPartition {
    /** The partition. */
    final PartitionId id;
    /** The log of the replica. */
    final Log log;
    /** Kept for the creator. */
    final Object owner;
    /** Where it is followed, null if nowhere. */
    @Nullable
    LeaderConnection leader;
    /** Epoch that it is asked for in. */
    int leaderEpoch = -1;
    /** Offset last asked for. */
    long askedOffset = -1;
    /** Whether it stands in the list for the next request. */
    boolean mentionQueued;
    /** Whether it waits before it is asked for again. */
    boolean backingOff;
    /** Until when. */
    long backOffUntilNs;

    /**
     * Creates the view of a partition that is not followed yet.
     *
     * @param id of the partition
     * @param log of the replica
     * @param owner given back by {@link #owner()}
     */
    public FollowedPartition(PartitionId id, Log log, Object owner) {
        this.id = id;
        this.log = log;
        this.owner = owner;
    }

    /**
     * What the creator keeps about the partition.
     *
     * @return the object given at creation
     */
    public Object owner() {
        return owner;
    }

    /**
     * Whether it is fetched from a leader now.
     *
     * @return true between {@link FollowerFetcher#follow} and {@link FollowerFetcher#unfollow}
     */
    public boolean isFollowed() {
        return leader != null;
    }
}

package io.tidemark.fetch;

import io.tidemark.log.Log;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionLeader;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/** A partition as the one sees it who serves followers and consumers from it. Owned by the progress stage. */
public final class ServedPartition {
    /** The partition. */
    final PartitionId id;
    /** The log of the replica. */
    final Log log;

    private final Object owner;
    /** Followers that ask for it. */
    final ArrayList<FetchEntry> entries = new ArrayList<>(2);
    /** Reads that wait. */
    final ArrayList<ParkedConsume> parked = new ArrayList<>(0);

    private @Nullable PartitionLeader leader;
    private int leaderEpoch = -1;
    /** Whether it is listed among those with waiting reads. */
    boolean listedParked;

    /** Whether it is listed among those whose high watermark or role changed in this batch. */
    boolean listedMoved;

    /**
     * Creates the view of a partition that this broker does not lead yet.
     *
     * @param id of the partition
     * @param log of the replica
     * @param owner given back by {@link #owner()}
     */
    public ServedPartition(PartitionId id, Log log, Object owner) {
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
     * Begins to lead, in an epoch of which the leader has been told already.
     *
     * @param newLeader decisions of the leader
     * @param epoch in which it leads
     */
    public void lead(PartitionLeader newLeader, int epoch) {
        leader = newLeader;
        leaderEpoch = epoch;
    }

    /**
     * Ceases to lead.
     *
     * @param epoch that is known to be current, or -1
     */
    public void cease(int epoch) {
        leader = null;
        leaderEpoch = epoch;
    }

    /**
     * Decisions of the leader.
     *
     * @return null if this broker does not lead
     */
    public @Nullable PartitionLeader leader() {
        return leader;
    }

    /**
     * Newest epoch known.
     *
     * @return the epoch, -1 if none is known
     */
    public int leaderEpoch() {
        return leaderEpoch;
    }
}

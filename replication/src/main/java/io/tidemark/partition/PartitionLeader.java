package io.tidemark.partition;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A leader's decisions: what is committed, who is in sync, and which fetches count.
 *
 * <p>Rules:
 *
 * <ol>
 *   <li>A fetch in this epoch acknowledges everything below its offset, by the incarnation that sent it. The caller
 *       asks the log first whether the fetch diverges; a diverging fetch acknowledges nothing and is not told here.
 *   <li>The high watermark is the least end among the members of the maximal ISR (see {@link IsrTracker}), each counted
 *       only if it fetched in this epoch under the incarnation in the record; and it moves only while the
 *       <em>stored</em> ISR has its minimum and no eligible replica stays outside. Else it stands still.
 *   <li>An epoch starts at the log end that its leader had. The high watermark stays what the leader knew as a follower
 *       until fetches move it; clients are shown no end offset until it has reached the start of the epoch.
 *   <li>Changes of the ISR are proposals, one at a time. Safety never depends on time: the lag time only decides
 *       whether a proposal is made.
 *   <li>A requester with an older epoch or incarnation changes nothing; one with a newer epoch is told to ask again.
 * </ol>
 *
 * <p>Owned by the progress stage; not thread-safe. Time is any monotonic nanosecond clock that may wrap.
 * {@link #onFollowerFetch}, {@link #onLogEnd} and {@link #tick} do not allocate unless they propose a change.
 *
 * <p>Source: KIP-207, KIP-320, KIP-497, KIP-841, KIP-903, KIP-966.
 */
public final class PartitionLeader {
    /** Stands for "no offset". */
    public static final long NO_OFFSET = -1;

    private final PartitionId id;
    private final Replica self;
    private final long replicaLagMaxNs;
    private final LeaderDecisions out;
    private final HighWatermark highWatermark = new HighWatermark();
    private @Nullable List<Replica> registrations;
    private @Nullable IsrTracker isr;

    /**
     * Makes a leader that has no epoch yet.
     *
     * @param id the partition
     * @param self this broker's process
     * @param replicaLagMaxNs how long a follower may be not fully caught up before it leaves the ISR, above 0
     * @param out receiver of decisions
     * @throws IllegalArgumentException if the lag time is not positive
     */
    public PartitionLeader(PartitionId id, Replica self, long replicaLagMaxNs, LeaderDecisions out) {
        if (replicaLagMaxNs <= 0) {
            throw new IllegalArgumentException("the lag time must be positive: replicaLagMaxNs=" + replicaLagMaxNs);
        }
        this.id = id;
        this.self = self;
        this.replicaLagMaxNs = replicaLagMaxNs;
        this.out = out;
    }

    /**
     * Begins an epoch. Nothing of an earlier one counts any more; proposals of it that are still in doubt are decided
     * by the record that began this one. Followers of the ISR get the whole lag time.
     *
     * @param state the record that makes this process the leader
     * @param logStartOffset first offset of the local log
     * @param logEndOffset exclusive end of the local log, which becomes the epoch's start
     * @param localHighWatermark what this replica knew to be committed; a hint that is clamped to the log
     * @param nowNs the time
     * @throws IllegalArgumentException if the record names another leader or the offsets are out of order
     * @throws IllegalStateException if the epoch is not higher than the one before
     */
    public void begin(
            PartitionState state, long logStartOffset, long logEndOffset, long localHighWatermark, long nowNs) {
        if (!state.leader().equals(self)) {
            throw new IllegalArgumentException(
                    "another process is the leader: partition=" + id + ", leader=" + state.leader() + ", self=" + self);
        }
        IsrTracker before = isr;
        if (before != null && state.leaderEpoch() <= before.stored().leaderEpoch()) {
            throw new IllegalStateException("a leader enters an epoch once, in order: partition=" + id
                    + ", leaderEpoch=" + state.leaderEpoch() + ", current="
                    + before.stored().leaderEpoch());
        }
        highWatermark.begin(logStartOffset, logEndOffset, localHighWatermark);
        IsrTracker tracker = new IsrTracker(state, self, replicaLagMaxNs, nowNs);
        isr = tracker;
        List<Replica> known = registrations;
        if (known != null) {
            tracker.onRegistrations(known);
        }
        decide(tracker, nowNs);
    }

    /**
     * Takes a stored record of this epoch: an own proposal that landed, or a write of the controller. One that is not
     * newer than what is known changes nothing.
     *
     * @param state the record
     * @param nowNs the time
     * @throws IllegalArgumentException if the record belongs to a later epoch, which needs {@link #begin} or the end of
     *     leadership
     */
    public void onStateCommitted(PartitionState state, long nowNs) {
        IsrTracker tracker = tracker();
        int epoch = tracker.stored().leaderEpoch();
        if (state.leaderEpoch() > epoch) {
            throw new IllegalArgumentException("a record of a later epoch ends this leadership: partition=" + id
                    + ", leaderEpoch=" + state.leaderEpoch() + ", current=" + epoch);
        }
        if (state.leaderEpoch() == epoch && tracker.onRecord(state, nowNs)) {
            decide(tracker, nowNs);
        }
    }

    /**
     * Takes the definite answer that a proposal was not applied and never will be: its conditions did not hold. The
     * record as it was read after that goes to {@link #onStateCommitted}, before or after this call. An answer to
     * another proposal than the one in doubt changes nothing, so that late answers are harmless.
     *
     * @param proposed the record that was proposed
     * @param nowNs the time
     */
    public void onIsrProposalFailed(PartitionState proposed, long nowNs) {
        IsrTracker tracker = tracker();
        if (tracker.onRefused(proposed, nowNs)) {
            decide(tracker, nowNs);
        }
    }

    /**
     * Takes a follower's fetch that does not diverge.
     *
     * @param broker id of the follower
     * @param incarnation its registration number
     * @param leaderEpoch the epoch that it asks in
     * @param fetchOffset the next offset that it wants; it has everything below
     * @param nowNs the time
     * @return whether the fetch counts; anything but {@link FetchCheck#OK} changed nothing
     */
    public FetchCheck onFollowerFetch(int broker, long incarnation, int leaderEpoch, long fetchOffset, long nowNs) {
        IsrTracker tracker = tracker();
        int epoch = tracker.stored().leaderEpoch();
        if (leaderEpoch != epoch) {
            return leaderEpoch < epoch ? FetchCheck.STALE_EPOCH : FetchCheck.UNKNOWN_EPOCH;
        }
        ReplicaProgress progress = tracker.progress(broker);
        if (progress == null) {
            return FetchCheck.NOT_REPLICA;
        }
        if (incarnation < 0 || progress.isSuperseded(incarnation)) {
            return FetchCheck.STALE_EPOCH;
        }
        if (fetchOffset > highWatermark.logEndOffset()) {
            return FetchCheck.BEYOND_LOG_END;
        }
        progress.onFetch(incarnation, fetchOffset, highWatermark.logEndOffset(), nowNs);
        decide(tracker, nowNs);
        return FetchCheck.OK;
    }

    /**
     * Takes the ends of the local log.
     *
     * @param logEndOffset exclusive end; one below the known end is old news, as when records were appended between
     *     the election and {@link #begin}
     * @param logStartOffset first offset
     * @param nowNs the time
     * @throws IllegalArgumentException if the log start lies beyond the log end
     */
    public void onLogEnd(long logEndOffset, long logStartOffset, long nowNs) {
        IsrTracker tracker = tracker();
        if (logEndOffset > highWatermark.logEndOffset()) {
            tracker.onLogGrew(highWatermark.logEndOffset(), nowNs);
        }
        if (highWatermark.onLog(logStartOffset, logEndOffset)) {
            out.highWatermarkAdvanced(highWatermark.value());
        }
        advance(tracker);
    }

    /**
     * Takes evidence that a process is dead: a probe of its port was refused or met another incarnation. It leaves the
     * ISR at once. A later fetch of the same incarnation refutes the evidence.
     *
     * @param broker id of the broker
     * @param incarnation the dead incarnation; all lower ones are dead too
     * @param nowNs the time
     */
    public void onPeerDead(int broker, long incarnation, long nowNs) {
        IsrTracker tracker = tracker();
        ReplicaProgress progress = tracker.progress(broker);
        if (progress != null) {
            progress.onDead(incarnation);
            decide(tracker, nowNs);
        }
    }

    /**
     * Takes the registered brokers. To be called once before or after {@link #begin} and then at each change; without
     * it no follower can join the ISR.
     *
     * @param liveAndRunning all brokers that are registered and do not leave, with their current incarnations
     * @param nowNs the time
     */
    public void onBrokers(List<Replica> liveAndRunning, long nowNs) {
        registrations = List.copyOf(liveAndRunning);
        IsrTracker tracker = isr;
        if (tracker != null) {
            tracker.onRegistrations(liveAndRunning);
            decide(tracker, nowNs);
        }
    }

    /**
     * Looks for followers that have lagged too long, and repeats a refused proposal that is still wanted. To be called
     * several times per lag time.
     *
     * @param nowNs the time
     */
    public void tick(long nowNs) {
        decide(tracker(), nowNs);
    }

    /**
     * The exclusive end of what is committed.
     *
     * @return an offset from the log start to the log end; it never goes back within an epoch
     */
    public long highWatermark() {
        return highWatermark.value();
    }

    /**
     * Tells whether records with acks ALL may be appended.
     *
     * @return true if the stored ISR has its minimum
     */
    public boolean acceptsAcksAll() {
        return tracker().stored().hasMinIsr();
    }

    /**
     * The log end with which this epoch began.
     *
     * @return an offset
     */
    public long epochStartOffset() {
        return highWatermark.epochStartOffset();
    }

    /**
     * The record that is known to be stored.
     *
     * @return the record
     */
    public PartitionState state() {
        return tracker().stored();
    }

    /**
     * Tells whether the outcome of a proposal is still open.
     *
     * @return true from {@link LeaderDecisions#proposeIsr} until the answer or a newer record
     */
    public boolean isProposalInDoubt() {
        return tracker().proposed() != null;
    }

    /**
     * The end of the partition as clients may see it. It never goes back over changes of leader.
     *
     * @return the high watermark, {@link #NO_OFFSET} while it is below the start of this epoch
     */
    public long endOffsetForClients() {
        return highWatermark.isVisible() ? highWatermark.value() : NO_OFFSET;
    }

    /** A proposal is made before the watermark moves, so that a replica that joins is counted from then on. */
    private void decide(IsrTracker tracker, long nowNs) {
        PartitionState proposal = tracker.propose(highWatermark.joinOffset(), highWatermark.logEndOffset(), nowNs);
        if (proposal != null) {
            out.proposeIsr(proposal);
        }
        advance(tracker);
    }

    private void advance(IsrTracker tracker) {
        if (highWatermark.advanceTo(tracker.acknowledgedByAll(highWatermark.logEndOffset()))) {
            out.highWatermarkAdvanced(highWatermark.value());
        }
    }

    private IsrTracker tracker() {
        IsrTracker tracker = isr;
        if (tracker == null) {
            throw new IllegalStateException("the leader has no epoch yet: partition=" + id);
        }
        return tracker;
    }
}

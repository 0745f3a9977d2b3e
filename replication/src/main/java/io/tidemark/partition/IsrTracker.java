package io.tidemark.partition;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The in-sync replicas as their leader sees them: the stored ISR, at most one proposed one, and the progress of every
 * other replica.
 *
 * <p><b>Maximal ISR.</b> From the moment that a change is proposed until the record says how it ended, the change may
 * or may not be in force, and either set may elect the next leader. Until then a record is committed only if the
 * members of
 * <em>both</em> have it. The doubt ends when a record arrives whose partition epoch is not below the proposed one (ours
 * landed, or lost to another write and can never land), or when coordination answers that the proposal was refused.
 *
 * <p><b>Shrinking</b> needs no proof: it is always safe. A member leaves when it was not fully caught up for the lag
 * time, or at once when its process is known dead: a newer incarnation fetched or registered, its registration
 * vanished, or a probe of it was refused. What would leave the ISR below its minimum moves to the ELR in the same
 * write, since nothing is committed without it from then on.
 *
 * <p><b>Growing</b> has four conditions: (1) the replica fetched in this epoch by the incarnation that is to join,
 * and since it left the ISR, if it was a member and lacks something, (2) up to both the high watermark and the epoch's
 * start offset, (3) it is registered as live and running under this incarnation, and (4) coordination accepts the write
 * on the condition that record and registration are unchanged.
 *
 * <p>Owned by the progress stage. Allocates only when it makes a proposal.
 *
 * <p>Source: KIP-497, KIP-841, KIP-903, KIP-966; TLA+ AsyncIsr (HW over the union), Kip320 (start offset).
 */
final class IsrTracker {
    /** Pause after a refused proposal that left the record as it was, so that a stale view causes no hot loop. */
    static final long RETRY_PAUSE_NS = 100_000_000L;

    private final Replica self;
    private final long lagMaxNs;
    private PartitionState stored;
    private @Nullable PartitionState proposed;
    private ReplicaProgress[] others = {};
    private boolean registrationsKnown;
    private List<Replica> registrations = List.of();
    private boolean pausing;
    private long pauseUntilNs;

    /**
     * Makes the tracker of an epoch.
     *
     * @param state the record that began the epoch
     * @param self the leader's process
     * @param lagMaxNs how long a member may lag
     * @param nowNs the time
     */
    IsrTracker(PartitionState state, Replica self, long lagMaxNs, long nowNs) {
        this.self = self;
        this.lagMaxNs = lagMaxNs;
        this.stored = state;
        onStored(state, nowNs);
    }

    /**
     * The record that is known to be stored.
     *
     * @return the record
     */
    PartitionState stored() {
        return stored;
    }

    /**
     * The record that is proposed and in doubt.
     *
     * @return the record, null if there is none
     */
    @Nullable
    PartitionState proposed() {
        return proposed;
    }

    /**
     * The progress of another replica.
     *
     * @param broker id of the broker
     * @return its progress, null if the broker is not another replica
     */
    @Nullable
    ReplicaProgress progress(int broker) {
        for (ReplicaProgress other : others) {
            if (other.broker() == broker) {
                return other;
            }
        }
        return null;
    }

    /**
     * The exclusive end of what every member of the maximal ISR has.
     *
     * @param logEndOffset exclusive end of the leader's log
     * @return an offset; -1 if a member has not fetched in this epoch, or if nothing may be committed because the
     *     stored ISR is below its minimum or an eligible replica is outside it
     */
    long acknowledgedByAll(long logEndOffset) {
        if (!stored.hasMinIsr() || !stored.elr().isEmpty()) {
            return -1;
        }
        long acknowledged = logEndOffset;
        for (ReplicaProgress other : others) {
            acknowledged = Math.min(acknowledged, other.acknowledged());
        }
        return acknowledged;
    }

    /**
     * Takes a record of this epoch.
     *
     * @param state the record
     * @param nowNs the time
     * @return false if it is not newer than the stored one
     */
    boolean onRecord(PartitionState state, long nowNs) {
        if (state.partitionEpoch() <= stored.partitionEpoch()) {
            return false;
        }
        PartitionState inDoubt = proposed;
        if (inDoubt != null && state.partitionEpoch() >= inDoubt.partitionEpoch()) {
            endProposal();
        }
        pausing = false;
        onStored(state, nowNs);
        return true;
    }

    /**
     * Takes the definite answer that a proposal was not applied.
     *
     * @param refused what was proposed
     * @param nowNs the time
     * @return false if it is not the one in doubt
     */
    boolean onRefused(PartitionState refused, long nowNs) {
        PartitionState inDoubt = proposed;
        if (inDoubt == null
                || inDoubt.leaderEpoch() != refused.leaderEpoch()
                || inDoubt.partitionEpoch() != refused.partitionEpoch()) {
            return false;
        }
        endProposal();
        pausing = true;
        pauseUntilNs = nowNs + RETRY_PAUSE_NS;
        return true;
    }

    /**
     * Takes the registered brokers.
     *
     * @param liveAndRunning all that are registered and do not leave
     */
    void onRegistrations(List<Replica> liveAndRunning) {
        registrations = List.copyOf(liveAndRunning);
        registrationsKnown = true;
        for (ReplicaProgress other : others) {
            other.onRegistered(registeredIncarnation(other.broker()));
        }
    }

    /**
     * The next change to ask for. What is returned is in doubt from now on.
     *
     * @param joinOffset what a joiner must have
     * @param logEndOffset exclusive end of the leader's log
     * @param nowNs the time
     * @return the record to propose, null if no change is wanted or one is in doubt
     */
    @Nullable
    PartitionState propose(long joinOffset, long logEndOffset, long nowNs) {
        if (proposed != null || (pausing && nowNs - pauseUntilNs < 0)) {
            return null;
        }
        pausing = false;
        PartitionState next = shrunk(logEndOffset, nowNs);
        if (next == null) {
            next = grown(joinOffset, logEndOffset);
        }
        if (next != null) {
            proposed = next;
            for (ReplicaProgress other : others) {
                other.onProposed(next);
            }
        }
        return next;
    }

    /**
     * Takes the news that the log grew.
     *
     * @param logEndBefore exclusive end of the log until now
     * @param nowNs the time
     */
    void onLogGrew(long logEndBefore, long nowNs) {
        for (ReplicaProgress other : others) {
            other.onLogGrew(logEndBefore, nowNs);
        }
    }

    private @Nullable PartitionState shrunk(long logEndOffset, long nowNs) {
        boolean any = false;
        for (ReplicaProgress other : others) {
            any |= other.mustLeave(logEndOffset, lagMaxNs, registrationsKnown, nowNs);
        }
        if (!any) {
            return null;
        }
        List<Replica> isr = new ArrayList<>();
        List<Replica> elr = new ArrayList<>(stored.elr());
        for (Replica member : stored.isr()) {
            ReplicaProgress other = progress(member.broker());
            boolean leaves = other != null && other.mustLeave(logEndOffset, lagMaxNs, registrationsKnown, nowNs);
            (leaves ? elr : isr).add(member);
        }
        return stored.withIsr(isr, isr.size() < stored.effectiveMinIsr() ? elr : List.of());
    }

    /** One joiner per proposal, so that one whose registration changed holds up no other for longer than a write. */
    private @Nullable PartitionState grown(long joinOffset, long logEndOffset) {
        for (ReplicaProgress other : others) {
            if (other.mayJoin(joinOffset, logEndOffset)) {
                List<Replica> isr = new ArrayList<>(stored.isr());
                isr.add(new Replica(other.broker(), other.incarnation()));
                List<Replica> elr = new ArrayList<>(stored.elr());
                elr.removeIf(member -> member.broker() == other.broker());
                return stored.withIsr(isr, isr.size() < stored.effectiveMinIsr() ? elr : List.of());
            }
        }
        return null;
    }

    private void endProposal() {
        proposed = null;
        for (ReplicaProgress other : others) {
            other.onProposalOver();
        }
    }

    private void onStored(PartitionState state, long nowNs) {
        stored = state;
        List<ReplicaProgress> kept = new ArrayList<>();
        for (int broker : state.assignment()) {
            keep(kept, broker);
        }
        for (int broker : state.adding()) {
            keep(kept, broker);
        }
        others = kept.toArray(new ReplicaProgress[0]);
        for (ReplicaProgress other : others) {
            other.onStored(state, nowNs);
        }
    }

    private void keep(List<ReplicaProgress> kept, int broker) {
        if (broker == self.broker() || kept.stream().anyMatch(other -> other.broker() == broker)) {
            return;
        }
        ReplicaProgress known = progress(broker);
        if (known == null) {
            known = new ReplicaProgress(broker);
            if (registrationsKnown) {
                known.onRegistered(registeredIncarnation(broker));
            }
        }
        kept.add(known);
    }

    private long registeredIncarnation(int broker) {
        for (int i = 0; i < registrations.size(); i++) {
            if (registrations.get(i).broker() == broker) {
                return registrations.get(i).incarnation();
            }
        }
        return -1;
    }
}

package io.tidemark.partition;

/**
 * What a leader knows of one other replica in the current epoch: how far it has fetched, when it last had everything,
 * and whether its process lives.
 *
 * <p>"Had everything" is bookkept per fetch: a fetch at the log end is caught up now; a fetch at or beyond the log end
 * that the <em>previous</em> fetch met was caught up then. So neither a burst larger than one fetch nor an offset that
 * never quite meets a fast writer makes a follower look slow that keeps pace.
 *
 * <p>Owned by the progress stage. Does not allocate.
 *
 * <p>Source: the lastCaughtUpTime of KAFKA-2476 and KIP-16; KAFKA-4485.
 */
final class ReplicaProgress {
    private static final long NEVER = -1;

    private final int broker;
    private long incarnation = NEVER;
    private long fetchOffset = NEVER;
    private long fetchNs;
    private long logEndAtFetch = Long.MAX_VALUE;
    private long caughtUpNs;
    private long storedIncarnation = NEVER;
    private long proposedIncarnation = NEVER;
    private long registeredIncarnation = NEVER;
    private long goneUpTo = NEVER;
    private long suspectUpTo = NEVER;
    /** Set but after it left the ISR: what it had asked for before says nothing, it may have fallen silent since. */
    private boolean fetchedSinceLeft = true;

    /**
     * Makes the progress of a replica that has not fetched yet.
     *
     * @param broker id of the broker
     */
    ReplicaProgress(int broker) {
        this.broker = broker;
    }

    /**
     * The broker that holds the replica.
     *
     * @return its id
     */
    int broker() {
        return broker;
    }

    /**
     * The incarnation that fetches.
     *
     * @return the highest one that fetched in this epoch, -1 if none did
     */
    long incarnation() {
        return incarnation;
    }

    /**
     * Takes the stored ISR. A new member gets the whole lag time, whatever its past.
     *
     * @param state the stored record
     * @param nowNs the time
     */
    void onStored(PartitionState state, long nowNs) {
        long entry = state.isrIncarnation(broker);
        if (entry != storedIncarnation) {
            fetchedSinceLeft &= entry >= 0;
            storedIncarnation = entry;
            caughtUpNs = nowNs;
        }
    }

    /**
     * Takes a proposed ISR, which may be in force from now on.
     *
     * @param proposed the proposed record
     */
    void onProposed(PartitionState proposed) {
        proposedIncarnation = proposed.isrIncarnation(broker);
    }

    /**
     * Takes the news that no proposal is in doubt.
     */
    void onProposalOver() {
        proposedIncarnation = NEVER;
    }

    /**
     * Tells whether a newer incarnation of the broker is known.
     *
     * @param fetching the incarnation that fetches
     * @return true if a fetch of it must not count
     */
    boolean isSuperseded(long fetching) {
        return fetching < incarnation || fetching < storedIncarnation || fetching < registeredIncarnation;
    }

    /**
     * Takes a fetch.
     *
     * @param fetching the incarnation that fetches
     * @param offset exclusive end of what it has
     * @param logEndOffset exclusive end of the leader's log
     * @param nowNs the time
     */
    void onFetch(long fetching, long offset, long logEndOffset, long nowNs) {
        if (fetching != incarnation) {
            incarnation = fetching;
            logEndAtFetch = Long.MAX_VALUE;
        }
        if (offset >= logEndOffset) {
            caughtUpNs = nowNs;
        } else if (offset >= logEndAtFetch && fetchNs - caughtUpNs > 0) {
            caughtUpNs = fetchNs;
        }
        fetchOffset = offset;
        fetchedSinceLeft = true;
        fetchNs = nowNs;
        logEndAtFetch = logEndOffset;
        suspectUpTo = Math.min(suspectUpTo, fetching - 1);
    }

    /**
     * Takes the news that the log grew: who had all of it until now was caught up until now, however long ago it
     * fetched. Else the first append after an idle time would find a follower that seems to have lagged all the while.
     *
     * @param logEndBefore exclusive end of the log until now
     * @param nowNs the time
     */
    void onLogGrew(long logEndBefore, long nowNs) {
        if (fetchOffset >= logEndBefore && storedIncarnation == incarnation) {
            caughtUpNs = nowNs;
        }
    }

    /**
     * Takes the registration as a live and running broker.
     *
     * @param registered its incarnation, -1 if there is none
     */
    void onRegistered(long registered) {
        if (registered >= 0) {
            goneUpTo = registered - 1;
        } else if (registeredIncarnation >= 0) {
            goneUpTo = registeredIncarnation;
        }
        registeredIncarnation = registered;
    }

    /**
     * Takes evidence that a process is dead. A later fetch of it refutes the evidence.
     *
     * @param upTo the highest dead incarnation
     */
    void onDead(long upTo) {
        suspectUpTo = Math.max(suspectUpTo, upTo);
    }

    /**
     * The exclusive end of what this replica has, as far as the maximal ISR needs it.
     *
     * @return an offset; {@link Long#MAX_VALUE} if it is no member, -1 if it is one but has not fetched as this member
     *     in this epoch
     */
    long acknowledged() {
        if (storedIncarnation < 0 && proposedIncarnation < 0) {
            return Long.MAX_VALUE;
        }
        boolean fetchedAsStored = storedIncarnation < 0 || storedIncarnation == incarnation;
        boolean fetchedAsProposed = proposedIncarnation < 0 || proposedIncarnation == incarnation;
        return fetchedAsStored && fetchedAsProposed ? fetchOffset : NEVER;
    }

    /**
     * Tells whether a member of the stored ISR must leave it.
     *
     * @param logEndOffset exclusive end of the leader's log
     * @param lagMaxNs how long a member may lag
     * @param registrationsKnown whether the registered brokers were ever told
     * @param nowNs the time
     * @return true if it must
     */
    boolean mustLeave(long logEndOffset, long lagMaxNs, boolean registrationsKnown, long nowNs) {
        if (storedIncarnation < 0) {
            return false;
        }
        if (storedIncarnation < incarnation
                || storedIncarnation < registeredIncarnation
                || storedIncarnation <= goneUpTo
                || storedIncarnation <= suspectUpTo) {
            return true;
        }
        // An idle follower that has everything is in sync without fetching, but only while its registration says that
        // it lives; else the end of its fetches is the only sign of its death.
        boolean alive = !registrationsKnown || registeredIncarnation == storedIncarnation;
        boolean hasAll = storedIncarnation == incarnation && fetchOffset >= logEndOffset;
        return !(alive && hasAll) && nowNs - caughtUpNs > lagMaxNs;
    }

    /**
     * Tells whether this replica meets the conditions for joining that the leader can check.
     *
     * @param joinOffset what a joiner must have
     * @param logEndOffset exclusive end of the log
     * @return true if it does
     */
    boolean mayJoin(long joinOffset, long logEndOffset) {
        return storedIncarnation < 0
                && incarnation >= 0
                && fetchOffset >= joinOffset
                && (fetchedSinceLeft || fetchOffset >= logEndOffset)
                && registeredIncarnation == incarnation
                && incarnation > suspectUpTo;
    }
}

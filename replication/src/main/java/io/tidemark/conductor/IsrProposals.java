package io.tidemark.conductor;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationClosedException;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.OutcomeUnknownException;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import io.tidemark.coordination.Version;
import io.tidemark.metadata.MetadataFormatException;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.pipeline.IsrOutcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Writes the ISR changes that this broker's leaders ask for, each by one conditional transaction, and tells the lane
 * what became of it, but only when that is certain.
 *
 * <p>Conditions of a write: the record has the version that the proposal was made from; this broker is registered, and
 * under this incarnation; a replica that joins is registered as RUNNING under the incarnation that joins. The
 * registration's key is deleted and made again over time, so its version alone does not tell one life from another;
 * the counter {@code /brokers/incarnations/<id>}, which is never deleted, does, and both are checked.
 *
 * <p>A write with an unknown outcome is repeated unchanged until the answer is definite: it lands once, or it
 * conflicts, and then the record tells whose write was there. Nothing is settled by reading back a record that has not
 * moved. One proposal per partition at a time; those of different partitions do not wait for each other. Owned by the
 * conductor.
 *
 * <p>Source: KIP-497, KIP-841, KIP-903.
 */
final class IsrProposals {
    /** What others learn. Called on the conductor. */
    interface Events {
        /**
         * A proposal is decided.
         *
         * @param id of the partition
         * @param proposed what was asked for
         * @param outcome what became of it
         * @param stored the record that is stored now, null if it is not known
         */
        void decided(PartitionId id, PartitionState proposed, IsrOutcome outcome, @Nullable PartitionState stored);

        /**
         * A record was written or read here, maybe newer than the known one.
         *
         * @param record the record
         */
        void recordSeen(VersionedRecord record);

        /**
         * This broker's registration was found gone.
         *
         * @param reason for the log
         */
        void registrationGone(String reason);

        /**
         * A call failed and is tried again.
         *
         * @param cause why
         */
        void attemptFailed(Throwable cause);
    }

    private static final long RETRY_MIN_NS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long RETRY_MAX_NS = TimeUnit.SECONDS.toNanos(2);
    /** Places of the conditions in the transaction. */
    private static final int RECORD = 0;

    private static final int OWN_KEY = 1;
    private static final int OWN_COUNTER = 2;

    private final Coordination coordination;
    private final CoordinationCalls calls;
    private final ClusterView view;
    private final RandomGenerator random;
    private final Events events;
    private final Map<PartitionId, Proposal> open = new HashMap<>();
    private @Nullable Registration registration;
    private long nowNs;

    /**
     * Begins unregistered.
     *
     * @param coordination the service
     * @param calls continues its calls on the conductor
     * @param view the known records and brokers
     * @param random spreads repetitions
     * @param events who is told
     */
    IsrProposals(
            Coordination coordination,
            CoordinationCalls calls,
            ClusterView view,
            RandomGenerator random,
            Events events) {
        this.coordination = coordination;
        this.calls = calls;
        this.view = view;
        this.random = random;
        this.events = events;
    }

    /**
     * Begins or ends the writing. Proposals of an earlier registration are forgotten: the lane was fenced.
     *
     * @param current the registration, null if there is none now
     */
    void registration(@Nullable Registration current) {
        registration = current;
        open.clear();
    }

    /**
     * Takes a proposal.
     *
     * @param id of the partition
     * @param proposed the wanted record
     * @param now the time
     */
    void propose(PartitionId id, PartitionState proposed, long now) {
        nowNs = now;
        Registration self = registration;
        VersionedRecord known = view.record(id);
        if (self == null || known == null || !proposed.leader().equals(self.self())) {
            return;
        }
        PartitionState state = known.state();
        if (state.leaderEpoch() != proposed.leaderEpoch() || state.partitionEpoch() + 1 != proposed.partitionEpoch()) {
            // The record moved on while the proposal was on its way here; the lane is told of it anyway.
            events.decided(id, proposed, IsrOutcome.CONFLICT, state);
            return;
        }
        Proposal proposal = new Proposal(self, known, proposed, new Backoff(RETRY_MIN_NS, RETRY_MAX_NS, random));
        open.put(id, proposal);
        attempt(proposal);
    }

    /**
     * Repeats what failed, when it is time.
     *
     * @param now the time
     * @return count of repetitions
     */
    int tick(long now) {
        nowNs = now;
        int count = 0;
        for (Proposal proposal : List.copyOf(open.values())) {
            if (proposal.isWaiting && proposal.retryNs - now <= 0) {
                proposal.isWaiting = false;
                attempt(proposal);
                count++;
            }
        }
        return count;
    }

    /**
     * How many are undecided.
     *
     * @return the number
     */
    int openCount() {
        return open.size();
    }

    private void attempt(Proposal proposal) {
        Replica joiner = proposal.joiner();
        if (joiner == null) {
            write(proposal, List.of());
            return;
        }
        // Both are read before the write, and both are conditions of it.
        KnownBroker known = view.broker(joiner.broker());
        if (known == null
                || known.registration().incarnation() != joiner.incarnation()
                || known.registration().status() != BrokerRegistration.Status.RUNNING) {
            refused(proposal);
            return;
        }
        Key counterKey = MetadataKeys.brokerIncarnation(joiner.broker());
        calls.then(
                coordination.get(counterKey, ReadMode.LINEARIZABLE),
                found -> {
                    if (isOpen(proposal)) {
                        joinerCounterRead(proposal, joiner, known.version(), found);
                    }
                },
                failure -> failed(proposal, failure));
    }

    private void joinerCounterRead(Proposal proposal, Replica joiner, Version joinerKey, Optional<Entry> counter) {
        if (counter.isEmpty()
                || MetadataJson.decodeNumber(
                                counter.get().key().path(), counter.get().value())
                        != joiner.incarnation()) {
            refused(proposal);
            return;
        }
        write(
                proposal,
                List.of(
                        new Guard(MetadataKeys.brokerId(joiner.broker()), joinerKey),
                        new Guard(counter.get().key(), counter.get().version())));
    }

    private void write(Proposal proposal, List<Guard> joinerGuards) {
        Registration self = proposal.self;
        int broker = self.broker().broker();
        Txn.Builder txn = Txn.builder()
                .update(proposal.key(), MetadataJson.encode(proposal.next), proposal.from.expected())
                .check(MetadataKeys.brokerId(broker), self.version())
                .check(MetadataKeys.brokerIncarnation(broker), self.counterVersion());
        joinerGuards.forEach(guard -> txn.check(guard.key(), guard.version()));
        calls.then(
                coordination.commit(txn.build()),
                result -> {
                    if (isOpen(proposal)) {
                        answered(proposal, result);
                    }
                },
                failure -> failed(proposal, failure));
    }

    private void answered(Proposal proposal, TxnResult result) {
        if (result instanceof TxnResult.Committed committed) {
            VersionedRecord written =
                    proposal.from.with(proposal.next, committed.versions().get(RECORD));
            decide(proposal, written);
            return;
        }
        int op = ((TxnResult.Conflict) result).opIndex();
        if (op == OWN_KEY || op == OWN_COUNTER) {
            events.registrationGone("the registration was gone at a write: partition=" + proposal.from.id());
            return;
        }
        if (op == RECORD) {
            readBack(proposal);
        } else {
            refused(proposal);
        }
    }

    /** The joiner is not what it was. Certain, unless an earlier attempt may still land: then the record is moved. */
    private void refused(Proposal proposal) {
        if (!proposal.isInDoubt) {
            close(proposal);
            events.decided(proposal.from.id(), proposal.proposed, IsrOutcome.CONFLICT, null);
            return;
        }
        PartitionState state = proposal.from.state();
        proposal.next = state.withIsr(state.isr(), state.elr());
        write(proposal, List.of());
    }

    private void readBack(Proposal proposal) {
        calls.then(
                coordination.get(proposal.key(), ReadMode.LINEARIZABLE),
                found -> {
                    if (!isOpen(proposal)) {
                        return;
                    }
                    if (found.isEmpty()) {
                        close(proposal);
                        events.decided(proposal.from.id(), proposal.proposed, IsrOutcome.CONFLICT, null);
                        return;
                    }
                    try {
                        Entry entry = found.get();
                        PartitionState stored =
                                MetadataJson.decodePartition(entry.key().path(), entry.value());
                        decide(proposal, proposal.from.with(stored, entry.version()));
                    } catch (MetadataFormatException broken) {
                        failed(proposal, broken);
                    }
                },
                failure -> failed(proposal, failure));
    }

    private void decide(Proposal proposal, VersionedRecord stored) {
        close(proposal);
        events.recordSeen(stored);
        boolean isOurs = stored.state().equals(proposal.proposed);
        events.decided(
                stored.id(), proposal.proposed, isOurs ? IsrOutcome.COMMITTED : IsrOutcome.CONFLICT, stored.state());
    }

    private void failed(Proposal proposal, Throwable failure) {
        if (!isOpen(proposal)) {
            return;
        }
        if (failure instanceof CoordinationClosedException) {
            close(proposal);
            return;
        }
        if (failure instanceof OutcomeUnknownException) {
            proposal.isInDoubt = true;
        }
        events.attemptFailed(failure);
        proposal.isWaiting = true;
        proposal.retryNs = nowNs + proposal.backoff.nextNs();
    }

    private boolean isOpen(Proposal proposal) {
        return open.get(proposal.from.id()) == proposal;
    }

    private void close(Proposal proposal) {
        open.remove(proposal.from.id());
    }

    /** A key that must have a version. */
    private record Guard(Key key, Version version) {}

    /** One proposal until it is decided. */
    private static final class Proposal {
        private final Registration self;
        private final VersionedRecord from;
        private final PartitionState proposed;
        private final Backoff backoff;
        /** What is written: the proposed record, or the old one in a later epoch to settle a doubt. */
        private PartitionState next;

        private boolean isInDoubt;
        private boolean isWaiting;
        private long retryNs;

        private Proposal(Registration self, VersionedRecord from, PartitionState proposed, Backoff backoff) {
            this.self = self;
            this.from = from;
            this.proposed = proposed;
            this.backoff = backoff;
            this.next = proposed;
        }

        private Key key() {
            return MetadataKeys.partitionState(from.topic().name(), from.id());
        }

        /** The member that the stored record does not have in the ISR, or null. The leader proposes one at a time. */
        private @Nullable Replica joiner() {
            if (!next.equals(proposed)) {
                return null;
            }
            List<Replica> joiners = new ArrayList<>(proposed.isr());
            joiners.removeAll(from.state().isr());
            if (joiners.size() > 1) {
                throw new IllegalStateException(
                        "a proposal lets one replica join at a time: partition=" + from.id() + ", joiners=" + joiners);
            }
            return joiners.isEmpty() ? null : joiners.get(0);
        }
    }
}

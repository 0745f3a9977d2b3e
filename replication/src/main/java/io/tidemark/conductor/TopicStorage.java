package io.tidemark.conductor;

import io.tidemark.controller.TopicChange;
import io.tidemark.controller.TopicState;
import io.tidemark.controller.VersionedState;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Leadership;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import io.tidemark.coordination.Version;
import io.tidemark.metadata.MetadataFormatException;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.PartitionId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Stores topics with their new partitions, and removes what a broken attempt left. A topic may need more partitions
 * than fit into one transaction, so its own record goes into the last one: until then nobody sees any of it. Every
 * transaction checks that this is still the controller.
 *
 * <p>Before each transaction its keys are read, and only what is missing or different is written. So an outcome that
 * is not known needs no special care: the next round finds what landed, and an attempt that is still on its way
 * conflicts with the round, or the round with it. If the controller ends in the middle, the next one finds records
 * without a topic and removes them, or partitions above the number that their topic has, which the next attempt
 * replaces.
 *
 * <p>Owned by the conductor; one object per term.
 */
final class TopicStorage {
    /** Partitions of one transaction; it has two more operations, and a back end takes 100. */
    static final int PARTITIONS_PER_TXN = 96;

    /** What the storage needs of the term. */
    interface Term {
        /**
         * Whether the term is over; nothing more is done then.
         *
         * @return true once and for all
         */
        boolean isOver();

        /**
         * A later controller was found.
         *
         * @param reason for the log
         */
        void superseded(String reason);

        /**
         * A call failed and is tried again.
         *
         * @param cause why
         */
        void attemptFailed(Throwable cause);

        /**
         * Has something done again after a while.
         *
         * @param action what
         */
        void later(Runnable action);
    }

    /** What becomes of a change. */
    interface Outcome {
        /**
         * All of it is stored.
         *
         * @param partitions the new partitions' records as they are stored, in order
         */
        void stored(List<VersionedState> partitions);

        /**
         * The topic's record is not what the change was made from, or the service cannot take the change; a new topic
         * leaves nothing behind.
         *
         * @param reason what the service cannot take, empty if the record is the reason
         */
        void notStored(Optional<String> reason);
    }

    private final Coordination coordination;
    private final CoordinationCalls calls;
    private final Leadership leadership;
    private final Term term;

    /**
     * Prepares the storage of a term.
     *
     * @param coordination the service
     * @param calls continues its calls on the conductor
     * @param leadership guards every write
     * @param term the term
     */
    TopicStorage(Coordination coordination, CoordinationCalls calls, Leadership leadership, Term term) {
        this.coordination = coordination;
        this.calls = calls;
        this.leadership = leadership;
        this.term = term;
    }

    /**
     * Stores a topic with its new partitions.
     *
     * @param change what to store
     * @param outcome is told the end, unless the term ends before
     */
    void store(TopicChange change, Outcome outcome) {
        new Job(change, outcome).round();
    }

    /**
     * Removes keys that nobody refers to. Those that changed or went meanwhile are left to whoever changed them.
     *
     * @param entries the keys with their versions
     */
    void remove(List<Entry> entries) {
        for (int from = 0; from < entries.size(); from += PARTITIONS_PER_TXN) {
            removeSome(entries.subList(from, Math.min(entries.size(), from + PARTITIONS_PER_TXN)));
        }
    }

    private void removeSome(List<Entry> entries) {
        Txn.Builder txn = Txn.builder();
        entries.forEach(entry -> txn.delete(entry.key(), entry.version()));
        calls.then(
                coordination.commit(leadership.guard(txn).build()),
                result -> {
                    if (!term.isOver() && result instanceof TxnResult.Conflict conflict) {
                        if (conflict.opIndex() >= entries.size()) {
                            term.superseded("the removal of records found a later controller epoch");
                        } else {
                            List<Entry> others = new ArrayList<>(entries);
                            others.remove(conflict.opIndex());
                            if (!others.isEmpty()) {
                                removeSome(others);
                            }
                        }
                    }
                },
                failure -> {
                    if (!term.isOver()) {
                        term.attemptFailed(failure);
                        term.later(() -> removeSome(entries));
                    }
                });
    }

    /** What a round found. */
    private record Found(Optional<Entry> topic, List<Optional<Entry>> partitions) {}

    /** One change, until it is stored or given up. */
    private final class Job {
        private final TopicChange change;
        private final TopicState topic;
        private final Outcome outcome;
        private final List<VersionedState> stored = new ArrayList<>();
        /** Number of partitions that earlier transactions have stored. */
        private int done;

        private Job(TopicChange change, Outcome outcome) {
            this.change = change;
            this.topic = change.topic();
            this.outcome = outcome;
        }

        private int count() {
            return Math.min(PARTITIONS_PER_TXN, change.partitions().size() - done);
        }

        private boolean isLast() {
            return done + count() == change.partitions().size();
        }

        private Key key(int index) {
            PartitionId id = new PartitionId(topic.topicId(), change.firstPartition() + index);
            return MetadataKeys.partitionState(topic.name(), id);
        }

        /** Reads the keys of the next transaction, then writes what is missing. */
        private void round() {
            CompletableFuture<Optional<Entry>> topicRead = read(MetadataKeys.topic(topic.name()));
            List<CompletableFuture<Optional<Entry>>> reads = new ArrayList<>();
            for (int i = 0; i < count(); i++) {
                reads.add(read(key(done + i)));
            }
            List<CompletableFuture<?>> all = new ArrayList<>(reads);
            all.add(topicRead);
            calls.then(
                    CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0])),
                    read -> {
                        if (!term.isOver()) {
                            act(new Found(
                                    topicRead.join(),
                                    reads.stream().map(CompletableFuture::join).toList()));
                        }
                    },
                    this::again);
        }

        private CompletableFuture<Optional<Entry>> read(Key key) {
            return coordination.get(key, ReadMode.LINEARIZABLE).toCompletableFuture();
        }

        private void again(Throwable failure) {
            if (!term.isOver()) {
                term.attemptFailed(failure);
                term.later(this::round);
            }
        }

        private void act(Found found) {
            TopicState present;
            try {
                present = found.topic
                        .filter(entry -> !MetadataJson.isNoTopic(entry.value()))
                        .map(entry -> MetadataJson.decodeTopic(entry.key().path(), entry.value()))
                        .orElse(null);
                if (topic.equals(present)) {
                    landed(found);
                    return;
                }
            } catch (MetadataFormatException broken) {
                outcome.notStored(Optional.of(String.valueOf(broken.getMessage())));
                return;
            }
            if (isBasis(present)) {
                write(found);
            } else {
                giveUp(found, Optional.empty());
            }
        }

        /** The last transaction is stored; what leaders changed since then is what counts. */
        private void landed(Found found) {
            for (int i = 0; i < count(); i++) {
                if (found.partitions.get(i).isEmpty()) {
                    outcome.notStored(Optional.of("the record of a partition is missing: key=" + key(done + i)
                            + "; somebody deleted it, delete the topic and create it again"));
                    return;
                }
            }
            found.partitions.forEach(entry -> entry.ifPresent(this::keep));
            finish();
        }

        /** Whether a stored topic is what the change was made from. */
        private boolean isBasis(@Nullable TopicState present) {
            if (change.isNew()) {
                return present == null;
            }
            return present != null
                    && present.topicId().equals(topic.topicId())
                    && present.revision() + 1 == topic.revision();
        }

        private void keep(Entry entry) {
            stored.add(new VersionedState(
                    MetadataJson.decodePartition(entry.key().path(), entry.value()),
                    VersionedRecord.stateVersion(entry.version())));
        }

        private void write(Found found) {
            Txn.Builder txn = Txn.builder();
            List<Integer> written = new ArrayList<>();
            for (int i = 0; i < count(); i++) {
                byte[] value = MetadataJson.encode(change.partitions().get(done + i));
                Optional<Entry> present = found.partitions.get(i);
                if (present.isEmpty()) {
                    txn.create(key(done + i), value);
                    written.add(i);
                } else if (!Arrays.equals(present.get().value(), value)) {
                    txn.update(key(done + i), value, present.get().version());
                    written.add(i);
                }
            }
            if (isLast()) {
                Key key = MetadataKeys.topic(topic.name());
                byte[] value = MetadataJson.encode(topic);
                found.topic.ifPresentOrElse(
                        entry -> txn.update(key, value, entry.version()), () -> txn.create(key, value));
            } else if (written.isEmpty()) {
                found.partitions.forEach(entry -> entry.ifPresent(this::keep));
                next();
                return;
            }
            int guard = written.size() + (isLast() ? 1 : 0);
            try {
                calls.then(
                        coordination.commit(leadership.guard(txn).build()),
                        result -> answered(found, written, guard, result),
                        this::again);
            } catch (CoordinationException tooLarge) {
                giveUp(found, Optional.of(String.valueOf(tooLarge.getMessage())));
            }
        }

        private void answered(Found found, List<Integer> written, int guard, TxnResult result) {
            if (term.isOver()) {
                return;
            }
            if (result instanceof TxnResult.Conflict conflict) {
                if (conflict.opIndex() >= guard) {
                    term.superseded("storing a topic found a later controller epoch: topic=" + topic.name());
                } else {
                    term.later(this::round);
                }
                return;
            }
            List<Version> versions = ((TxnResult.Committed) result).versions();
            for (int i = 0; i < count(); i++) {
                int place = written.indexOf(i);
                if (place < 0) {
                    found.partitions.get(i).ifPresent(this::keep);
                } else {
                    stored.add(new VersionedState(
                            change.partitions().get(done + i), VersionedRecord.stateVersion(versions.get(place))));
                }
            }
            if (isLast()) {
                finish();
            } else {
                next();
            }
        }

        private void next() {
            done += count();
            round();
        }

        private void finish() {
            outcome.stored(stored);
        }

        /** What earlier transactions stored must not stay behind without a topic. */
        private void giveUp(Found found, Optional<String> reason) {
            boolean isNothingStored = done == 0 && found.partitions.stream().allMatch(Optional::isEmpty);
            if (!change.isNew() || isNothingStored) {
                outcome.notStored(reason);
            } else {
                removeStored(done + count(), reason);
            }
        }

        private void removeStored(int count, Optional<String> reason) {
            List<CompletableFuture<Optional<Entry>>> reads = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                reads.add(read(key(i)));
            }
            calls.then(
                    CompletableFuture.allOf(reads.toArray(new CompletableFuture<?>[0])),
                    read -> {
                        if (!term.isOver()) {
                            remove(reads.stream()
                                    .map(CompletableFuture::join)
                                    .flatMap(Optional::stream)
                                    .toList());
                            outcome.notStored(reason);
                        }
                    },
                    failure -> {
                        if (!term.isOver()) {
                            term.attemptFailed(failure);
                            term.later(() -> removeStored(count, reason));
                        }
                    });
        }
    }
}

package io.tidemark.conductor;

import io.tidemark.controller.Tombstone;
import io.tidemark.controller.TopicState;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Leadership;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import io.tidemark.metadata.MetadataFormatException;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.PartitionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Deletes topics from the coordination service. The first transaction decides: the topic's own record says that the
 * name is free, and its tombstone comes. From then on nobody sees the topic, its name is free, and its id is known to
 * be dead for ever. The records of its partitions go afterwards, as many at a time as a transaction takes; if the
 * controller ends in between, the next one finds records without a topic and removes them. Every transaction checks
 * that this is still the controller, and is preceded by a read, so that an outcome that is not known needs no special
 * care.
 *
 * <p>Tombstones go when every broker had days to return, and with each the key of the name, if no other topic has it.
 * Owned by the conductor; one object per term.
 */
final class TopicRemoval {
    /** How long a tombstone is kept. Who is away for longer keeps the data, set aside. */
    static final long TOMBSTONE_KEPT_MS = TimeUnit.DAYS.toMillis(7);

    /** Time between two looks for old tombstones. */
    static final long EXPIRY_INTERVAL_NS = TimeUnit.HOURS.toNanos(1);

    /** What becomes of a deletion. */
    interface Outcome {
        /** The tombstone is stored, and the topic's own record is gone. */
        void deleted();

        /**
         * Nothing was changed.
         *
         * @param reason what, where, what to do
         */
        void notDeleted(String reason);
    }

    private final Coordination coordination;
    private final CoordinationCalls calls;
    private final Leadership leadership;
    private final TopicStorage.Term term;

    /**
     * Prepares the removals of a term.
     *
     * @param coordination the service
     * @param calls continues its calls on the conductor
     * @param leadership guards every write
     * @param term the term
     */
    TopicRemoval(Coordination coordination, CoordinationCalls calls, Leadership leadership, TopicStorage.Term term) {
        this.coordination = coordination;
        this.calls = calls;
        this.leadership = leadership;
        this.term = term;
    }

    /**
     * Deletes a topic.
     *
     * @param topic the topic
     * @param nowMs the time that the tombstone is to state
     * @param outcome is told as soon as the deletion is certain, unless the term ends before
     */
    void delete(TopicState topic, long nowMs, Outcome outcome) {
        Key topicKey = MetadataKeys.topic(topic.name());
        Key tombstoneKey = MetadataKeys.tombstone(topic.topicId());
        Runnable again = () -> delete(topic, nowMs, outcome);
        readAll(
                List.of(topicKey, tombstoneKey),
                found -> {
                    Optional<Entry> own;
                    try {
                        own = found.get(0).filter(entry -> isOf(topic, entry));
                    } catch (MetadataFormatException broken) {
                        outcome.notDeleted(String.valueOf(broken.getMessage()));
                        return;
                    }
                    boolean isMarked = found.get(1).isPresent();
                    if (isMarked && own.isEmpty()) {
                        outcome.deleted();
                        removePartitions(topic, 0);
                        return;
                    }
                    Txn.Builder txn = Txn.builder();
                    own.ifPresent(entry ->
                            txn.update(topicKey, MetadataJson.encodeNoTopic(topic.topicId()), entry.version()));
                    if (!isMarked) {
                        txn.create(
                                tombstoneKey, MetadataJson.encode(new Tombstone(topic.topicId(), topic.name(), nowMs)));
                    }
                    int guard = (own.isPresent() ? 1 : 0) + (isMarked ? 0 : 1);
                    // Whatever the outcome: the next round finds it.
                    commit(txn, guard, again, again);
                },
                again);
    }

    private static boolean isOf(TopicState topic, Entry entry) {
        return !MetadataJson.isNoTopic(entry.value())
                && MetadataJson.decodeTopic(entry.key().path(), entry.value())
                        .topicId()
                        .equals(topic.topicId());
    }

    /** Also looks behind the last partition: an addition may have stored some before it was given up. */
    private void removePartitions(TopicState topic, int first) {
        List<Key> keys = new ArrayList<>();
        for (int i = 0; i < TopicStorage.PARTITIONS_PER_TXN; i++) {
            keys.add(MetadataKeys.partitionState(topic.name(), new PartitionId(topic.topicId(), first + i)));
        }
        Runnable again = () -> removePartitions(topic, first);
        readAll(
                keys,
                found -> {
                    List<Entry> present =
                            found.stream().flatMap(Optional::stream).toList();
                    int next = first + TopicStorage.PARTITIONS_PER_TXN;
                    if (!present.isEmpty()) {
                        Txn.Builder txn = Txn.builder();
                        present.forEach(entry -> txn.delete(entry.key(), entry.version()));
                        // A leader that does not know yet may have changed one meanwhile: the next round finds that.
                        commit(txn, present.size(), again, again);
                    } else if (next < topic.partitions()) {
                        removePartitions(topic, next);
                    }
                },
                again);
    }

    /**
     * Removes tombstones that are old enough.
     *
     * @param nowMs the time
     */
    void expireTombstones(long nowMs) {
        calls.then(
                coordination.list(MetadataKeys.TOMBSTONES, ReadMode.LINEARIZABLE),
                listing -> {
                    for (Entry entry : listing.entries()) {
                        if (!term.isOver()) {
                            expire(entry, nowMs);
                        }
                    }
                },
                term::attemptFailed);
    }

    private void expire(Entry entry, long nowMs) {
        Tombstone tombstone;
        try {
            tombstone = MetadataJson.decodeTombstone(entry.key().path(), entry.value());
        } catch (MetadataFormatException unreadable) {
            // Kept: the key alone says that the topic is deleted.
            term.attemptFailed(unreadable);
            return;
        }
        if (nowMs - tombstone.deletedAtMs() <= TOMBSTONE_KEPT_MS) {
            return;
        }
        Key nameKey = MetadataKeys.topic(tombstone.name());
        readAll(
                List.of(nameKey),
                found -> {
                    Txn.Builder txn = Txn.builder().delete(entry.key(), entry.version());
                    Optional<Entry> free = found.get(0).filter(name -> MetadataJson.isNoTopic(name.value()));
                    free.ifPresent(name -> txn.delete(nameKey, name.version()));
                    // What conflicts or fails is found again in an hour.
                    commit(txn, free.isPresent() ? 2 : 1, () -> {}, () -> {});
                },
                () -> {});
    }

    private void readAll(List<Key> keys, Consumer<List<Optional<Entry>>> then, Runnable again) {
        List<CompletableFuture<Optional<Entry>>> reads = keys.stream()
                .map(key -> coordination.get(key, ReadMode.LINEARIZABLE).toCompletableFuture())
                .toList();
        calls.then(
                CompletableFuture.allOf(reads.toArray(new CompletableFuture<?>[0])),
                read -> {
                    if (!term.isOver()) {
                        then.accept(reads.stream().map(CompletableFuture::join).toList());
                    }
                },
                failure -> failed(failure, again));
    }

    private void commit(Txn.Builder txn, int guard, Runnable committed, Runnable again) {
        calls.then(
                coordination.commit(leadership.guard(txn).build()),
                result -> {
                    if (term.isOver()) {
                        return;
                    }
                    if (!(result instanceof TxnResult.Conflict conflict)) {
                        committed.run();
                    } else if (conflict.opIndex() >= guard) {
                        term.superseded("the deletion of a topic found a later controller epoch");
                    } else {
                        term.later(again);
                    }
                },
                failure -> failed(failure, again));
    }

    private void failed(Throwable failure, Runnable again) {
        if (!term.isOver()) {
            term.attemptFailed(failure);
            term.later(again);
        }
    }
}

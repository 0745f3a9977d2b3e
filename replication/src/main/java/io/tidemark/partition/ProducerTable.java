package io.tidemark.partition;

import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What the log holds of each idempotent producer: its epoch and its last {@value #BATCHES_KEPT} batches, by which a
 * repeated batch is told from a new one.
 *
 * <p>The table is a function of the log. It is fed by every batch that is appended, as leader or follower; after the
 * log was opened or truncated it is cleared and fed again from the log. So a retry that meets another leader gets the
 * same answer.
 *
 * <p>A producer may have at most {@value #BATCHES_KEPT} batches in flight. Sequence numbers count records and run from
 * 2147483647 to 0. At most {@value #PRODUCERS_MAX} producers are kept; the one whose last batch is oldest goes first.
 *
 * <p>Owned by the append stage; not thread-safe. Nothing is allocated for a batch of a known producer.
 *
 * <p>Source: KIP-98, KIP-360; KAFKA-7692 (wrap); Redpanda #3039 (why five batches and not one).
 */
public final class ProducerTable {
    /** Batches remembered per producer, and so the most that it may have in flight. */
    public static final int BATCHES_KEPT = 5;
    /** Producers remembered per partition. */
    public static final int PRODUCERS_MAX = 16_384;
    /** Stands for "no producer id": such batches are neither checked nor remembered. */
    public static final long NO_PRODUCER_ID = -1;

    private static final int SEQUENCE_MASK = Integer.MAX_VALUE;
    private static final int HALF_RANGE = 1 << 30;

    private final Long2ObjectHashMap<Entry> entries = new Long2ObjectHashMap<>();
    private final Entry ring = new Entry();
    private long duplicateBaseOffset = -1;
    private long duplicateNextOffset = -1;

    /** Makes an empty table. */
    public ProducerTable() {
        clear();
    }

    /** What a batch of a producer is. */
    public enum Check {
        /** The next batch in order: append it. */
        APPEND,
        /** It is in the log: answer with the offsets that it got there. */
        DUPLICATE,
        /** It was in the log before the batches that are remembered: never append it, its offsets are unknown. */
        DUPLICATE_UNKNOWN,
        /** Batches before it are missing, or it does not match what was sent under these sequence numbers. */
        OUT_OF_ORDER,
        /** The producer has a newer epoch. */
        STALE_EPOCH,
        /** The log knows nothing of this producer, and the batch is not its first. */
        UNKNOWN_PRODUCER
    }

    /**
     * Judges a batch before it is appended. Changes nothing but what {@link #duplicateBaseOffset()} and
     * {@link #duplicateNextOffset()} answer.
     *
     * @param producerId the producer, {@link #NO_PRODUCER_ID} if it is not idempotent
     * @param epoch the producer's epoch
     * @param baseSequence sequence number of the first record, from 0
     * @param recordCount number of records, at least 1
     * @return what it is
     */
    public Check check(long producerId, short epoch, int baseSequence, int recordCount) {
        if (producerId < 0) {
            return Check.APPEND;
        }
        if (baseSequence < 0 || recordCount < 1) {
            return Check.OUT_OF_ORDER;
        }
        Entry entry = entries.get(producerId);
        if (entry == null) {
            return baseSequence == 0 ? Check.APPEND : Check.UNKNOWN_PRODUCER;
        }
        if (epoch < entry.epoch) {
            return Check.STALE_EPOCH;
        }
        if (epoch > entry.epoch) {
            return baseSequence == 0 ? Check.APPEND : Check.OUT_OF_ORDER;
        }
        return checkSequence(entry, baseSequence, recordCount);
    }

    private Check checkSequence(Entry entry, int baseSequence, int recordCount) {
        for (int age = 0; age < entry.count; age++) {
            int slot = entry.slot(age);
            if (entry.baseSequences[slot] == baseSequence && entry.recordCounts[slot] == recordCount) {
                duplicateBaseOffset = entry.baseOffsets[slot];
                duplicateNextOffset = entry.nextOffsets[slot];
                return Check.DUPLICATE;
            }
        }
        int newest = entry.slot(0);
        int expected = plus(entry.baseSequences[newest], entry.recordCounts[newest]);
        int ahead = (baseSequence - expected) & SEQUENCE_MASK;
        if (ahead == 0) {
            return Check.APPEND;
        }
        if (ahead < HALF_RANGE) {
            return Check.OUT_OF_ORDER;
        }
        // The batch lies behind. It is a late repetition only if all of it lies before the oldest batch remembered;
        // what overlaps a remembered batch without being equal to it was never sent like this.
        int oldestSequence = entry.baseSequences[entry.slot(entry.count - 1)];
        int gap = (oldestSequence - plus(baseSequence, recordCount)) & SEQUENCE_MASK;
        boolean before = gap < HALF_RANGE && (entry.forgotSome || oldestSequence != 0);
        return before ? Check.DUPLICATE_UNKNOWN : Check.OUT_OF_ORDER;
    }

    /**
     * Remembers a batch of the log. Batches come in the order of the log.
     *
     * @param producerId the producer; nothing happens if it is negative
     * @param epoch the producer's epoch
     * @param baseSequence sequence number of the first record
     * @param recordCount number of records
     * @param baseOffset offset of the first record
     * @param nextOffset exclusive end of the batch
     */
    public void onBatch(
            long producerId, short epoch, int baseSequence, int recordCount, long baseOffset, long nextOffset) {
        if (producerId < 0) {
            return;
        }
        Entry entry = entries.get(producerId);
        if (entry == null) {
            entry = newEntry(producerId, epoch);
        } else if (epoch != entry.epoch) {
            entry.restart(epoch);
        }
        entry.add(baseSequence, recordCount, baseOffset, nextOffset);
        entry.unlink();
        entry.linkBefore(ring);
    }

    /**
     * The first offset of the batch that the last {@link Check#DUPLICATE} repeats.
     *
     * @return the offset, -1 if no duplicate was met yet
     */
    public long duplicateBaseOffset() {
        return duplicateBaseOffset;
    }

    /**
     * The exclusive end of the batch that the last {@link Check#DUPLICATE} repeats.
     *
     * @return the offset, -1 if no duplicate was met yet
     */
    public long duplicateNextOffset() {
        return duplicateNextOffset;
    }

    /**
     * The number of producers remembered.
     *
     * @return from 0 to {@value #PRODUCERS_MAX}
     */
    public int size() {
        return entries.size();
    }

    /** Forgets everything, before the table is fed again from the log. */
    public void clear() {
        entries.clear();
        ring.next = ring;
        ring.previous = ring;
    }

    private Entry newEntry(long producerId, short epoch) {
        Entry entry;
        if (entries.size() < PRODUCERS_MAX) {
            entry = new Entry();
        } else {
            entry = ring.next;
            entries.remove(entry.producerId);
            entry.unlink();
        }
        entry.producerId = producerId;
        entry.restart(epoch);
        entries.put(producerId, entry);
        return entry;
    }

    private static int plus(int sequence, int count) {
        return (sequence + count) & SEQUENCE_MASK;
    }

    /** One producer: a ring of its last batches, linked to the others from the oldest last batch to the newest. */
    private static final class Entry {
        private final int[] baseSequences = new int[BATCHES_KEPT];
        private final int[] recordCounts = new int[BATCHES_KEPT];
        private final long[] baseOffsets = new long[BATCHES_KEPT];
        private final long[] nextOffsets = new long[BATCHES_KEPT];
        private long producerId = NO_PRODUCER_ID;
        private short epoch;
        private int head;
        private int count;
        private boolean forgotSome;
        private @Nullable Entry previous;
        private Entry next = this;

        private int slot(int age) {
            return (head - age + BATCHES_KEPT) % BATCHES_KEPT;
        }

        private void restart(short newEpoch) {
            epoch = newEpoch;
            count = 0;
            forgotSome = false;
        }

        private void add(int baseSequence, int recordCount, long baseOffset, long nextOffset) {
            head = (head + 1) % BATCHES_KEPT;
            baseSequences[head] = baseSequence;
            recordCounts[head] = recordCount;
            baseOffsets[head] = baseOffset;
            nextOffsets[head] = nextOffset;
            forgotSome |= count == BATCHES_KEPT;
            count = Math.min(count + 1, BATCHES_KEPT);
        }

        private void unlink() {
            if (previous != null) {
                previous.next = next;
                next.previous = previous;
                previous = null;
                next = this;
            }
        }

        private void linkBefore(Entry other) {
            Entry before = other.previous == null ? other : other.previous;
            previous = before;
            next = other;
            before.next = this;
            other.previous = this;
        }
    }
}

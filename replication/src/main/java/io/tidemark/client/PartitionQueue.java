package io.tidemark.client;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The records of one producer for one partition: those that application threads collect, and the window of batches that
 * are under way.
 *
 * <p><b>Threading:</b> {@link #append} and what it touches is for any thread, under a lock; the window belongs to the
 * client's thread. A lock, because a record must be in its batch, and the batch's place in the order fixed, when a
 * send returns: a command per record to the client's thread would cost far more than the few dozen nanoseconds that
 * it is held. Nothing is called out of it.
 */
final class PartitionQueue {
    /** Batches of one partition under way at once; brokers remember as many of a producer. */
    static final int WINDOW_MAX = 5;

    /** Outcome of an append. */
    enum Appended {
        /** The record is in a batch that the client's thread knows of. */
        YES,
        /** The record is in a batch, and the client's thread should look. */
        YES_WAKE,
        /** There is no memory now. */
        NO_MEMORY,
        /** The producer is closed. */
        CLOSED
    }

    private final String topic;
    private final int partition;
    private final BatchPool pool;
    private final long deliveryTimeoutNs;

    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<ProducerBatch> ready = new ArrayDeque<>();
    private @Nullable ProducerBatch open;
    private long appendedCount;
    private boolean closed;

    /** Set while the queue is in, or on its way to, the sender's list. */
    private final AtomicBoolean listed = new AtomicBoolean();

    // The client's thread only, but for completedCount, which it publishes.
    private final ArrayDeque<ProducerBatch> window = new ArrayDeque<>(WINDOW_MAX);
    private final LeaderRoute route = new LeaderRoute();
    private long sequenceTerm = -1;
    private int nextSequence;
    private volatile long completedCount;

    /**
     * An empty queue.
     *
     * @param topic name
     * @param partition from 0
     * @param pool memory of the producer
     * @param deliveryTimeoutNs time from a record until it fails
     */
    PartitionQueue(String topic, int partition, BatchPool pool, long deliveryTimeoutNs) {
        this.topic = topic;
        this.partition = partition;
        this.pool = pool;
        this.deliveryTimeoutNs = deliveryTimeoutNs;
    }

    /**
     * Name of the topic.
     *
     * @return the name
     */
    String topic() {
        return topic;
    }

    /**
     * Partition of the topic.
     *
     * @return from 0
     */
    int partition() {
        return partition;
    }

    /**
     * Puts a record into a batch if there is memory. Any thread.
     *
     * @param nowNs now
     * @param timestamp of the record
     * @param key or null
     * @param value or null
     * @param completion who hears of its outcome
     * @return what happened
     */
    Appended append(long nowNs, long timestamp, byte @Nullable [] key, byte @Nullable [] value, Object completion) {
        final int keyLength = key == null ? -1 : key.length;
        final int valueLength = value == null ? -1 : value.length;
        lock.lock();
        try {
            if (closed) {
                return Appended.CLOSED;
            }
            ProducerBatch batch = open;
            if (batch != null && batch.hasRoomFor(keyLength, valueLength)) {
                batch.append(timestamp, key, value, completion);
                appendedCount++;
                return Appended.YES;
            }
            if (batch != null) {
                ready.addLast(batch);
                open = null;
            }
            batch = pool.tryAcquire();
            if (batch == null) {
                return Appended.NO_MEMORY;
            }
            batch.begin(nowNs, Deadlines.after(nowNs, deliveryTimeoutNs));
            batch.append(timestamp, key, value, completion);
            appendedCount++;
            open = batch;
            return Appended.YES_WAKE;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes the next batch to be sent.
     *
     * @param createdUntilNs a batch that is not full is taken if its first record came at or before this moment
     * @return null if none is due
     */
    @Nullable
    ProducerBatch take(long createdUntilNs) {
        lock.lock();
        try {
            final ProducerBatch full = ready.pollFirst();
            if (full != null) {
                return full;
            }
            final ProducerBatch batch = open;
            if (batch != null && createdUntilNs - batch.createdNs() >= 0) {
                open = null;
                return batch;
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes the next batch if its time is over.
     *
     * @param nowNs now
     * @param all whether the time does not matter, since nothing can be sent any more
     * @return null if there is none
     */
    @Nullable
    ProducerBatch takeExpired(long nowNs, boolean all) {
        lock.lock();
        try {
            final ProducerBatch full = ready.peekFirst();
            if (full != null) {
                return all || Deadlines.passed(nowNs, full.deadlineNs()) ? ready.pollFirst() : null;
            }
            final ProducerBatch batch = open;
            if (batch != null && (all || Deadlines.passed(nowNs, batch.deadlineNs()))) {
                open = null;
                return batch;
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** Refuses further records. */
    void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Records appended so far. Any thread.
     *
     * @return count
     */
    long appendedCount() {
        lock.lock();
        try {
            return appendedCount;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Records completed so far. Any thread.
     *
     * @return count
     */
    long completedCount() {
        return completedCount;
    }

    /**
     * Claims the right to put the queue into the sender's list. Any thread.
     *
     * @return true for one caller until {@link #unlist}
     */
    boolean list() {
        return !listed.get() && listed.compareAndSet(false, true);
    }

    /**
     * Leaves the sender's list if there is nothing to do.
     *
     * @return false if the queue must stay
     */
    boolean unlist() {
        if (!window.isEmpty() || !isCollectedEmpty()) {
            return false;
        }
        listed.set(false);
        // A record that came before the flag was cleared found it set and told nobody.
        return isCollectedEmpty() || !listed.compareAndSet(false, true);
    }

    private boolean isCollectedEmpty() {
        lock.lock();
        try {
            return open == null && ready.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /**
     * When the batch that is being filled was begun.
     *
     * @param otherwise returned if there is none, or a full one waits before it
     * @return by the client's clock
     */
    long openSinceNs(long otherwise) {
        lock.lock();
        try {
            final ProducerBatch batch = open;
            return batch != null && ready.isEmpty() ? batch.createdNs() : otherwise;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The batches under way, in the order of sending. The client's thread only.
     *
     * @return at most {@link #WINDOW_MAX}
     */
    ArrayDeque<ProducerBatch> window() {
        return window;
    }

    /**
     * Where the partition's leader is. The client's thread only.
     *
     * @return a cache
     */
    LeaderRoute route() {
        return route;
    }

    /**
     * Takes sequence numbers for a batch. The client's thread only.
     *
     * @param term of the producer's identity; in a new one the numbers start at 0, also in queues that were idle
     * @param recordCount numbers to take
     * @return the first of them; after 2147483647 comes 0
     */
    int takeSequences(long term, int recordCount) {
        if (term != sequenceTerm) {
            sequenceTerm = term;
            nextSequence = 0;
        }
        final int first = nextSequence;
        nextSequence = (first + recordCount) & Integer.MAX_VALUE;
        return first;
    }

    /**
     * Counts records as completed. The client's thread only.
     *
     * @param count of them
     */
    void completed(int count) {
        final long before = completedCount;
        completedCount = before + count;
    }
}

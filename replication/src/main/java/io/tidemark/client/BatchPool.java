package io.tidemark.client;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * The bounded memory of a producer, in batches of one size. Any thread.
 *
 * <p>A lock, since application threads must be able to wait here for the client's thread, in the order in which they
 * came; it is taken once per batch, not per record.
 */
final class BatchPool {
    private final int batchBytes;
    private final int batchesMax;
    private final ReentrantLock lock = new ReentrantLock(true);
    private final Condition returned = lock.newCondition();
    private final ArrayDeque<ProducerBatch> free = new ArrayDeque<>();
    private int made;
    private final AtomicInteger waiters = new AtomicInteger();
    private boolean closed;

    /**
     * A pool without batches.
     *
     * @param batchBytes size of a batch
     * @param bufferBytes memory for all, at least one batch
     */
    BatchPool(int batchBytes, long bufferBytes) {
        this.batchBytes = batchBytes;
        this.batchesMax = (int) Math.min(Integer.MAX_VALUE, Math.max(1, bufferBytes / batchBytes));
    }

    /**
     * Takes a batch if there is one.
     *
     * @return null if all are in use, or the pool is closed
     */
    @Nullable
    ProducerBatch tryAcquire() {
        lock.lock();
        try {
            if (closed) {
                return null;
            }
            final ProducerBatch batch = free.pollFirst();
            if (batch != null) {
                return batch;
            }
            if (made == batchesMax) {
                return null;
            }
            made++;
            return new ProducerBatch(batchBytes);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until a batch may have come back.
     *
     * @param clock of the client
     * @param deadlineNs end of the wait
     * @return false if the time is over
     * @throws InterruptedException if the thread is interrupted
     */
    boolean await(NanoClock clock, long deadlineNs) throws InterruptedException {
        lock.lock();
        try {
            waiters.incrementAndGet();
            while (free.isEmpty() && made == batchesMax && !closed) {
                final long leftNs = Deadlines.left(clock.nanoTime(), deadlineNs);
                if (leftNs == 0) {
                    return false;
                }
                returned.awaitNanos(leftNs);
            }
            return true;
        } finally {
            waiters.decrementAndGet();
            lock.unlock();
        }
    }

    /**
     * Whether somebody waits, so that batches should go out without lingering.
     *
     * @return a hint
     */
    boolean hasWaiters() {
        return waiters.get() > 0;
    }

    /**
     * Takes a batch back.
     *
     * @param batch completed
     */
    void giveBack(ProducerBatch batch) {
        lock.lock();
        try {
            if (closed) {
                batch.free();
            } else {
                free.addFirst(batch);
                returned.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Frees the batches, and from now on those that come back; wakes who waits. */
    void close() {
        lock.lock();
        try {
            closed = true;
            free.forEach(ProducerBatch::free);
            free.clear();
            returned.signalAll();
        } finally {
            lock.unlock();
        }
    }
}

package io.tidemark.client;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Hands chunks from the client's thread to the consumer's, and their memory back. Bounded by what fetchers may have
 * outstanding.
 *
 * <p>The lock is for waiting only: a consumer that finds nothing must sleep until the client's thread has something.
 */
final class ChunkQueue {
    private static final int BUFFER_MIN = 16 * 1024;

    private final Queue<FetchedChunk> chunks = new ConcurrentLinkedQueue<>();
    private final Queue<UnsafeBuffer> free = new ConcurrentLinkedQueue<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private long signals;
    private volatile @Nullable TidemarkException ended;

    /** An empty queue. */
    ChunkQueue() {}

    /**
     * Memory for a chunk. The client's thread.
     *
     * @param length bytes needed
     * @return a buffer of at least that
     */
    UnsafeBuffer buffer(int length) {
        final UnsafeBuffer buffer = free.poll();
        return buffer != null && buffer.capacity() >= length
                ? buffer
                : new UnsafeBuffer(new byte[Math.max(BUFFER_MIN, length)]);
    }

    /**
     * Adds a chunk. The client's thread.
     *
     * @param chunk next
     */
    void add(FetchedChunk chunk) {
        chunks.add(chunk);
        signal();
    }

    /** Wakes the consumer if it waits. */
    void signal() {
        lock.lock();
        try {
            signals++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Number of signals so far, to be taken before looking at what they tell of.
     *
     * @return count
     */
    long signals() {
        lock.lock();
        try {
            return signals;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for a signal after a count that was taken before. The consumer's thread.
     *
     * @param seen count
     * @param clock of the client
     * @param deadlineNs end of the wait
     * @return false if the time is over
     */
    boolean await(long seen, NanoClock clock, long deadlineNs) {
        lock.lock();
        try {
            while (signals == seen) {
                final long leftNs = Deadlines.left(clock.nanoTime(), deadlineNs);
                if (leftNs == 0) {
                    return false;
                }
                changed.awaitNanos(leftNs);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The next chunk, which stays. The consumer's thread.
     *
     * @return null if there is none
     */
    @Nullable
    FetchedChunk peek() {
        return chunks.peek();
    }

    /**
     * Takes the next chunk away and its memory back. The consumer's thread.
     *
     * @param chunk as {@link #peek()} gave it
     */
    void remove(FetchedChunk chunk) {
        chunks.remove();
        chunk.source().chunks().decrementAndGet();
        free.add(chunk.buffer());
    }

    /**
     * Ends all waits for good. The client's thread.
     *
     * @param why what the consumer hears
     */
    void end(TidemarkException why) {
        ended = why;
        signal();
    }

    /**
     * Throws if the consumer has ended.
     *
     * @throws TidemarkException as given to {@link #end}
     */
    void checkOpen() {
        final TidemarkException why = ended;
        if (why != null) {
            throw why;
        }
    }
}

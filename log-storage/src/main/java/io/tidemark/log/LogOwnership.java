package io.tidemark.log;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Says which thread may append to a log. Usually that is one thread, the first that appends, and asking costs nothing
 * but a comparison. Work on the active segment that others have found to be due is done by that thread too, or, while
 * nobody owns the log, by whoever takes the lock. A log that is shared has no owner: each append takes the lock, which
 * costs some tens of nanoseconds.
 */
final class LogOwnership {
    private final TopicPartition partition;
    private final boolean isShared;
    /** Held while the owner changes, and by whoever works on a log without owner. */
    private final ReentrantLock lock = new ReentrantLock();

    private volatile @Nullable Thread owner;

    /**
     * Nobody's log.
     *
     * @param partition names the log
     * @param isShared whether any thread may append
     */
    LogOwnership(TopicPartition partition, boolean isShared) {
        this.partition = partition;
        this.isShared = isShared;
    }

    /**
     * To be called before the log's end is changed; {@link #exit()} comes after it.
     *
     * @throws IllegalStateException when another thread owns the log
     */
    void enter() {
        if (isShared) {
            lock.lock();
        } else if (owner != Thread.currentThread()) {
            claim();
        }
    }

    private void claim() {
        lock.lock();
        try {
            final Thread other = owner;
            if (other != null) {
                throw new IllegalStateException("log is owned by another thread: log=" + partition + ", owner="
                        + other.getName() + ", caller=" + Thread.currentThread().getName()
                        + "; append by one thread, or let the owner give the log up first");
            }
            owner = Thread.currentThread();
        } finally {
            lock.unlock();
        }
    }

    /** Ends what {@link #enter()} began. */
    void exit() {
        if (isShared) {
            lock.unlock();
        }
    }

    /** Lets another thread become the owner; nothing happens when the caller is not the owner. */
    void giveUp() {
        if (owner == Thread.currentThread()) {
            lock.lock();
            try {
                owner = null;
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Whether the caller is the owner.
     *
     * @return false when another thread is, or nobody
     */
    boolean isOwnedByCaller() {
        return owner == Thread.currentThread();
    }

    /**
     * Does what only the owner may do, if the caller is the owner or there is none.
     *
     * @param work to be done
     * @return whether it was done
     */
    boolean tryRun(Runnable work) {
        lock.lock();
        try {
            if (owner != null && owner != Thread.currentThread()) {
                return false;
            }
            work.run();
            return true;
        } finally {
            lock.unlock();
        }
    }
}

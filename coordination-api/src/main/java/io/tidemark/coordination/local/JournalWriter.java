package io.tidemark.coordination.local;

import io.tidemark.coordination.Change;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.spi.SystemSeam;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The thread that makes the steps of a {@link LocalStore} durable, and only then does what they left to do. Steps
 * that came while the disk was busy are forced together. All that follows on a step, and all that only read, goes
 * through here in the order of the lock, so that nobody sees a state that a crash could take back.
 *
 * <p>The store's lock guards all fields but {@link #failure}, and the store's state which a snapshot is taken of; the
 * journal belongs to the thread.
 */
final class JournalWriter implements AutoCloseable {
    private static final long GROUP_SIZE_BYTES_MAX = 4L * 1024 * 1024;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

    private final Journal journal;
    private final StoreState state;
    private final ReentrantLock lock;
    private final Condition changed;
    private final Runnable onFailure;
    private final Thread thread;
    private final Deque<Step> steps = new ArrayDeque<>();
    private List<Change> recorded = new ArrayList<>();
    private boolean closing;
    private boolean ended;
    /** Written by the thread, once. */
    private volatile @Nullable Exception failure;

    /**
     * What one holder of the lock did.
     *
     * @param changes what it changed, in order
     * @param revision the revision of the store afterwards
     * @param after what it left to do
     */
    private record Step(List<Change> changes, long revision, List<Runnable> after) {}

    /**
     * What is made durable at once.
     *
     * @param steps in order
     * @param snapshot the whole store after them, if it is to be written instead of them
     */
    private record Group(List<Step> steps, @Nullable List<Entry> snapshot) {}

    /**
     * Prepares the thread.
     *
     * @param journal belongs to this from now on
     * @param state the store's keys
     * @param lock the store's lock
     * @param onFailure runs once, when the journal has failed
     */
    JournalWriter(Journal journal, StoreState state, ReentrantLock lock, Runnable onFailure) {
        this.journal = journal;
        this.state = state;
        this.lock = lock;
        this.changed = lock.newCondition();
        this.onFailure = onFailure;
        this.thread = SystemSeam.newDaemonThread("coordination-local-journal", this::run);
    }

    /** Begins the thread. */
    void start() {
        thread.start();
    }

    /**
     * Why the store can no longer be used.
     *
     * @return what failed first, or null
     */
    @Nullable
    Exception failure() {
        return failure;
    }

    /**
     * Notes what the holder of the lock changed.
     *
     * @param changes what it changed
     */
    void record(List<Change> changes) {
        recorded.addAll(changes);
    }

    /**
     * Takes over what the holder of the lock leaves to do, until its changes and all before are durable.
     *
     * @param after what is to run without the lock
     * @return false if the thread has ended and the caller must run it
     */
    boolean defer(List<Runnable> after) {
        if (ended) {
            return false;
        }
        if (!recorded.isEmpty() || !after.isEmpty()) {
            steps.add(new Step(recorded, state.revision(), List.copyOf(after)));
            recorded = new ArrayList<>();
            changed.signalAll();
        }
        return true;
    }

    private void run() {
        for (Group group = take(); !group.steps().isEmpty(); group = take()) {
            makeDurable(group);
            for (Step step : group.steps()) {
                step.after().forEach(this::runLeft);
            }
        }
        try {
            journal.close();
        } catch (IOException failed) {
            // All that was acknowledged is forced; the system gives the folder up with the process at the latest.
            fail(failed);
        }
    }

    private void runLeft(Runnable left) {
        try {
            left.run();
        } catch (RuntimeException thrown) {
            // An executor or handler of the caller threw: what it broke is not known, so nothing more is promised.
            fail(thrown);
        }
    }

    /** The next steps; none when the store was closed and all is done. */
    private Group take() {
        lock.lock();
        try {
            while (steps.isEmpty() && !closing) {
                changed.awaitUninterruptibly();
            }
            List<Step> taken = new ArrayList<>();
            if (failure == null && journal.isCompactionDue() && !steps.isEmpty()) {
                // A snapshot holds what all the waiting steps did, so it has to answer for all of them.
                taken.addAll(steps);
                steps.clear();
                return new Group(taken, state.entries());
            }
            long sizeBytes = 0;
            while (!steps.isEmpty() && sizeBytes < GROUP_SIZE_BYTES_MAX) {
                Step step = steps.remove();
                taken.add(step);
                for (Change change : step.changes()) {
                    sizeBytes += JournalFrame.sizeBytes(change);
                }
            }
            ended = taken.isEmpty();
            return new Group(taken, null);
        } finally {
            lock.unlock();
        }
    }

    private void makeDurable(Group group) {
        List<Change> changes = new ArrayList<>();
        group.steps().forEach(step -> changes.addAll(step.changes()));
        if (failure != null || (changes.isEmpty() && group.snapshot() == null)) {
            return;
        }
        long revision = group.steps().get(group.steps().size() - 1).revision();
        try {
            if (group.snapshot() == null) {
                journal.append(revision, changes);
            } else {
                journal.compact(revision, group.snapshot());
            }
        } catch (IOException | RuntimeException failed) {
            fail(failed);
        }
    }

    private void fail(Exception cause) {
        if (failure == null) {
            failure = cause;
            onFailure.run();
        }
    }

    /** Makes all steps durable, does what they left to do, and ends; waits for that for a bounded time. */
    @Override
    public void close() {
        lock.lock();
        try {
            closing = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (Thread.currentThread() == thread) {
            return;
        }
        try {
            thread.join(CLOSE_TIMEOUT.toMillis());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

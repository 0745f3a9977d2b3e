package io.tidemark.conductor;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;

/**
 * The entrance of an agent: commands of other threads, run by the agent in the order in which they came.
 *
 * <p><b>Threading:</b> {@link #execute} and {@link #close} any thread; the rest the agent's. Never blocks. What is in
 * it is bounded by what its users may have under way (one proposal for each partition, the calls to coordination that
 * the conductor itself began, a fixed number of forwarded requests), so a full queue is a broken invariant: it is
 * remembered, and the agent fences itself.
 */
final class ConductorQueue implements Executor {
    /** Commands that may wait. */
    static final int CAPACITY = 64 * 1024;

    private final String owner;
    private final ManyToOneConcurrentArrayQueue<Runnable> commands;
    private volatile Runnable wakeUp = () -> {};
    private volatile boolean isOverflown;
    private volatile boolean isClosed;

    /**
     * Makes an empty queue.
     *
     * @param owner names the agent in messages
     * @param capacity commands that may wait, at least 1
     */
    ConductorQueue(String owner, int capacity) {
        this.owner = owner;
        this.commands = new ManyToOneConcurrentArrayQueue<>(capacity);
    }

    /**
     * Sets how the agent is woken. Until then it does not sleep.
     *
     * @param task may be run by any thread
     */
    void wakeUp(Runnable task) {
        wakeUp = task;
    }

    /**
     * Leaves a command and wakes the agent. After {@link #close} it does nothing.
     *
     * @param command run by the agent
     * @throws RejectedExecutionException if the queue is full; the agent then fences itself
     */
    @Override
    public void execute(Runnable command) {
        if (isClosed) {
            return;
        }
        if (!commands.offer(command)) {
            isOverflown = true;
            wakeUp.run();
            throw new RejectedExecutionException(
                    "command queue is full: owner=" + owner + ", capacity=" + commands.capacity());
        }
        wakeUp.run();
    }

    /**
     * Runs commands that wait.
     *
     * @param limit most commands to run
     * @return how many ran
     */
    int drain(int limit) {
        int count = 0;
        while (count < limit) {
            Runnable command = commands.poll();
            if (command == null) {
                return count;
            }
            command.run();
            count++;
        }
        return count;
    }

    /**
     * Whether a command was ever refused.
     *
     * @return true for ever after
     */
    boolean isOverflown() {
        return isOverflown;
    }

    /** Drops later commands, since nobody runs them any more. */
    void close() {
        isClosed = true;
    }
}

package io.tidemark.broker;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.IdleStrategy;

/** An agent on a thread of its own. {@link #start} and {@link #stop} are called by the owner of the broker. */
final class AgentThread {
    private final String name;
    private final AgentRunner runner;

    private AgentThread(String name, AgentRunner runner) {
        this.name = name;
        this.runner = runner;
    }

    /**
     * Starts the agent.
     *
     * @param name of the thread
     * @param agent what it runs
     * @param idleStrategy what it does when there is nothing to do
     * @param onError is told on the thread what the agent threw; the agent goes on unless it is stopped
     * @return the running agent
     */
    static AgentThread start(String name, Agent agent, IdleStrategy idleStrategy, Consumer<Throwable> onError) {
        AgentRunner runner = new AgentRunner(idleStrategy, onError::accept, null, agent);
        SystemSeams.newThread(name, runner).start();
        return new AgentThread(name, runner);
    }

    /**
     * Ends the agent and waits for its thread; one that does not end in time is interrupted once.
     *
     * @param timeout how long to wait, twice at most
     * @throws IllegalStateException if the thread did not end
     */
    void stop(Duration timeout) {
        AtomicInteger attempts = new AtomicInteger();
        runner.close((int) timeout.toMillis(), thread -> {
            if (attempts.incrementAndGet() > 1) {
                throw new IllegalStateException(
                        "thread did not end: thread=" + name + ", waited=" + timeout.multipliedBy(2));
            }
        });
    }
}

package io.tidemark.client;

import io.tidemark.transport.Transport;
import io.tidemark.transport.TransportFactory;
import io.tidemark.wire.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentTerminationException;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * The duty cycle of a client: the network, then what application threads asked for, then senders, fetchers and calls,
 * then one flush. It owns everything below it; application threads reach it by {@link #execute}, {@link #wakeUp} and
 * what is published.
 */
final class ClientAgent implements Agent, IdleStrategy {
    private static final long PARK_IDLE_NS = 100_000_000L;
    private static final long PARK_BUSY_NS = 10_000_000L;
    private static final long DEADLINES_NS = 20_000_000L;
    private static final int COMMANDS_PER_CYCLE_MAX = 256;
    private static final long AWAIT_MS = 100;

    /**
     * What the parts of a client share.
     *
     * @param agent that drives them
     * @param links to the brokers; owned by the client's thread
     * @param metadata owned by the client's thread
     * @param calls owned by the client's thread
     * @param requestTimeoutNs longest wait for a reply
     * @param clocks time
     */
    record Context(
            ClientAgent agent,
            BrokerLinks links,
            Metadata metadata,
            Calls calls,
            long requestTimeoutNs,
            Clocks clocks) {
        /**
         * Monotonic time.
         *
         * @return any thread
         */
        NanoClock clock() {
            return clocks.nanoClock();
        }

        /**
         * Time of day, for records.
         *
         * @return any thread
         */
        EpochClock epochClock() {
            return clocks.epochClock();
        }
    }

    /**
     * Time.
     *
     * @param nanoClock monotonic, in nanoseconds
     * @param epochClock milliseconds since 1970
     */
    record Clocks(NanoClock nanoClock, EpochClock epochClock) {}

    private final List<HostPort> bootstrap;
    private final ClientConfig config;
    private final TransportFactory transports;
    private final Clocks clocks;
    private final Queue<Runnable> commands = new ConcurrentLinkedQueue<>();
    private final List<ClientProducer> producers = new ArrayList<>();
    private final List<ClientConsumer> consumers = new ArrayList<>();
    private final List<TopicWait> topicWaits = new ArrayList<>();
    private final CompletableFuture<Context> started = new CompletableFuture<>();
    private volatile @Nullable Transport transport;
    private volatile @Nullable Thread thread;
    private volatile @Nullable TidemarkException ended;
    private @Nullable Context context;
    private long deadlinesAtNs;
    private long parkNs = PARK_IDLE_NS;

    /**
     * An agent that was not started.
     *
     * @param bootstrap addresses that the client was given
     * @param config times
     * @param transports opens the client's network
     * @param clocks time
     */
    ClientAgent(List<HostPort> bootstrap, ClientConfig config, TransportFactory transports, Clocks clocks) {
        this.bootstrap = bootstrap;
        this.config = config;
        this.transports = transports;
        this.clocks = clocks;
    }

    /**
     * What the parts share, once the agent has started.
     *
     * @return completed on the client's thread
     */
    CompletableFuture<Context> started() {
        return started;
    }

    @Override
    public String roleName() {
        return "tidemark-client";
    }

    @Override
    public void onStart() {
        thread = Thread.currentThread();
        final Transport opened = transports.open(roleName());
        transport = opened;
        final BrokerLinks links = new BrokerLinks(bootstrap, opened, Deadlines.durationNs(config.connectTimeout()));
        deadlinesAtNs = clocks.nanoClock().nanoTime();
        final Context made = new Context(
                this, links, new Metadata(), new Calls(links), Deadlines.durationNs(config.requestTimeout()), clocks);
        context = made;
        started.complete(made);
    }

    @Override
    public int doWork() {
        try {
            return cycle();
        } catch (RuntimeException e) {
            throw new AgentTerminationException(e);
        }
    }

    private int cycle() {
        final Context current = context();
        final Transport network = transport();
        int work = network.poll();
        for (int i = 0; i < COMMANDS_PER_CYCLE_MAX; i++) {
            final Runnable command = commands.poll();
            if (command == null) {
                break;
            }
            command.run();
            work++;
        }
        final long nowNs = clocks.nanoClock().nanoTime();
        current.metadata.tick(current.calls, nowNs);
        long idleNs = PARK_IDLE_NS;
        for (int i = 0; i < producers.size(); i++) {
            final Sender sender = producers.get(i).sender();
            work += sender.tick(nowNs);
            idleNs = Math.min(idleNs, sender.idleNs(nowNs));
        }
        for (int i = 0; i < consumers.size(); i++) {
            work += consumers.get(i).fetcher().tick(nowNs);
            idleNs = Math.min(idleNs, consumers.get(i).fetcher().idleNs());
        }
        topicWaits.removeIf(wait -> wait.tick(current.metadata, nowNs));
        current.calls.tick(current.metadata.view(), nowNs);
        if (Deadlines.passed(nowNs, deadlinesAtNs)) {
            deadlinesAtNs = Deadlines.after(nowNs, DEADLINES_NS);
            current.links.checkDeadlines(nowNs);
        }
        current.links.flush();
        final boolean busy = current.calls.isBusy() || !topicWaits.isEmpty();
        parkNs = Math.min(idleNs, busy ? PARK_BUSY_NS : PARK_IDLE_NS);
        return work;
    }

    @Override
    public void idle(int workCount) {
        if (workCount <= 0) {
            idle();
        }
    }

    @Override
    public void idle() {
        try {
            transport().park(parkNs);
        } catch (RuntimeException e) {
            throw new AgentTerminationException(e);
        }
    }

    @Override
    public void reset() {
        // Keeps no state from one wait to the next.
    }

    @Override
    public void onClose() {
        final TidemarkException why = new ClientClosedException("the client is closed");
        ended = why;
        final Context current = context;
        started.completeExceptionally(why);
        if (current != null) {
            runCommandsToTheLast();
        }
        consumers.forEach(consumer -> consumer.end(why));
        producers.forEach(producer -> producer.end(why));
        topicWaits.forEach(wait -> wait.result().completeExceptionally(why));
        if (current != null) {
            current.calls.failAll(why);
            current.links.dropAll("the client is closed");
        }
        final Transport network = transport;
        if (network != null) {
            network.close();
        }
    }

    /** Producers and calls that were added but not seen yet must be ended like the others. */
    private void runCommandsToTheLast() {
        Runnable command = commands.poll();
        while (command != null) {
            command.run();
            command = commands.poll();
        }
    }

    private Context context() {
        final Context current = context;
        if (current == null) {
            throw new IllegalStateException("the client's agent was not started");
        }
        return current;
    }

    private Transport transport() {
        final Transport current = transport;
        if (current == null) {
            throw new IllegalStateException("the client's agent was not started");
        }
        return current;
    }

    /**
     * What is known of the cluster. Any thread, once started.
     *
     * @return an immutable view
     */
    ClusterView view() {
        return started.join().metadata.view();
    }

    /** Makes the agent look at its queues soon. Any thread. */
    void wakeUp() {
        final Transport current = transport;
        if (current != null) {
            current.wakeUp();
        }
    }

    /**
     * Whether the calling thread is the client's, as in a callback.
     *
     * @return then nothing may block
     */
    boolean isOwnThread() {
        return Thread.currentThread() == thread;
    }

    /**
     * Runs something on the client's thread. Any thread.
     *
     * @param command short, never blocking
     * @throws ClientClosedException if the client is closed
     */
    void execute(Runnable command) {
        checkOpen();
        commands.add(command);
        // Once more: a command that came after the last look at the queue is never run.
        checkOpen();
        wakeUp();
    }

    private void checkOpen() {
        final TidemarkException why = ended;
        if (why != null) {
            throw why;
        }
    }

    /**
     * Runs something on the client's thread and waits for what it gives. Any thread but the client's.
     *
     * @param question short, never blocking
     * @param <T> kind of result
     * @return the result
     * @throws ClientClosedException if the client is closed
     */
    <T> T inspect(Supplier<T> question) {
        final CompletableFuture<T> result = new CompletableFuture<>();
        execute(() -> result.complete(question.get()));
        return await(result);
    }

    /**
     * Makes a call and waits for its answer. Any thread but the client's.
     *
     * @param call not begun before
     * @param <T> kind of answer
     * @return the answer
     * @throws TidemarkException if it failed
     */
    <T> T ask(Call<T> call) {
        execute(() -> context().calls.add(call));
        return await(call.result());
    }

    /**
     * Waits for something that the client's thread completes. Any thread but the client's.
     *
     * @param future that ends by a deadline of its own, or with the client
     * @param <T> kind of result
     * @return the result
     * @throws TidemarkException if it failed
     */
    <T> T await(CompletableFuture<T> future) {
        if (isOwnThread()) {
            throw new IllegalStateException("a blocking call was made from a callback: it would wait for itself");
        }
        while (true) {
            try {
                return future.get(AWAIT_MS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                final TidemarkException why = ended;
                if (why != null && !future.isDone()) {
                    throw why;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new TidemarkException(ErrorCode.REQUEST_TIMED_OUT, "interrupted while waiting", e);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof TidemarkException failure) {
                    throw failure;
                }
                throw new IllegalStateException("the client failed: cause=" + e.getCause(), e);
            }
        }
    }

    /**
     * Waits until a topic is known. Any thread.
     *
     * @param topic name
     * @param timeoutNs longest wait
     * @return what is known of it
     * @throws UnknownTopicException if the brokers do not know it, or if this is the client's thread, which cannot wait
     */
    TopicDescription awaitTopic(String topic, long timeoutNs) {
        final TopicDescription known = view().topic(topic);
        if (known != null) {
            execute(() -> context().metadata.add(topic));
            return known;
        }
        if (isOwnThread()) {
            throw new UnknownTopicException("topic not known yet: topic=" + topic
                    + "; a callback cannot wait, so send to a topic elsewhere first");
        }
        final TopicWait wait = new TopicWait(topic, clocks.nanoClock().nanoTime(), timeoutNs);
        execute(() -> {
            context().metadata.add(topic);
            topicWaits.add(wait);
        });
        return await(wait.result());
    }

    /**
     * Drives a producer from now on. Any thread.
     *
     * @param producer new
     */
    void add(ClientProducer producer) {
        execute(() -> producers.add(producer));
    }

    /**
     * Ends a producer. Any thread but the client's; does nothing if the client is closed.
     *
     * @param producer flushed
     */
    void remove(ClientProducer producer) {
        end(() -> {
            producers.remove(producer);
            producer.end(new ClientClosedException("the producer is closed"));
        });
    }

    /**
     * Drives a consumer from now on. Any thread.
     *
     * @param consumer new
     */
    void add(ClientConsumer consumer) {
        execute(() -> consumers.add(consumer));
    }

    /**
     * Ends a consumer. Any thread but the client's; does nothing if the client is closed.
     *
     * @param consumer of this client
     */
    void remove(ClientConsumer consumer) {
        end(() -> {
            consumers.remove(consumer);
            consumer.end(new ClientClosedException("the consumer is closed"));
        });
    }

    private void end(Runnable ending) {
        if (ended != null) {
            return;
        }
        try {
            inspect(() -> {
                ending.run();
                return true;
            });
        } catch (ClientClosedException e) {
            // The client ended meanwhile, and everything with it: that is what was wanted.
            ended = e;
        }
    }
}

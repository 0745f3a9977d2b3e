package io.tidemark.client;

import io.tidemark.transport.TransportFactory;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import org.agrona.concurrent.AgentRunner;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A client: its agent on a thread of its own. Any thread. */
final class TidemarkClient implements Client {
    private static final Logger LOG = LoggerFactory.getLogger(TidemarkClient.class);

    private final ClientAgent agent;
    private final AgentRunner runner;
    private final ClientAgent.Context context;
    private final ClientAdmin admin;

    private TidemarkClient(ClientAgent agent, AgentRunner runner, ClientAgent.Context context) {
        this.agent = agent;
        this.runner = runner;
        this.context = context;
        this.admin = new ClientAdmin(context);
    }

    /**
     * Starts a client and waits until a broker has told about the cluster.
     *
     * @param addresses of brokers
     * @param config times
     * @param transports opens the network
     * @param clocks time
     * @return the client
     * @throws BrokersUnreachableException if none did in time
     */
    static TidemarkClient connect(
            List<HostPort> addresses, ClientConfig config, TransportFactory transports, ClientAgent.Clocks clocks) {
        final ClientAgent agent = new ClientAgent(addresses, config, transports, clocks);
        final AgentRunner runner = new AgentRunner(
                agent, e -> LOG.error("the client's thread ended; the client is of no use any more", e), null, agent);
        AgentRunner.startOnThread(runner, task -> {
            final Thread thread = Executors.defaultThreadFactory().newThread(task);
            thread.setDaemon(true);
            return thread;
        });
        boolean connected = false;
        try {
            final ClientAgent.Context context = agent.started().join();
            final long deadlineNs =
                    Deadlines.after(clocks.nanoClock().nanoTime(), Deadlines.durationNs(config.connectTimeout()));
            final MetadataReplyReader reply = firstMetadata(agent, context, addresses, deadlineNs, config);
            agent.inspect(() -> {
                context.metadata().learn(reply);
                return true;
            });
            connected = true;
            return new TidemarkClient(agent, runner, context);
        } finally {
            if (!connected) {
                runner.close();
            }
        }
    }

    private static MetadataReplyReader firstMetadata(
            ClientAgent agent,
            ClientAgent.Context context,
            List<HostPort> addresses,
            long deadlineNs,
            ClientConfig config) {
        try {
            return agent.ask(new MetadataCall(Set.of(), 0, deadlineNs));
        } catch (TidemarkException e) {
            final String failures = agent.inspect(() -> context.links().failures());
            throw new BrokersUnreachableException("no broker answered: addresses=" + addresses + ", connectTimeoutMs="
                    + config.connectTimeout().toMillis() + ", failures=[" + failures
                    + "]; check that brokers are running there");
        }
    }

    @Override
    public Producer producer(ProducerConfig config) {
        final ClientProducer producer = new ClientProducer(config, context);
        agent.add(producer);
        return producer;
    }

    @Override
    public Consumer consumer(ConsumerConfig config) {
        final ClientConsumer consumer = new ClientConsumer(config, context);
        agent.add(consumer);
        return consumer;
    }

    @Override
    public Admin admin() {
        return admin;
    }

    @Override
    public void close() {
        if (agent.isOwnThread()) {
            throw new IllegalStateException("the client was closed from a callback: it would wait for itself");
        }
        runner.close();
    }
}

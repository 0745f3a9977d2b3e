package io.tidemark.client;

import io.tidemark.transport.TransportFactory;
import io.tidemark.wire.ErrorCode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/** A client without a thread: the production's agent and what it drives, for somebody to step. Nothing here blocks. */
public final class SteppedClient {
    private final ClientAgent agent;
    private final ClientConfig config;
    private final NanoClock clock;

    /** An agent that was not started. */
    public SteppedClient(
            String bootstrap, ClientConfig config, TransportFactory transports, NanoClock clock, EpochClock epoch) {
        this.config = config;
        this.clock = clock;
        agent = new ClientAgent(HostPort.parse(bootstrap), config, transports, new ClientAgent.Clocks(clock, epoch));
    }

    /** The agent to step. */
    public Agent agent() {
        return agent;
    }

    /** What the agent's runner does when there was nothing to do. */
    public void park() {
        agent.idle(0);
    }

    /** Asks for a topic; ends with whether it is there, or with why that is not known. */
    public CompletableFuture<Boolean> createTopic(String name, int partitions, int replicationFactor, int minIsr) {
        ClientAgent.Context context = agent.started().join();
        int timeoutMs = (int) config.requestTimeout().toMillis();
        NewTopic topic = NewTopic.builder(name)
                .partitions(partitions)
                .replicationFactor(replicationFactor)
                .minIsr(minIsr)
                .build();
        AdminCall call = new AdminCall(
                "create topic " + name,
                AdminRequests.createTopic(topic, timeoutMs / 4 * 3),
                ErrorCode.TOPIC_EXISTS,
                context.metadata(),
                clock.nanoTime() + config.requestTimeout().toNanos());
        agent.execute(() -> context.calls().add(call));
        return call.result().thenApply(answer -> true);
    }

    /** Keeps a topic's leaders known from now on, and asks for them at once. */
    public void follow(String topic) {
        Metadata metadata = agent.started().join().metadata();
        agent.execute(() -> {
            metadata.add(topic);
            metadata.refresh();
        });
    }

    /** The partitions of a topic, or null as long as the client does not know it. */
    public @Nullable List<PartitionDescription> partitions(String topic) {
        TopicDescription known = agent.view().topic(topic);
        return known == null ? null : known.partitions();
    }

    /** A producer that is driven by this client. */
    public Producer producer(ProducerConfig producerConfig) {
        ClientProducer producer =
                new ClientProducer(producerConfig, agent.started().join());
        agent.add(producer);
        return producer;
    }

    /** A consumer that is driven by this client. */
    public Consumer consumer(ConsumerConfig consumerConfig) {
        ClientConsumer consumer =
                new ClientConsumer(consumerConfig, agent.started().join());
        agent.add(consumer);
        return consumer;
    }
}

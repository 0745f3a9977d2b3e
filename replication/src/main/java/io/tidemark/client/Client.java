package io.tidemark.client;

import io.tidemark.log.JvmFlags;
import io.tidemark.transport.NettyTransport;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * A client of a cluster: one thread and its connections, shared by the producers, consumers and the admin opened from
 * it.
 *
 * <pre>{@code
 * try (Client client = Client.connect("127.0.0.1:9092")) {
 *     client.admin().createTopic("orders", 3, 3);
 *     Producer producer = client.producer();
 *     producer.send("orders", key, value).get();
 *     Consumer consumer = client.consumer();
 *     consumer.assign("orders");
 *     List<ConsumedRecord> records = consumer.poll(Duration.ofSeconds(1));
 * }
 * }</pre>
 *
 * Any thread.
 */
public interface Client extends AutoCloseable {
    /**
     * Connects with the default configuration.
     *
     * @param target as {@link #connect(String, ClientConfig)}
     * @return the client, to be closed by the caller
     */
    static Client connect(String target) {
        return connect(target, ClientConfig.builder().build());
    }

    /**
     * Finds a cluster and connects to it. Blocks until one broker has told about the cluster.
     *
     * @param target addresses of brokers, {@code host:port} separated by commas, of which one that answers is enough;
     *     or the URI of the coordination service, from which the addresses are read once
     * @param config times
     * @return the client, to be closed by the caller
     * @throws BrokersUnreachableException if no broker answered in {@link ClientConfig#connectTimeout()}, naming the
     *     addresses and the time
     * @throws IllegalArgumentException if the target is neither
     * @throws IllegalStateException if the JVM lacks the flag that Tidemark needs, naming it
     */
    static Client connect(String target, ClientConfig config) {
        JvmFlags.require();
        return TidemarkClient.connect(
                BrokerAddresses.of(target, config),
                config,
                NettyTransport.factory(),
                new ClientAgent.Clocks(SystemNanoClock.INSTANCE, SystemEpochClock.INSTANCE));
    }

    /**
     * Opens a producer with the default configuration.
     *
     * @return the producer; closed with the client at the latest
     */
    default Producer producer() {
        return producer(ProducerConfig.builder().build());
    }

    /**
     * Opens a producer.
     *
     * @param config of the producer
     * @return the producer; closed with the client at the latest
     */
    Producer producer(ProducerConfig config);

    /**
     * Opens a consumer with the default configuration.
     *
     * @return the consumer; closed with the client at the latest
     */
    default Consumer consumer() {
        return consumer(ConsumerConfig.builder().build());
    }

    /**
     * Opens a consumer.
     *
     * @param config of the consumer
     * @return the consumer; closed with the client at the latest
     */
    Consumer consumer(ConsumerConfig config);

    /**
     * Administration of the cluster.
     *
     * @return lives as long as the client
     */
    Admin admin();

    /**
     * Closes consumers, then producers (what is still under way fails with {@link ClientClosedException}; flush first
     * to wait for it), then the connections and the thread. Idempotent; takes a few seconds at most. Must not be
     * called from a callback.
     */
    @Override
    void close();
}

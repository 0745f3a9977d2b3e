package io.tidemark.client;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Appends records to topics. Any thread.
 *
 * <p>Records are collected in one batch per partition and sent by the client's thread, up to five batches per
 * partition ahead of their answers. While those are under way the next batch fills by itself, so that batches grow
 * with the load. Failed sends are repeated until the delivery timeout. With an idempotent producer (the default with
 * acks ALL) a repeated batch is stored once and in its order; without, it may be stored twice, or after batches that
 * were sent later.
 *
 * <p>Each send is completed exactly once, per partition in the order of sending: with a position, or with a {@link
 * TidemarkException}. {@link DeliveryTimeoutException} means that the outcome is unknown; with other exceptions the
 * record was not stored.
 *
 * <p>Key and value are copied before a send returns. Memory for records under way is bounded ({@link
 * ProducerConfig#bufferBytes()}): when it is used up a send waits, at most {@link ProducerConfig#blockTimeout()}, and
 * then throws {@link BackPressureException}; called from a callback on the client's thread it throws at once.
 */
public interface Producer extends AutoCloseable {
    /**
     * Sends a record to the partition that its key selects (the murmur2 hash that Kafka's producer uses), or in turn to
     * each partition that has a leader if there is no key.
     *
     * @param topic name
     * @param key or null
     * @param value or null
     * @return completed by the client's thread; fails with {@link UnknownTopicException} if no broker knows the topic
     * @throws BackPressureException if there was no memory for it in time; the record is not sent
     * @throws ClientClosedException if the producer or its client is closed
     * @throws IllegalArgumentException if the record is larger than a batch may be
     */
    CompletableFuture<RecordPosition> send(String topic, byte @Nullable [] key, byte @Nullable [] value);

    /**
     * Sends a record to a given partition.
     *
     * @param topic name
     * @param partition from 0
     * @param key or null
     * @param value or null
     * @return as {@link #send(String, byte[], byte[])}
     * @throws BackPressureException if there was no memory for it in time; the record is not sent
     * @throws ClientClosedException if the producer or its client is closed
     * @throws IllegalArgumentException if the topic has no such partition, naming topic, partition and count, or the
     *     record is larger than a batch may be; the record is not sent
     */
    CompletableFuture<RecordPosition> send(String topic, int partition, byte @Nullable [] key, byte @Nullable [] value);

    /**
     * As {@link #send(String, byte[], byte[])}, with a callback instead of a future: allocates less.
     *
     * @param topic name
     * @param key or null
     * @param value or null
     * @param callback hears the outcome
     */
    void send(String topic, byte @Nullable [] key, byte @Nullable [] value, SendCallback callback);

    /**
     * As {@link #send(String, int, byte[], byte[])}, with a callback instead of a future: allocates less.
     *
     * @param topic name
     * @param partition from 0
     * @param key or null
     * @param value or null
     * @param callback hears the outcome
     */
    void send(String topic, int partition, byte @Nullable [] key, byte @Nullable [] value, SendCallback callback);

    /**
     * Sends what is collected without waiting for linger, and waits until everything sent before this call is
     * completed. Ends within the delivery timeout. Must not be called from a callback.
     */
    void flush();

    /**
     * Flushes, then closes. Ends within the delivery timeout; idempotent. The client stays open. What is still under
     * way when the client itself is closed fails with {@link ClientClosedException}.
     */
    @Override
    void close();
}

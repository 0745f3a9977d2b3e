package io.tidemark.client;

import io.tidemark.log.BatchBuilder;
import io.tidemark.wire.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * The application's side of a producer: routes records and puts them into the queues of their partitions. Any thread.
 */
final class ClientProducer implements Producer {
    /** Bytes of a batch before its first record. */
    private static final int BATCH_HEADER_BYTES = 61;

    private final ProducerConfig config;
    private final ClientAgent agent;
    private final NanoClock clock;
    private final EpochClock epochClock;
    private final BatchPool pool;
    private final Sender sender;
    private final ConcurrentHashMap<String, TopicQueues> topics = new ConcurrentHashMap<>();
    private final long blockTimeoutNs;
    private final long deliveryTimeoutNs;

    /**
     * A lock, since threads that flush must wait for the client's thread. It is touched per batch only while somebody
     * flushes.
     */
    private final ReentrantLock flushLock = new ReentrantLock();

    private final Condition completed = flushLock.newCondition();
    private volatile boolean closed;
    private volatile @Nullable TidemarkException ended;

    /**
     * A producer; its sender is to be driven by the agent.
     *
     * @param config of it
     * @param context of the client
     */
    ClientProducer(ProducerConfig config, ClientAgent.Context context) {
        this.config = config;
        this.agent = context.agent();
        this.clock = context.clock();
        this.epochClock = context.epochClock();
        this.pool = new BatchPool(config.batchBytes(), config.bufferBytes());
        this.sender = new Sender(config, pool, context, this::onCompleted);
        this.blockTimeoutNs = Deadlines.durationNs(config.blockTimeout());
        this.deliveryTimeoutNs = Deadlines.durationNs(config.deliveryTimeout());
    }

    /**
     * The client's side of this producer.
     *
     * @return owned by the client's thread
     */
    Sender sender() {
        return sender;
    }

    @Override
    public CompletableFuture<RecordPosition> send(String topic, byte @Nullable [] key, byte @Nullable [] value) {
        final CompletableFuture<RecordPosition> future = new CompletableFuture<>();
        route(topic, key, value, future);
        return future;
    }

    @Override
    public CompletableFuture<RecordPosition> send(
            String topic, int partition, byte @Nullable [] key, byte @Nullable [] value) {
        final CompletableFuture<RecordPosition> future = new CompletableFuture<>();
        put(topic, partition, key, value, future);
        return future;
    }

    @Override
    public void send(String topic, byte @Nullable [] key, byte @Nullable [] value, SendCallback callback) {
        route(topic, key, value, callback);
    }

    @Override
    public void send(
            String topic, int partition, byte @Nullable [] key, byte @Nullable [] value, SendCallback callback) {
        put(topic, partition, key, value, callback);
    }

    private void route(String topic, byte @Nullable [] key, byte @Nullable [] value, Object completion) {
        final TopicQueues queues = queues(topic, key, value, completion);
        if (queues != null) {
            append(queues.select(agent.view(), key), key, value, completion);
        }
    }

    private void put(String topic, int partition, byte @Nullable [] key, byte @Nullable [] value, Object completion) {
        final TopicQueues queues = queues(topic, key, value, completion);
        if (queues != null) {
            append(queues.explicit(agent.view(), partition), key, value, completion);
        }
    }

    private @Nullable TopicQueues queues(
            String topic, byte @Nullable [] key, byte @Nullable [] value, Object completion) {
        checkOpen();
        final long size = BATCH_HEADER_BYTES
                + BatchBuilder.sizeBound(key == null ? -1 : key.length, value == null ? -1 : value.length);
        if (size > config.batchBytes()) {
            throw new IllegalArgumentException("record too large: topic=" + topic + ", sizeBytes=" + size
                    + ", batchBytes=" + config.batchBytes() + "; raise batchBytes or send less in one record");
        }
        final TopicQueues known = topics.get(topic);
        if (known != null) {
            return known;
        }
        try {
            agent.awaitTopic(topic, blockTimeoutNs);
        } catch (UnknownTopicException e) {
            failOne(completion, e);
            return null;
        }
        return topics.computeIfAbsent(topic, name -> new TopicQueues(name, pool, deliveryTimeoutNs));
    }

    @SuppressWarnings("unchecked")
    private static void failOne(Object completion, TidemarkException failure) {
        if (completion instanceof SendCallback callback) {
            callback.onDone(null, failure);
        } else {
            ((CompletableFuture<RecordPosition>) completion).completeExceptionally(failure);
        }
    }

    private void append(PartitionQueue queue, byte @Nullable [] key, byte @Nullable [] value, Object completion) {
        final long nowNs = clock.nanoTime();
        final long timestamp = epochClock.time();
        long deadlineNs = 0;
        boolean waited = false;
        while (true) {
            switch (queue.append(nowNs, timestamp, key, value, completion)) {
                case YES -> {
                    return;
                }
                case YES_WAKE -> {
                    sender.list(queue);
                    agent.wakeUp();
                    return;
                }
                case CLOSED -> throw closedException();
                case NO_MEMORY -> {
                    if (!waited) {
                        waited = true;
                        deadlineNs = Deadlines.after(nowNs, blockTimeoutNs);
                        agent.wakeUp();
                    }
                    awaitMemory(queue, deadlineNs);
                }
            }
        }
    }

    private void awaitMemory(PartitionQueue queue, long deadlineNs) {
        try {
            if (!agent.isOwnThread() && pool.await(clock, deadlineNs)) {
                checkOpen();
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        checkOpen();
        throw new BackPressureException("no memory for a record in time: topic=" + queue.topic() + ", partition="
                + queue.partition() + ", bufferBytes=" + config.bufferBytes() + ", blockTimeout="
                + config.blockTimeout() + "; send more slowly, or raise bufferBytes");
    }

    private void checkOpen() {
        if (closed) {
            throw closedException();
        }
    }

    private TidemarkException closedException() {
        final TidemarkException why = ended;
        return why != null ? why : new ClientClosedException("the producer is closed");
    }

    @Override
    public void flush() {
        if (agent.isOwnThread()) {
            throw new IllegalStateException("flush called from a callback: it would wait for itself");
        }
        final List<PartitionQueue> queues = allQueues();
        final long[] targets = new long[queues.size()];
        for (int i = 0; i < targets.length; i++) {
            targets[i] = queues.get(i).appendedCount();
        }
        sender.flushers().incrementAndGet();
        agent.wakeUp();
        flushLock.lock();
        try {
            for (int i = 0; i < targets.length; i++) {
                while (queues.get(i).completedCount() - targets[i] < 0 && ended == null) {
                    completed.await();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TidemarkException(ErrorCode.REQUEST_TIMED_OUT, "interrupted while flushing", e);
        } finally {
            flushLock.unlock();
            sender.flushers().decrementAndGet();
        }
    }

    private List<PartitionQueue> allQueues() {
        final List<PartitionQueue> all = new ArrayList<>();
        topics.values().forEach(queues -> queues.addTo(all));
        return all;
    }

    private void onCompleted() {
        if (sender.flushers().get() > 0) {
            flushLock.lock();
            try {
                completed.signalAll();
            } finally {
                flushLock.unlock();
            }
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        flush();
        agent.remove(this);
    }

    /**
     * Fails what is not completed. The client's thread only.
     *
     * @param failure why
     */
    void end(TidemarkException failure) {
        closed = true;
        ended = failure;
        sender.failAll(allQueues(), failure);
        flushLock.lock();
        try {
            completed.signalAll();
        } finally {
            flushLock.unlock();
        }
    }

    @Override
    public String toString() {
        return "Producer[acks=" + config.acks() + ", deliveryTimeoutMs="
                + TimeUnit.NANOSECONDS.toMillis(deliveryTimeoutNs) + "]";
    }
}

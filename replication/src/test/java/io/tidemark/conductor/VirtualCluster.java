package io.tidemark.conductor;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import io.tidemark.coordination.local.LocalFaults;
import io.tidemark.coordination.local.LocalStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;

/**
 * The in-memory coordination service on a virtual clock, with everything run in the test's thread: calls end at once,
 * and what the conductor's parts leave in their queue runs when the test says so.
 */
final class VirtualCluster implements AutoCloseable {
    static final Duration TTL = Duration.ofSeconds(6);
    private static final Duration STEP = Duration.ofMillis(10);
    private static final int QUEUE_CAPACITY = 4096;

    private final LocalStore store;
    private final List<ConductorQueue> queues = new ArrayList<>();
    private final List<LongConsumer> ticks = new ArrayList<>();
    private final RandomGenerator random = new SplittableRandom(7);
    private long nowNs = 1_000_000_000L;

    VirtualCluster() {
        store = LocalStore.create(() -> nowNs);
    }

    LocalFaults faults() {
        return store.faults();
    }

    RandomGenerator random() {
        return random;
    }

    long nowNs() {
        return nowNs;
    }

    Coordination client(String name) {
        return store.connect(CoordinationConfig.builder()
                .clientName(name)
                .callbackExecutor(Runnable::run)
                .nanoClock(() -> nowNs)
                .operationTimeout(Duration.ofSeconds(1))
                .build());
    }

    /** A queue that {@link #settle} drains, as its agent would. */
    ConductorQueue queue(String name) {
        ConductorQueue queue = new ConductorQueue(name, QUEUE_CAPACITY);
        queues.add(queue);
        return queue;
    }

    /** Has something called with the time in each step, as an agent's duty cycle would. */
    void onTick(LongConsumer tick) {
        ticks.add(tick);
    }

    /** Runs everything that is left to do at this moment. */
    void settle() {
        int count;
        do {
            count = 0;
            for (ConductorQueue queue : queues) {
                count += queue.drain(QUEUE_CAPACITY);
            }
        } while (count > 0);
    }

    /** Lets time pass. */
    void advance(Duration time) {
        long endNs = nowNs + time.toNanos();
        settle();
        while (nowNs < endNs) {
            nowNs = Math.min(endNs, nowNs + STEP.toNanos());
            store.tick();
            settle();
            for (LongConsumer tick : List.copyOf(ticks)) {
                tick.accept(nowNs);
            }
            settle();
        }
    }

    /** Lets time pass until something is true, for at most a minute. */
    void await(String what, BooleanSupplier condition) {
        settle();
        for (int i = 0; i < 6000 && !condition.getAsBoolean(); i++) {
            advance(STEP);
        }
        assertTrue(condition.getAsBoolean(), () -> "did not happen within a virtual minute: " + what);
    }

    /** The entry of a key, as another client sees it. */
    Optional<Entry> entry(Key key) {
        try (Coordination reader = client("reader")) {
            return reader.get(key, ReadMode.LINEARIZABLE).toCompletableFuture().join();
        }
    }

    /** Writes as another client. */
    TxnResult commit(Txn txn) {
        try (Coordination writer = client("writer")) {
            return writer.commit(txn).toCompletableFuture().join();
        }
    }

    /** Writes as a client that stays, such as the owner of a session. */
    TxnResult commitAs(Coordination writer, Txn txn) {
        return writer.commit(txn).toCompletableFuture().join();
    }

    /** Sets a key to a text, whatever it was. */
    void put(Key key, String text) {
        byte[] value = text.getBytes(StandardCharsets.UTF_8);
        Optional<Entry> found = entry(key);
        Txn.Builder txn = Txn.builder();
        if (found.isPresent()) {
            txn.update(key, value, found.get().version());
        } else {
            txn.create(key, value);
        }
        assertTrue(commit(txn.build()).isCommitted());
    }

    /** Deletes a key that is there. */
    void delete(Key key) {
        Entry found = entry(key).orElseThrow();
        assertTrue(commit(Txn.builder().delete(key, found.version()).build()).isCommitted());
    }

    @Override
    public void close() {
        store.close();
    }
}

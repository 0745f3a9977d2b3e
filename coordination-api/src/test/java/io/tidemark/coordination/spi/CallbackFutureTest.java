package io.tidemark.coordination.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.coordination.Await;
import io.tidemark.coordination.CoordinationConfig;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Where results call back, and who may wait for them. */
final class CallbackFutureTest {
    private final Queue<Runnable> tasks = new ArrayDeque<>();

    @Test
    void shouldWakeWaitersBeforeTheExecutorRuns() throws Exception {
        CallbackFuture<String> future = new CallbackFuture<>(tasks::add);
        List<String> seen = new ArrayList<>();
        CompletableFuture<Void> dependent = future.thenAccept(seen::add);
        assertTrue(future.settle("value"));
        assertEquals("value", future.join());
        assertEquals("value", future.get());
        assertEquals("value", future.get(1, TimeUnit.SECONDS));
        assertTrue(future.isSettled());
        assertFalse(dependent.isDone(), "what hangs on the result waits for the executor");
        tasks.remove().run();
        assertEquals(List.of("value"), seen);
        assertTrue(tasks.isEmpty());
    }

    // Also through the combinations of futures that the caller owns.
    @Test
    void shouldRunCombinationsOnTheExecutor() {
        CallbackFuture<String> future = new CallbackFuture<>(tasks::add);
        CompletableFuture<String> composed =
                CompletableFuture.completedFuture("x").thenCompose(x -> future);
        CompletableFuture<Void> all = CompletableFuture.allOf(future);
        future.settle("value");
        assertFalse(composed.isDone() || all.isDone());
        tasks.remove().run();
        assertTrue(composed.isDone() && all.isDone());
    }

    @Test
    void shouldEndOnlyOnce() {
        CallbackFuture<String> future = new CallbackFuture<>(tasks::add);
        IllegalStateException failure = new IllegalStateException("planned");
        assertTrue(future.fail(failure));
        assertFalse(future.settle("late"));
        assertFalse(future.fail(new IllegalStateException("late")));
        assertFalse(future.complete("late"));
        assertFalse(future.cancel(true));
        assertSame(
                failure, assertThrows(CompletionException.class, future::join).getCause());
        assertSame(failure, assertThrows(ExecutionException.class, future::get).getCause());
        assertEquals(1, tasks.size());
    }

    @Test
    void shouldLetTheHolderCompleteIt() {
        CallbackFuture<String> future = new CallbackFuture<>(tasks::add);
        assertThrows(TimeoutException.class, () -> future.get(1, TimeUnit.NANOSECONDS));
        assertTrue(future.cancel(true));
        assertFalse(future.settle("late"));
        assertTrue(future.isCancelled() && future.isDone());
    }

    @Test
    void shouldLoseNoTaskWhenTheExecutorHasEnded() {
        CallbackExecutor executor = new CallbackExecutor(CoordinationConfig.defaults());
        executor.close();
        executor.close();
        CallbackFuture<String> future = new CallbackFuture<>(executor);
        future.settle("value");
        assertTrue(future.isDone());
    }

    // A callback may close its own client: it must not wait for itself.
    @Test
    void shouldCloseFromItsOwnThread() {
        CallbackExecutor executor = new CallbackExecutor(CoordinationConfig.defaults());
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        executor.execute(() -> {
            executor.close();
            closed.complete(true);
        });
        assertTrue(Await.value(closed));
    }

    @Test
    void shouldInterruptACallbackThatDoesNotEnd() {
        CompletableFuture<Throwable> reported = new CompletableFuture<>();
        CallbackExecutor executor = new CallbackExecutor(CoordinationConfig.builder()
                .operationTimeout(Duration.ofMillis(20))
                .callbackErrorHandler(reported::complete)
                .build());
        CountDownLatch never = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        executor.execute(() -> {
            try {
                never.await();
            } catch (InterruptedException expected) {
                interrupted.complete(true);
            }
        });
        executor.close();
        assertTrue(Await.value(interrupted));
        String message = String.valueOf(Await.value(reported).getMessage());
        assertTrue(message.startsWith("a coordination callback did not end in time and was interrupted:"), message);
    }

    @Test
    void shouldKeepTheOrderOfASerialExecutor() {
        List<Integer> order = new ArrayList<>();
        SerialExecutor serial = new SerialExecutor(tasks::add);
        serial.execute(() -> {
            order.add(1);
            serial.execute(() -> order.add(3));
        });
        serial.execute(() -> order.add(2));
        assertEquals(1, tasks.size(), "one at a time");
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        assertEquals(List.of(1, 2, 3), order);
    }
}

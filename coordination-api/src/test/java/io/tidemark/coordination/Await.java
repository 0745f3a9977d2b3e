package io.tidemark.coordination;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for conditions and results with a deadline; nothing here waits longer than needed. */
public final class Await {
    /** How long a test waits for what must come; generous, because it is only used up when a test fails. */
    public static final Duration DEADLINE = Duration.ofSeconds(30);

    private static final long POLL_NS = Duration.ofMillis(1).toNanos();

    private Await() {}

    /** Waits until a condition holds. */
    public static void until(Supplier<String> what, BooleanSupplier condition) {
        until(what, condition, () -> LockSupport.parkNanos(POLL_NS));
    }

    /** Waits until a condition holds, and lets time pass in a way of its own, such as by moving a virtual clock. */
    public static void until(Supplier<String> what, BooleanSupplier condition, Runnable passTime) {
        long beganNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - beganNs > DEADLINE.toNanos()) {
                throw new AssertionError("not reached within " + DEADLINE + ": " + what.get());
            }
            passTime.run();
        }
    }

    /** Waits for a result that is not null. */
    public static <T> T value(CompletionStage<T> stage) {
        try {
            return Objects.requireNonNull(
                    stage.toCompletableFuture().get(DEADLINE.toNanos(), TimeUnit.NANOSECONDS), "result");
        } catch (ExecutionException failed) {
            throw new AssertionError("the call failed", failed.getCause());
        } catch (TimeoutException late) {
            throw new AssertionError("no result within " + DEADLINE, late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", interrupted);
        }
    }

    /** Waits for the end of a call without a result. */
    public static void done(CompletionStage<?> stage) {
        value(stage.thenApply(ignored -> true));
    }

    /** Waits for a failure of one kind. */
    public static <X extends Throwable> X failure(Class<X> kind, CompletionStage<?> stage) {
        return assertInstanceOf(kind, ending(stage));
    }

    private static Throwable ending(CompletionStage<?> stage) {
        try {
            Object result = stage.toCompletableFuture().get(DEADLINE.toNanos(), TimeUnit.NANOSECONDS);
            throw new AssertionError("the call should have failed, but gave " + result);
        } catch (ExecutionException failed) {
            return Objects.requireNonNull(failed.getCause());
        } catch (TimeoutException late) {
            throw new AssertionError("no end within " + DEADLINE, late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", interrupted);
        }
    }
}

package io.tidemark.coordination.spi;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The result of a call, which a back end settles on any thread of its own. What hangs on it runs on the callback
 * executor; whoever waits for it with {@link #get} or {@link #join} is woken at once, without the executor, and so
 * may wait even inside a callback on the executor's only thread.
 *
 * <p>Back ends call {@link #settle} and {@link #fail}; the inherited methods are for the holder of the stage.
 *
 * @param <T> the type of the result
 */
public class CallbackFuture<T extends @Nullable Object> extends CompletableFuture<T> {
    private final CompletableFuture<T> settled = new CompletableFuture<>();
    private final Executor executor;

    /**
     * Makes an open result.
     *
     * @param executor runs what hangs on the result; must not refuse a task ({@link CallbackExecutor} never does)
     */
    public CallbackFuture(Executor executor) {
        this.executor = executor;
    }

    /**
     * Ends the call with a result, unless it has ended already.
     *
     * @param value the result, null only for a call without one
     * @return true if this ended it
     */
    public final boolean settle(@Nullable T value) {
        boolean first = settled.complete(value);
        if (first) {
            executor.execute(() -> super.complete(value));
        }
        return first;
    }

    /**
     * Ends the call with a failure, unless it has ended already.
     *
     * @param failure the reason
     * @return true if this ended it
     */
    public final boolean fail(Throwable failure) {
        boolean first = settled.completeExceptionally(failure);
        if (first) {
            executor.execute(() -> super.completeExceptionally(failure));
        }
        return first;
    }

    /**
     * Tells whether the call has ended, perhaps before its dependents ran.
     *
     * @return true if so
     */
    public final boolean isSettled() {
        return settled.isDone();
    }

    @Override
    public boolean complete(T value) {
        return settled.complete(value) && super.complete(value);
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        return settled.completeExceptionally(failure) && super.completeExceptionally(failure);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return settled.cancel(mayInterruptIfRunning) && super.cancel(mayInterruptIfRunning);
    }

    @Override
    public T join() {
        return settled.join();
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        return settled.get();
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        return settled.get(timeout, unit);
    }
}

package io.tidemark.conductor;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Continues calls to the coordination service on the conductor, whatever thread they end on. Stateless but for the
 * executor.
 */
final class CoordinationCalls {
    private final Executor conductor;

    /**
     * Makes the bridge.
     *
     * @param conductor runs tasks on the conductor
     */
    CoordinationCalls(Executor conductor) {
        this.conductor = conductor;
    }

    /**
     * Continues a call.
     *
     * @param <T> type of its result
     * @param stage the call
     * @param onResult is given its result, on the conductor
     * @param onFailure is given why there is none, unwrapped, on the conductor
     */
    <T> void then(CompletionStage<T> stage, Consumer<? super T> onResult, Consumer<Throwable> onFailure) {
        var unused = stage.whenComplete((result, failure) -> conductor.execute(() -> {
            if (failure == null) {
                onResult.accept(result);
            } else {
                onFailure.accept(unwrap(failure));
            }
        }));
    }

    /**
     * The failure below the wrappers of futures.
     *
     * @param failure as a future reported it
     * @return the failure itself
     */
    static Throwable unwrap(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}

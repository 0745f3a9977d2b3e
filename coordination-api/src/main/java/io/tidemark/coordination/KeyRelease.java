package io.tidemark.coordination;

import io.tidemark.coordination.TxnResult.Committed;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Removes a key that this process created, and no other that took its name: the creation is recognised by its
 * revision. Settles unknown outcomes by looking again, a limited number of times.
 */
final class KeyRelease {
    private static final int ATTEMPTS_MAX = 5;

    private final Coordination coordination;
    private final Key key;
    private final long createRevision;
    private final @Nullable Key guardKey;
    private final @Nullable Version guardVersion;

    /**
     * Prepares the removal.
     *
     * @param coordination where
     * @param key the key
     * @param createRevision the creation that is meant
     * @param guardKey a key that must not have moved, for a back end whose versions may repeat after a deletion; or
     *     null
     * @param guardVersion its version, or null
     */
    KeyRelease(
            Coordination coordination,
            Key key,
            long createRevision,
            @Nullable Key guardKey,
            @Nullable Version guardVersion) {
        this.coordination = coordination;
        this.key = key;
        this.createRevision = createRevision;
        this.guardKey = guardKey;
        this.guardVersion = guardVersion;
    }

    /**
     * Removes the key if it is there.
     *
     * @return completes when it is gone; fails when that could not be reached
     */
    CompletionStage<@Nullable Void> run() {
        return attempt(1);
    }

    private CompletableFuture<@Nullable Void> attempt(int count) {
        return coordination
                .get(key, ReadMode.LINEARIZABLE)
                .thenCompose(entry -> remove(entry))
                .handle((gone, failure) -> next(count, Boolean.TRUE.equals(gone), failure))
                .thenCompose(stage -> stage)
                .toCompletableFuture();
    }

    private CompletableFuture<Boolean> remove(Optional<Entry> entry) {
        if (entry.isEmpty() || entry.get().version().createRevision() != createRevision) {
            return CompletableFuture.completedFuture(true);
        }
        Txn.Builder builder = Txn.builder().delete(key, entry.get().version());
        if (guardKey != null && guardVersion != null) {
            builder.check(guardKey, guardVersion);
        }
        return coordination
                .commit(builder.build())
                .thenApply(result -> result instanceof Committed)
                .toCompletableFuture();
    }

    private CompletableFuture<@Nullable Void> next(int count, boolean gone, @Nullable Throwable failure) {
        if (gone) {
            return CompletableFuture.completedFuture(null);
        }
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        boolean mayTryAgain =
                cause == null || cause instanceof OutcomeUnknownException || cause instanceof ConnectionLostException;
        if (mayTryAgain && count < ATTEMPTS_MAX) {
            return attempt(count + 1);
        }
        return CompletableFuture.failedFuture(
                cause != null
                        ? cause
                        : new OutcomeUnknownException(
                                "the key could not be removed, since it or its guard kept changing: key=" + key
                                        + "; it ends with its session"));
    }
}

package io.tidemark.coordination;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A running watch on a subtree, see {@link Coordination#watch}. */
public interface Watch extends AutoCloseable {
    /**
     * Completes when the first snapshot was delivered; fails if the watch was closed or refused before.
     *
     * @return the stage
     */
    CompletionStage<@Nullable Void> ready();

    /**
     * Ends the watch. No callback begins after this returns; one that runs on another thread may still end.
     * Idempotent.
     */
    @Override
    void close();
}

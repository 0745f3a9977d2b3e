package io.tidemark.client;

import org.jspecify.annotations.Nullable;

/**
 * Hears the outcome of one record. Called exactly once, on the client's thread, per partition in the order of sending,
 * and with none of the client's locks held: it may send again, but must not block.
 */
@FunctionalInterface
public interface SendCallback {
    /**
     * The outcome is known, or known to stay unknown.
     *
     * @param position where the record was put; null if it failed
     * @param failure why it failed; null if it was put
     */
    void onDone(@Nullable RecordPosition position, @Nullable TidemarkException failure);
}

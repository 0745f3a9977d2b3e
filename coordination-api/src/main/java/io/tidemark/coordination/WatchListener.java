package io.tidemark.coordination;

import java.util.List;

/**
 * Receives what a {@link Watch} sees. Calls are serial for one watch, on the callback executor; a call that is slow
 * or throws delays or harms no other watch, and meanwhile changes are merged per key, so that memory is bounded by
 * the number of keys. A call may use the {@link Coordination}, block on its results, and close the watch.
 */
public interface WatchListener {
    /**
     * The whole state: first, and again after every gap. Replaces all that was delivered before.
     *
     * @param state the entries of the watched subtree, sorted by key
     */
    void onSnapshot(Listing state);

    /**
     * What changed since the last call. Each key appears once, with its latest state; values between may be missing.
     *
     * @param changes the changes, in the order of their revisions
     * @param revision the state delivered so far is that of the store at this revision, as far as the subtree goes
     */
    void onChanges(List<Change> changes, long revision);

    /**
     * The state may be stale until the next {@link #onSnapshot}; the watch goes on and tries by itself.
     *
     * @param cause why
     */
    default void onDegraded(Throwable cause) {}
}

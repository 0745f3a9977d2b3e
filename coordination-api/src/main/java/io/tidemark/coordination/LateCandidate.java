package io.tidemark.coordination;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Removes a candidate that appears late: a creation with unknown outcome may be applied after the candidate has
 * given up, and would block the queue for as long as its session lives. Ends with the session.
 */
final class LateCandidate implements WatchListener {
    private final Ballot ballot;
    private final Key candidate;
    private final AtomicReference<@Nullable Watch> watch = new AtomicReference<>();

    /**
     * Prepares the look-out.
     *
     * @param ballot the campaign that gave up
     * @param candidate its key
     */
    LateCandidate(Ballot ballot, Key candidate) {
        this.ballot = ballot;
        this.candidate = candidate;
    }

    /** Begins to look out. */
    void begin() {
        watch.set(ballot.coordination().watch(candidate, this));
        ballot.session().terminated().thenAccept(state -> {
            Watch open = watch.getAndSet(null);
            if (open != null) {
                open.close();
            }
        });
    }

    @Override
    public void onSnapshot(Listing state) {
        state.find(candidate).ifPresent(this::remove);
    }

    @Override
    public void onChanges(List<Change> changes, long revision) {
        for (Change change : changes) {
            if (change instanceof Change.Put put) {
                remove(put.entry());
            }
        }
    }

    private void remove(Entry entry) {
        long created = entry.version().createRevision();
        new KeyRelease(ballot.coordination(), candidate, created, null, null)
                .run()
                .whenComplete((gone, failure) -> {
                    if (failure != null && !ballot.session().state().isFinal()) {
                        ballot.retryExecutor().execute(() -> remove(entry));
                    }
                });
    }
}

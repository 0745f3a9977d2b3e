package io.tidemark.coordination;

import io.tidemark.coordination.spi.SerialExecutor;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One candidate's way to leadership: tries, waits for a key to vanish, tries again. All fields are owned by {@link
 * #events}, which runs one event at a time on whatever thread brings it; nothing here blocks.
 */
abstract class Campaign {
    /** Conflicts in a row that are tried again without a pause; each means that somebody else has written. */
    private static final int CONFLICTS_WITHOUT_PAUSE_MAX = 10;

    private final Ballot ballot;
    private final SerialExecutor events = new SerialExecutor(Runnable::run);
    private final ElectedFuture elected = new ElectedFuture();
    private boolean trying;
    private boolean retreating;
    private boolean ended;
    private boolean withdrawn;
    private int conflicts;
    private @Nullable Key awaitedKey;
    private @Nullable Watch watch;

    /** What a try led to. */
    sealed interface Outcome {
        /**
         * The candidate leads.
         *
         * @param prize what it holds
         */
        record Won(HeldLeadership.Prize prize) implements Outcome {}

        /**
         * Somebody else is before the candidate.
         *
         * @param key the key that must vanish before the next try
         */
        record Behind(Key key) implements Outcome {}

        /** Something changed meanwhile: look again. */
        record Again() implements Outcome {}

        /** The withdrawn candidate has left nothing behind. */
        record Gone() implements Outcome {}
    }

    /** The result of the campaign; cancelling it withdraws the candidate. */
    private final class ElectedFuture extends CompletableFuture<Leadership> {
        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            if (cancelled) {
                events.execute(Campaign.this::withdraw);
            }
            return cancelled;
        }
    }

    /**
     * Makes a campaign.
     *
     * @param ballot what the candidate stands with
     */
    Campaign(Ballot ballot) {
        this.ballot = ballot;
    }

    /**
     * What the candidate stands with.
     *
     * @return the ballot
     */
    final Ballot ballot() {
        return ballot;
    }

    /**
     * Begins.
     *
     * @return the result
     */
    final CompletionStage<Leadership> start() {
        events.execute(this::attempt);
        ballot.session().terminated().thenAccept(state -> events.execute(this::sessionEnded));
        return elected;
    }

    /**
     * Tries once to lead.
     *
     * @return what it led to; fails with what a call failed with
     */
    abstract CompletionStage<Outcome> contend();

    /**
     * Takes back what the candidate has put into the store, one step.
     *
     * @return {@link Outcome.Gone} when nothing is left, another outcome if not; fails with what a call failed with
     */
    abstract CompletionStage<Outcome> retreat();

    /** Called once when a leadership that this campaign won is over while its session lives. */
    abstract void leadershipOver();

    private void attempt() {
        if (ended || trying) {
            return;
        }
        trying = true;
        retreating = withdrawn;
        CompletionStage<Outcome> next;
        try {
            next = retreating ? retreat() : contend();
        } catch (RuntimeException refused) {
            next = CompletableFuture.failedFuture(refused);
        }
        next.whenComplete((outcome, failure) -> events.execute(() -> attempted(outcome, failure)));
    }

    private void attempted(@Nullable Outcome outcome, @Nullable Throwable failure) {
        trying = false;
        if (ended) {
            if (outcome instanceof Outcome.Won won) {
                lead(won.prize());
            }
        } else if (failure != null) {
            failed(failure);
        } else if (outcome instanceof Outcome.Won won) {
            lead(won.prize());
        } else if (outcome instanceof Outcome.Behind behind) {
            conflicts = 0;
            await(behind.key());
        } else if (outcome instanceof Outcome.Gone) {
            end();
        } else {
            again();
        }
    }

    private void again() {
        conflicts++;
        if (conflicts <= CONFLICTS_WITHOUT_PAUSE_MAX) {
            attempt();
        } else {
            conflicts = 0;
            attemptAfterPause();
        }
    }

    private void failed(Throwable failure) {
        Throwable cause = unwrap(failure);
        boolean transientFailure = cause instanceof ConnectionLostException || cause instanceof OutcomeUnknownException;
        if (transientFailure && !ballot.session().state().isFinal()) {
            attemptAfterPause();
        } else {
            end();
            elected.completeExceptionally(cause);
        }
    }

    private void attemptAfterPause() {
        ballot.retryExecutor().execute(() -> events.execute(this::attempt));
    }

    private void lead(HeldLeadership.Prize prize) {
        end();
        HeldLeadership leadership = new HeldLeadership(ballot, prize);
        leadership.begin();
        leadership.lost().thenRun(() -> {
            if (!ballot.session().state().isFinal()) {
                leadershipOver();
            }
        });
        if (withdrawn || !elected.complete(leadership)) {
            leadership.resign();
        }
    }

    private void await(Key key) {
        if (withdrawn && !retreating) {
            attempt();
        } else if (!key.equals(awaitedKey)) {
            closeWatch();
            awaitedKey = key;
            watch = ballot.coordination().watch(key, new Vanishing(key));
        }
    }

    private void vanished(Key key) {
        if (key.equals(awaitedKey)) {
            closeWatch();
            attempt();
        }
    }

    private void withdraw() {
        withdrawn = true;
        closeWatch();
        attempt();
    }

    private void sessionEnded() {
        if (!ended) {
            end();
            elected.completeExceptionally(new SessionExpiredException(
                    "the candidate's session has ended: session=" + ballot.session() + ", key=" + ballot.key()));
        }
    }

    private void end() {
        ended = true;
        closeWatch();
    }

    private void closeWatch() {
        awaitedKey = null;
        Watch open = watch;
        watch = null;
        if (open != null) {
            open.close();
        }
    }

    /**
     * The failure below the wrappings of stages.
     *
     * @param failure as a stage gives it
     * @return the cause
     */
    static Throwable unwrap(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    /** Notices that a key is gone. */
    private final class Vanishing implements WatchListener {
        private final Key key;

        Vanishing(Key key) {
            this.key = key;
        }

        @Override
        public void onSnapshot(Listing state) {
            if (state.find(key).isEmpty()) {
                events.execute(() -> vanished(key));
            }
        }

        @Override
        public void onChanges(List<Change> changes, long revision) {
            if (changes.stream()
                    .anyMatch(change ->
                            change instanceof Change.Deleted && change.key().equals(key))) {
                events.execute(() -> vanished(key));
            }
        }
    }
}

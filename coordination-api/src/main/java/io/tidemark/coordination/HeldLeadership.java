package io.tidemark.coordination;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A leadership that was won. Its watch is only a hint: whether the key was taken away is decided by a linearizable
 * read. Any thread.
 */
final class HeldLeadership implements Leadership, WatchListener {
    private final Coordination coordination;
    private final Session session;
    private final Executor retryExecutor;
    private final Prize prize;
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicBoolean resigning = new AtomicBoolean();
    private final CompletableFuture<@Nullable Void> lost = new CompletableFuture<>();
    private final CompletableFuture<@Nullable Void> resigned = new CompletableFuture<>();
    private final AtomicReference<@Nullable Watch> watch = new AtomicReference<>();

    /**
     * What a leader holds.
     *
     * @param key its own key
     * @param version the version of that key
     * @param termKey the term key
     * @param termVersion the version that the term key has while nobody else was elected
     * @param term the number
     */
    record Prize(Key key, Version version, Key termKey, Version termVersion, long term) {}

    /**
     * Makes a leadership.
     *
     * @param ballot the campaign that won it
     * @param prize what it won
     */
    HeldLeadership(Ballot ballot, Prize prize) {
        this.coordination = ballot.coordination();
        this.session = ballot.session();
        this.retryExecutor = ballot.retryExecutor();
        this.prize = prize;
    }

    /** Begins to look after the key. */
    void begin() {
        watch.set(coordination.watch(prize.key(), this));
        session.terminated().thenAccept(state -> end());
        if (over.get()) {
            closeWatch();
        }
    }

    @Override
    public long term() {
        return prize.term();
    }

    @Override
    public Txn.Builder guard(Txn.Builder builder) {
        return builder.check(prize.termKey(), prize.termVersion());
    }

    @Override
    public boolean isValid(Duration margin) {
        return !over.get() && session.isValid(margin);
    }

    @Override
    public CompletionStage<@Nullable Void> lost() {
        return lost;
    }

    @Override
    public CompletionStage<@Nullable Void> resign() {
        if (resigning.compareAndSet(false, true)) {
            end();
            long created = prize.version().createRevision();
            new KeyRelease(coordination, prize.key(), created, prize.termKey(), prize.termVersion())
                    .run()
                    .whenComplete((gone, failure) -> {
                        if (failure == null) {
                            resigned.complete(null);
                        } else {
                            resigned.completeExceptionally(failure);
                        }
                    });
        }
        return resigned;
    }

    private void end() {
        if (over.compareAndSet(false, true)) {
            closeWatch();
            lost.complete(null);
        }
    }

    private void closeWatch() {
        Watch open = watch.getAndSet(null);
        if (open != null) {
            open.close();
        }
    }

    @Override
    public void onSnapshot(Listing state) {
        if (state.find(prize.key()).filter(this::isUntouched).isEmpty()) {
            verify();
        }
    }

    @Override
    public void onChanges(List<Change> changes, long revision) {
        verify();
    }

    private void verify() {
        if (over.get()) {
            return;
        }
        coordination.get(prize.key(), ReadMode.LINEARIZABLE).whenComplete((entry, failure) -> {
            if (failure == null) {
                judge(Objects.requireNonNull(entry));
            } else if (!session.state().isFinal()) {
                retryExecutor.execute(this::verify);
            }
        });
    }

    private void judge(Optional<Entry> entry) {
        if (entry.filter(this::isUntouched).isPresent()) {
            return;
        }
        // Somebody took the key away, or wrote to it by hand: give up first, then others may contend.
        if (entry.isPresent() && entry.get().isOwnedBy(session)) {
            resign();
        } else {
            end();
        }
    }

    private boolean isUntouched(Entry entry) {
        return entry.version().equals(prize.version()) && entry.isOwnedBy(session);
    }

    @Override
    public String toString() {
        return "Leadership[key=" + prize.key() + ", term=" + prize.term() + ", over=" + over + "]";
    }
}

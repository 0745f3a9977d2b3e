package io.tidemark.coordination;

import io.tidemark.coordination.HeldLeadership.Prize;
import io.tidemark.coordination.TxnResult.Committed;
import io.tidemark.coordination.TxnResult.Conflict;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A campaign by queue: creates a candidate's key with a name of its own, waits for the key before it to vanish, and
 * as the first one writes its key and raises the term in one transaction. That both then have the same revision
 * tells later whose write it was.
 */
final class QueueCampaign extends Campaign {
    private final Key candidate;
    /** Set before a creation is sent: from then on it may be applied, now or late. */
    private volatile boolean maybeCreated;
    /** Set when a creation had an unknown outcome: it might be applied even after the key was removed. */
    private volatile boolean maybeCreatedLate;

    /**
     * Makes a campaign.
     *
     * @param ballot what the candidate stands with; its key is the directory of the candidates
     * @param name the candidate's own name, never used before
     */
    QueueCampaign(Ballot ballot, String name) {
        super(ballot);
        this.candidate = ballot.key().child(name);
    }

    @Override
    CompletionStage<Outcome> contend() {
        return ballot().coordination()
                .list(ballot().key(), ReadMode.LINEARIZABLE)
                .thenCompose(this::takePlace);
    }

    private CompletionStage<Outcome> takePlace(Listing listing) {
        Optional<Entry> own = listing.find(candidate);
        if (own.isEmpty()) {
            return create();
        }
        List<Entry> before = listing.entries().stream()
                .filter(entry ->
                        entry.version().createRevision() < own.get().version().createRevision())
                .sorted(Comparator.comparingLong(entry -> entry.version().createRevision()))
                .toList();
        Optional<Entry> stale = before.stream()
                .filter(entry -> entry.isOwnedBy(ballot().session()))
                .findFirst();
        if (stale.isPresent()) {
            return remove(stale.get());
        }
        if (!before.isEmpty()) {
            Key next = before.get(before.size() - 1).key();
            return CompletableFuture.completedFuture(new Outcome.Behind(next));
        }
        Key termKey = ballot().termKey();
        return ballot().coordination()
                .get(termKey, ReadMode.LINEARIZABLE)
                .thenCompose(entry -> lead(own.get(), Term.read(termKey, entry)));
    }

    /**
     * Removes a candidate of our own session that an earlier leadership or campaign could not remove. Anywhere
     * before us: those between would wait for it as well (ElectionSimulationTest, seed 20).
     */
    private CompletionStage<Outcome> remove(Entry stale) {
        long created = stale.version().createRevision();
        return new KeyRelease(ballot().coordination(), stale.key(), created, null, null)
                .run()
                .thenApply(gone -> new Outcome.Again());
    }

    private CompletionStage<Outcome> create() {
        Ballot ballot = ballot();
        Txn txn = Txn.builder()
                .createEphemeral(candidate, ballot.info(), ballot.session())
                .build();
        maybeCreated = true;
        return ballot.coordination()
                .commit(txn)
                .whenComplete((result, failure) -> {
                    if (failure != null && unwrap(failure) instanceof OutcomeUnknownException) {
                        maybeCreatedLate = true;
                    }
                })
                .thenApply(this::lookAgain);
    }

    private Outcome lookAgain(TxnResult result) {
        if (result instanceof Conflict conflict && conflict.kind() == TxnResult.Kind.NOT_A_LEAF) {
            throw new IllegalStateException("a key above the candidates, or the term key, is no leaf: candidate="
                    + candidate + ", termKey=" + ballot().termKey() + "; use other keys");
        }
        return new Outcome.Again();
    }

    private CompletionStage<Outcome> lead(Entry own, Term term) {
        if (term.wasRaisedAt(own.version().modRevision())) {
            // An earlier try of ours had an unknown outcome, and was applied.
            return CompletableFuture.completedFuture(won(own.version(), term.number(), term.version()));
        }
        Txn txn = term.raise(Txn.builder().update(candidate, ballot().info(), own.version()))
                .build();
        return ballot().coordination().commit(txn).thenApply(result -> {
            if (result instanceof Committed committed) {
                List<Version> versions = committed.versions();
                return won(versions.get(0), term.number() + 1, versions.get(1));
            }
            return lookAgain(result);
        });
    }

    private Outcome won(Version version, long number, @Nullable Version termVersion) {
        return new Outcome.Won(
                new Prize(candidate, version, ballot().termKey(), Objects.requireNonNull(termVersion), number));
    }

    @Override
    CompletionStage<Outcome> retreat() {
        if (!maybeCreated) {
            return CompletableFuture.completedFuture(new Outcome.Gone());
        }
        return ballot().coordination()
                .get(candidate, ReadMode.LINEARIZABLE)
                .thenCompose(own -> {
                    if (own.isEmpty()) {
                        return CompletableFuture.completedFuture(null);
                    }
                    long created = own.get().version().createRevision();
                    return new KeyRelease(ballot().coordination(), candidate, created, null, null).run();
                })
                .thenApply(gone -> {
                    leadershipOver();
                    return new Outcome.Gone();
                });
    }

    @Override
    void leadershipOver() {
        if (maybeCreatedLate) {
            new LateCandidate(ballot(), candidate).begin();
        }
    }
}

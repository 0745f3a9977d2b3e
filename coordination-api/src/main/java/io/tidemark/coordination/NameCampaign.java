package io.tidemark.coordination;

import io.tidemark.coordination.HeldLeadership.Prize;
import io.tidemark.coordination.TxnResult.Committed;
import io.tidemark.coordination.TxnResult.Conflict;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A campaign by name: creates the leader's key and raises the term in one transaction.
 *
 * <p>A try with unknown outcome may still be applied later, but only as long as the term key has the version which
 * the try expected. So it is settled when the term has moved, and until then every further try moves the term itself
 * or finds the key created.
 */
final class NameCampaign extends Campaign {
    /** The term of the last try whose outcome is unknown, null if all are settled. */
    private volatile @Nullable Term unsettled;

    /**
     * Makes a campaign.
     *
     * @param ballot what the candidate stands with; its key is the leader's key
     */
    NameCampaign(Ballot ballot) {
        super(ballot);
    }

    @Override
    CompletionStage<Outcome> contend() {
        Coordination coordination = ballot().coordination();
        Key termKey = ballot().termKey();
        return coordination
                .get(ballot().key(), ReadMode.LINEARIZABLE)
                .thenCompose(leader -> coordination
                        .get(termKey, ReadMode.LINEARIZABLE)
                        .thenCompose(entry -> decide(leader, Term.read(termKey, entry))));
    }

    private CompletionStage<Outcome> decide(Optional<Entry> leader, Term term) {
        Term open = unsettled;
        boolean moved = open != null && !term.equals(open);
        if (leader.isEmpty()) {
            // Even if the term has moved, a try of ours may have been applied and its key taken away again.
            unsettled = moved ? null : open;
            return create(term);
        }
        Entry entry = leader.get();
        if (!entry.isOwnedBy(ballot().session())) {
            unsettled = moved ? null : open;
            return CompletableFuture.completedFuture(new Outcome.Behind(ballot().key()));
        }
        if (moved && term.wasRaisedAt(entry.version().createRevision())) {
            unsettled = null;
            return CompletableFuture.completedFuture(new Outcome.Won(prize(entry.version(), term)));
        }
        // A key of our own session that an earlier leadership could not remove.
        Version version = entry.version();
        return new KeyRelease(
                        ballot().coordination(), ballot().key(), version.createRevision(), term.key(), term.version())
                .run()
                .thenApply(gone -> new Outcome.Again());
    }

    private CompletionStage<Outcome> create(Term term) {
        Ballot ballot = ballot();
        Txn txn = term.raise(Txn.builder().createEphemeral(ballot.key(), ballot.info(), ballot.session()))
                .build();
        return ballot.coordination()
                .commit(txn)
                .whenComplete((result, failure) -> {
                    if (failure != null && unwrap(failure) instanceof OutcomeUnknownException) {
                        unsettled = term;
                    }
                })
                .thenApply(result -> created(result, term));
    }

    private Outcome created(TxnResult result, Term term) {
        if (result instanceof Committed committed) {
            unsettled = null;
            Version termVersion = committed.versions().get(1);
            return new Outcome.Won(
                    prize(committed.versions().get(0), new Term(term.key(), term.number() + 1, termVersion)));
        }
        if (result instanceof Conflict conflict && conflict.kind() == TxnResult.Kind.NOT_A_LEAF) {
            throw new IllegalStateException("a key of the election has keys below it, or a value above it: key="
                    + ballot().key() + ", termKey=" + ballot().termKey() + "; use other keys");
        }
        return new Outcome.Again();
    }

    private Prize prize(Version version, Term term) {
        Version termVersion = term.version();
        if (termVersion == null) {
            throw new IllegalStateException("a leader without a term: key=" + ballot().key());
        }
        return new Prize(ballot().key(), version, term.key(), termVersion, term.number());
    }

    /** Goes on as long as a try is open: it must not be applied when nobody looks after its key any more. */
    @Override
    CompletionStage<Outcome> retreat() {
        return unsettled == null ? CompletableFuture.completedFuture(new Outcome.Gone()) : contend();
    }

    @Override
    void leadershipOver() {
        // The term has moved past all tries of this campaign: none can be applied any more.
    }
}

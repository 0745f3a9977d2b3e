package io.tidemark.coordination;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/**
 * An election whose leaders lose their sessions again and again, because the service ends them whatever the leader
 * says. Such a leader learns that late, so its clock may still call it valid while the next one leads; what must hold
 * is that the service takes guarded writes of one leader only, the last. Not thread-safe.
 */
final class ElectionLosses {
    private static final int CANDIDATES = 4;
    private static final Key ELECTION = Key.of("/losses");
    private static final Key TERM = Key.of("/losses_epoch");

    private final ContractCase words;
    private final LeaderElection.Mode mode;
    private final SplittableRandom random;
    private final List<Candidate> candidates = new ArrayList<>();
    private final List<Leadership> deposed = new ArrayList<>();
    private long lastTerm;
    private int writes;

    /** A client that stands again whenever its campaign or its leadership is over. */
    private final class Candidate {
        private final Coordination client = words.openClient();
        private CompletableFuture<Session> session = new CompletableFuture<>();
        private CompletableFuture<Leadership> elected = new CompletableFuture<>();

        Candidate() {
            stand();
        }

        void stand() {
            CompletableFuture<Session> opened =
                    client.openSession(words.fixture().ttl()).toCompletableFuture();
            session = opened;
            elected = opened.thenCompose(own -> election().campaign(own, ContractCase.bytes("who")));
        }

        private LeaderElection election() {
            return mode == LeaderElection.Mode.BY_NAME
                    ? LeaderElection.byName(client, ELECTION, TERM)
                    : LeaderElection.byQueue(client, ELECTION, TERM);
        }

        Optional<Leadership> leadership() {
            return elected.isDone() && !elected.isCompletedExceptionally()
                    ? Optional.of(Await.value(elected))
                    : Optional.empty();
        }

        boolean leadsAnew() {
            return leadership().filter(held -> held.term() > lastTerm).isPresent();
        }

        void standAgainIfFailed() {
            if (elected.isCompletedExceptionally()) {
                stand();
            }
        }
    }

    /** Prepares an election. */
    ElectionLosses(ContractCase words, LeaderElection.Mode mode, long seed) {
        this.words = words;
        this.mode = mode;
        this.random = new SplittableRandom(seed);
    }

    /** Has so many leaders lose their sessions. */
    void play(int losses) {
        for (int i = 0; i < CANDIDATES; i++) {
            candidates.add(new Candidate());
        }
        for (int lost = 0; lost < losses; ) {
            Candidate leader = awaitLeader();
            Leadership held = leader.leadership().orElseThrow();
            if (mayWrite(held)) {
                checkFences(held);
                expireAnother(leader);
                words.fixture().expire(Await.value(leader.session));
                lost++;
            }
            deposed.add(held);
            leader.stand();
        }
        Leadership last = awaitLeader().leadership().orElseThrow();
        for (Leadership old : deposed) {
            words.until(() -> "the end of " + old, old.lost().toCompletableFuture()::isDone);
            assertFalse(old.isValid(Duration.ZERO), "valid after it was lost: " + old);
        }
        checkFences(last);
    }

    private Candidate awaitLeader() {
        words.until(() -> "a leader after term " + lastTerm, () -> {
            candidates.forEach(Candidate::standAgainIfFailed);
            return candidates.stream().anyMatch(Candidate::leadsAnew);
        });
        List<Candidate> leaders =
                candidates.stream().filter(Candidate::leadsAnew).toList();
        // A loaded machine may lose a session by itself; terms tell who came last.
        Candidate last = leaders.stream()
                .max(Comparator.comparingLong(each -> term(each)))
                .orElseThrow();
        for (Candidate other : leaders) {
            if (other != last) {
                assertTrue(term(other) < term(last), "one term for two leaders: term=" + term(last));
                deposed.add(other.leadership().orElseThrow());
                other.stand();
            }
        }
        lastTerm = term(last);
        return last;
    }

    private static long term(Candidate candidate) {
        return candidate.leadership().orElseThrow().term();
    }

    /** A leader that nobody has followed may write. One that may not has been followed already. */
    private boolean mayWrite(Leadership current) {
        TxnResult result = guarded(current);
        if (!result.isCommitted()) {
            assertEquals(new TxnResult.Conflict(0, TxnResult.Kind.VERSION), result);
        }
        return result.isCommitted();
    }

    /** None of those before the last leader may write. */
    private void checkFences(Leadership current) {
        List<Leadership> tried = new ArrayList<>();
        if (!deposed.isEmpty()) {
            tried.add(deposed.get(deposed.size() - 1));
            tried.add(deposed.get(random.nextInt(deposed.size())));
        }
        for (Leadership old : tried) {
            assertTrue(old.term() < current.term(), "one term for two leaders: " + old + ", " + current);
            assertEquals(new TxnResult.Conflict(0, TxnResult.Kind.VERSION), guarded(old), "a deposed leader wrote");
        }
    }

    /** A write of anybody under the guard of a leadership. */
    private TxnResult guarded(Leadership held) {
        Key key = Key.of("/writes/" + ++writes);
        Coordination client = candidates.get(random.nextInt(CANDIDATES)).client;
        Txn txn = held.guard(Txn.builder()).create(key, new byte[0]).build();
        return words.valueOnceReachable(() -> client.commit(txn));
    }

    /** Ends the session of one who waits, before the leader's, so that it cannot follow. */
    private void expireAnother(Candidate leader) {
        Candidate other = candidates.get(random.nextInt(CANDIDATES));
        boolean waits = other != leader
                && other.session.isDone()
                && !other.session.isCompletedExceptionally()
                && !other.elected.isDone();
        if (waits && random.nextInt(3) == 0) {
            words.fixture().expire(Await.value(other.session));
        }
    }
}

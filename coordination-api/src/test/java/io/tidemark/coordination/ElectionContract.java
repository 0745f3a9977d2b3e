package io.tidemark.coordination;

import static io.tidemark.coordination.ContractCase.bytes;
import static io.tidemark.coordination.ContractCase.entry;
import static io.tidemark.coordination.ContractCase.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cases 53 to 58: the election above this back end. */
interface ElectionContract extends ContractCase {
    /** The leader's key by name, or the directory of the queue. */
    Key ELECTION = Key.of("/election");
    /** The key of the term. */
    Key TERM = Key.of("/election_epoch");

    /** A client with a session that stands for election. */
    final class Candidate {
        final Coordination client;
        final Session session;
        final CompletableFuture<Leadership> elected;

        Candidate(Coordination client, Session session, CompletableFuture<Leadership> elected) {
            this.client = client;
            this.session = session;
            this.elected = elected;
        }

        boolean leads() {
            return elected.isDone()
                    && !elected.isCompletedExceptionally()
                    && leadership().isValid(Duration.ZERO);
        }

        Leadership leadership() {
            return Await.value(elected);
        }
    }

    private Candidate stand(LeaderElection.Mode mode, String info) {
        Coordination client = openClient();
        Session session = openSession(client);
        CompletionStage<Leadership> elected = election(mode, client).campaign(session, bytes(info));
        return new Candidate(client, session, elected.toCompletableFuture());
    }

    private static LeaderElection election(LeaderElection.Mode mode, Coordination client) {
        return mode == LeaderElection.Mode.BY_NAME
                ? LeaderElection.byName(client, ELECTION, TERM)
                : LeaderElection.byQueue(client, ELECTION, TERM);
    }

    // Case 53 and 55: the leader is cut off again and again; never two valid ones, and a successor in time.
    @ParameterizedTest
    @EnumSource
    default void shouldHaveOneLeaderAtATimeAndASuccessorInTime(LeaderElection.Mode mode) {
        List<Candidate> candidates = new ArrayList<>();
        for (String info : List.of("a", "b", "c")) {
            candidates.add(stand(mode, info));
        }
        for (int round = 1; round <= 2; round++) {
            Candidate leader = awaitLeader(candidates);
            assertEquals(round, leader.leadership().term());
            fixture().cutOff(leader.client);
            long cutNs = fixture().nowNs();
            candidates.remove(leader);
            Candidate successor = awaitSuccessor(candidates, leader);
            Duration took = Duration.ofNanos(fixture().nowNs() - cutNs);
            Duration most = leader.session.ttl().plus(fixture().expirySlack());
            assertTrue(took.compareTo(most) <= 0, () -> "successor came late: took=" + took + ", most=" + most);
            assertFalse(leader.leads());
            assertTrue(successor.leads());
            Await.done(leader.leadership().lost());
        }
    }

    private Candidate awaitLeader(List<Candidate> candidates) {
        until(() -> "a leader", () -> candidates.stream().anyMatch(Candidate::leads));
        List<Candidate> leaders = candidates.stream().filter(Candidate::leads).toList();
        assertEquals(1, leaders.size(), "leaders at one time");
        return leaders.get(0);
    }

    private Candidate awaitSuccessor(List<Candidate> candidates, Candidate old) {
        until(() -> "a successor", () -> {
            boolean followed = candidates.stream().anyMatch(Candidate::leads);
            assertFalse(followed && old.leads(), "two valid leaders");
            return followed;
        });
        return awaitLeader(candidates);
    }

    // Case 54: by one with each leadership, through resignations, new clients and new sessions.
    @ParameterizedTest
    @EnumSource
    default void shouldRaiseTheTermByOne(LeaderElection.Mode mode) {
        for (int term = 1; term <= 4; term++) {
            Candidate candidate = stand(mode, "round " + term);
            Leadership leadership = valueInTime(candidate.elected);
            assertEquals(term, leadership.term());
            assertEquals(
                    Integer.toString(term), entry(candidate.client, TERM.path()).valueText());
            if (term % 2 == 0) {
                Await.done(leadership.resign());
            } else {
                candidate.session.close();
            }
            Await.done(leadership.lost());
            assertFalse(leadership.isValid(Duration.ZERO));
        }
    }

    // The key of the leader tells who leads.
    @ParameterizedTest
    @EnumSource
    default void shouldShowTheLeadersInfo(LeaderElection.Mode mode) {
        Candidate leader = stand(mode, "who leads");
        valueInTime(leader.elected);
        Key shown = mode == LeaderElection.Mode.BY_NAME
                ? ELECTION
                : Await.value(leader.client.list(ELECTION.child("candidates"), ReadMode.LINEARIZABLE))
                        .entries()
                        .get(0)
                        .key();
        Entry entry = entry(leader.client, shown.path());
        assertEquals("who leads", entry.valueText());
        assertTrue(entry.isOwnedBy(leader.session));
    }

    // Case 56 and 57: the second candidate cancels, so that the third follows when the first resigns.
    @ParameterizedTest
    @EnumSource
    default void shouldWithdrawOnResignationAndCancel(LeaderElection.Mode mode) {
        Candidate first = stand(mode, "first");
        Leadership leadership = valueInTime(first.elected);
        Candidate second = stand(mode, "second");
        awaitCandidates(mode, first.client, 2);
        Candidate third = stand(mode, "third");
        awaitCandidates(mode, first.client, 3);
        assertTrue(second.elected.cancel(true));
        awaitCandidates(mode, first.client, 2);
        Await.done(leadership.resign());
        assertEquals(2, valueInTime(third.elected).term());
        assertTrue(second.elected.isCancelled());
        assertFalse(leadership.isValid(Duration.ZERO));
        awaitCandidates(mode, first.client, 1);
        // Who resigned may stand again, in the same session.
        CompletionStage<Leadership> again = election(mode, first.client).campaign(first.session, bytes("again"));
        awaitCandidates(mode, first.client, 2);
        third.session.close();
        assertEquals(3, valueInTime(again).term());
    }

    private void awaitCandidates(LeaderElection.Mode mode, Coordination client, int count) {
        if (mode == LeaderElection.Mode.QUEUE) {
            Key dir = ELECTION.child("candidates");
            until(
                    () -> "candidates: expected=" + count,
                    () -> Await.value(client.list(dir, ReadMode.LINEARIZABLE))
                                    .entries()
                                    .size()
                            == count);
        }
    }

    // Case 57: the order is that of creation.
    @ParameterizedTest
    @EnumSource(names = "QUEUE")
    default void shouldFollowTheOrderOfTheQueue(LeaderElection.Mode mode) {
        List<Candidate> queue = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            queue.add(stand(mode, "number " + i));
            awaitCandidates(mode, queue.get(0).client, i + 1);
        }
        for (int i = 0; i < 4; i++) {
            Leadership leadership = valueInTime(queue.get(i).elected);
            assertEquals(i + 1, leadership.term());
            for (Candidate later : queue.subList(i + 1, 4)) {
                assertFalse(later.elected.isDone());
            }
            Await.done(leadership.resign());
        }
    }

    // Case 58.
    @ParameterizedTest
    @EnumSource
    default void shouldRefuseTheGuardedWritesOfADeposedLeader(LeaderElection.Mode mode) {
        Candidate old = stand(mode, "old");
        Leadership deposed = valueInTime(old.elected);
        Txn first = deposed.guard(Txn.builder().create(Key.of("/by/old"), bytes("1")))
                .build();
        ContractCase.committed(old.client.commit(first));
        Candidate next = stand(mode, "next");
        fixture().cutOff(old.client);
        Leadership current = valueInTime(next.elected);
        fixture().heal(old.client);
        Txn late = deposed.guard(Txn.builder().create(Key.of("/by/late"), bytes("1")))
                .build();
        TxnResult result = valueOnceReachable(() -> old.client.commit(late));
        assertEquals(new TxnResult.Conflict(1, TxnResult.Kind.VERSION), result);
        assertTrue(read(next.client, "/by/late").isEmpty());
        Txn good = current.guard(Txn.builder().create(Key.of("/by/next"), bytes("1")))
                .build();
        ContractCase.committed(next.client.commit(good));
    }

    // A candidate whose session ends is told so.
    @ParameterizedTest
    @EnumSource
    default void shouldFailTheCampaignWithItsSession(LeaderElection.Mode mode) {
        Candidate leader = stand(mode, "leader");
        valueInTime(leader.elected);
        Candidate waiting = stand(mode, "waiting");
        fixture().expire(waiting.session);
        until(() -> "the end of the campaign", waiting.elected::isDone);
        Await.failure(SessionExpiredException.class, waiting.elected);
        assertTrue(leader.leads());
    }
}

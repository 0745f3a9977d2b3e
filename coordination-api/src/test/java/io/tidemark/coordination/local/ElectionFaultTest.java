package io.tidemark.coordination.local;

import static io.tidemark.coordination.local.ElectionBench.ELECTION;
import static io.tidemark.coordination.local.ElectionBench.TERM;
import static io.tidemark.coordination.local.ElectionBench.leads;
import static io.tidemark.coordination.local.ElectionBench.openSession;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.coordination.AccessDeniedException;
import io.tidemark.coordination.Await;
import io.tidemark.coordination.ConnectionLostException;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.LeaderElection;
import io.tidemark.coordination.Leadership;
import io.tidemark.coordination.Session;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The election when calls fail, outcomes are unknown, or operators meddle. */
final class ElectionFaultTest {
    private static final LeaderElection.Mode NAME = LeaderElection.Mode.BY_NAME;

    private static Txn txn(Txn.Builder builder) {
        return builder.build();
    }

    private static void commit(Coordination client, Txn.Builder builder) {
        assertInstanceOf(TxnResult.Committed.class, Await.value(client.commit(builder.build())));
    }

    /** By name, a campaign wins with its first transaction; in a queue, the second one wins. */
    private static int winningTxn(LeaderElection.Mode mode) {
        return mode == NAME ? 1 : 2;
    }

    // The winning request is lost: the next try wins, with the first term.
    @ParameterizedTest
    @EnumSource
    void shouldWinWithTheSecondTryWhenTheFirstIsLost(LeaderElection.Mode mode) {
        for (int lost = 1; lost <= winningTxn(mode); lost++) {
            try (ElectionBench bench = new ElectionBench(mode)) {
                Coordination client = bench.connect();
                bench.store.faults().dropRequest(client, lost);
                CompletableFuture<Leadership> campaign = bench.campaign(client, openSession(client));
                assertFalse(campaign.isDone());
                bench.endPauses();
                assertEquals(1, Await.value(campaign).term());
                assertEquals(1, bench.held(client).size());
            }
        }
    }

    // The answer to the winning request is lost: the leader recognises its own write, and no term is wasted.
    @ParameterizedTest
    @EnumSource
    void shouldRecogniseItsOwnWriteWhenTheAnswerIsLost(LeaderElection.Mode mode) {
        for (int lost = 1; lost <= winningTxn(mode); lost++) {
            try (ElectionBench bench = new ElectionBench(mode)) {
                Coordination client = bench.connect();
                bench.store.faults().dropReply(client, lost);
                CompletableFuture<Leadership> campaign = bench.campaign(client, openSession(client));
                assertFalse(campaign.isDone());
                bench.endPauses();
                Leadership leadership = Await.value(campaign);
                assertEquals(1, leadership.term());
                assertEquals(1, ElectionBench.term(client));
                commit(client, leadership.guard(Txn.builder().create(Key.of("/by/leader"), new byte[0])));
                Await.done(leadership.resign());
                assertEquals(List.of(), bench.held(client));
            }
        }
    }

    // A late request of a candidate that won meanwhile with another try changes nothing.
    @ParameterizedTest
    @EnumSource
    void shouldNotBeHarmedByItsOwnLateRequest(LeaderElection.Mode mode) {
        for (int late = 1; late <= winningTxn(mode); late++) {
            try (ElectionBench bench = new ElectionBench(mode)) {
                Coordination client = bench.connect();
                bench.store.faults().delayRequest(client, late);
                CompletableFuture<Leadership> campaign = bench.campaign(client, openSession(client));
                bench.endPauses();
                Leadership leadership = Await.value(campaign);
                bench.store.faults().deliverDelayed(client);
                assertTrue(leads(campaign));
                assertEquals(1, ElectionBench.term(client));
                commit(client, leadership.guard(Txn.builder().create(Key.of("/by/leader"), new byte[0])));
            }
        }
    }

    // The late request of one candidate arrives when another one leads, or has led: it must not win.
    @ParameterizedTest
    @EnumSource
    void shouldNotLetALateRequestDeposeAnother(LeaderElection.Mode mode) {
        try (ElectionBench bench = new ElectionBench(mode)) {
            Coordination slow = bench.connect();
            Coordination other = bench.connect();
            bench.store.faults().delayRequest(slow, 1);
            CompletableFuture<Leadership> late = bench.campaign(slow, openSession(slow));
            CompletableFuture<Leadership> winner = bench.campaign(other, openSession(other));
            assertTrue(leads(winner));
            bench.store.faults().deliverDelayed(slow);
            bench.endPauses();
            assertTrue(leads(winner));
            assertFalse(late.isDone());
            Await.done(Await.value(winner).resign());
            assertEquals(2, Await.value(late).term());
        }
    }

    // A candidate withdraws while a try of its is open: whenever that is applied, nothing is left behind.
    @ParameterizedTest
    @EnumSource
    void shouldLeaveNothingBehindWhenWithdrawnWithAnOpenTry(LeaderElection.Mode mode) {
        for (int late = 1; late <= winningTxn(mode); late++) {
            for (boolean early : List.of(true, false)) {
                try (ElectionBench bench = new ElectionBench(mode)) {
                    Coordination client = bench.connect();
                    bench.store.faults().delayRequest(client, late);
                    CompletableFuture<Leadership> campaign = bench.campaign(client, openSession(client));
                    if (early) {
                        bench.store.faults().deliverDelayed(client);
                    }
                    assertTrue(campaign.cancel(true));
                    bench.endPauses();
                    bench.store.faults().deliverDelayed(client);
                    bench.endPauses();
                    assertEquals(List.of(), bench.held(client), "late=" + late + ", early=" + early);
                    Coordination other = bench.connect();
                    assertTrue(leads(bench.campaign(other, openSession(other))));
                }
            }
        }
    }

    // A candidate withdraws at each moment of its try, while results are on their way to it.
    @ParameterizedTest
    @EnumSource
    void shouldWithdrawWhileATryIsUnderWay(LeaderElection.Mode mode) {
        for (int moment = 0; moment <= 12; moment++) {
            try (ElectionBench bench = new ElectionBench(mode)) {
                Coordination other = bench.connect();
                CompletableFuture<Leadership> leader = bench.campaign(other, openSession(other));
                Queue<Runnable> callbacks = new ArrayDeque<>();
                Coordination client = bench.connect(callbacks::add);
                CompletableFuture<Leadership> campaign = bench.campaign(client, openSession(client));
                for (int run = 0; run < moment && !callbacks.isEmpty(); run++) {
                    callbacks.remove().run();
                }
                assertTrue(campaign.cancel(true));
                while (!callbacks.isEmpty()) {
                    callbacks.remove().run();
                }
                assertEquals(1, bench.held(other).size(), "moment=" + moment);
                assertTrue(leads(leader));
            }
        }
    }

    // The same after a leadership: a candidate that appears late must not block the queue.
    @Test
    void shouldRemoveACandidateThatAppearsAfterItsResignation() {
        try (ElectionBench bench = new ElectionBench(LeaderElection.Mode.QUEUE)) {
            Coordination client = bench.connect();
            bench.store.faults().delayRequest(client, 1);
            CompletableFuture<Leadership> campaign = bench.campaign(client, openSession(client));
            bench.endPauses();
            Await.done(Await.value(campaign).resign());
            bench.store.faults().deliverDelayed(client);
            assertEquals(List.of(), bench.held(client));
        }
    }

    // CO-05: somebody deletes the leader's key by hand. The leader notices, and the next one has the next term.
    @ParameterizedTest
    @EnumSource
    void shouldGiveUpWhenItsKeyIsDeleted(LeaderElection.Mode mode) {
        try (ElectionBench bench = new ElectionBench(mode)) {
            Coordination client = bench.connect();
            Coordination operator = bench.connect();
            CompletableFuture<Leadership> first = bench.campaign(client, openSession(client));
            CompletableFuture<Leadership> second = bench.campaign(operator, openSession(operator));
            Leadership leadership = Await.value(first);
            Entry held = bench.held(operator).get(0);
            commit(operator, Txn.builder().delete(held.key(), held.version()));
            assertTrue(leadership.lost().toCompletableFuture().isDone());
            assertFalse(leads(first));
            assertEquals(2, Await.value(second).term());
            Await.done(leadership.resign());
            assertTrue(leads(second), "a late resignation must not touch the successor");
        }
    }

    // CO-05: somebody writes to the leader's key by hand. The leader gives up and takes its key away.
    @ParameterizedTest
    @EnumSource
    void shouldResignWhenItsKeyIsOverwritten(LeaderElection.Mode mode) {
        try (ElectionBench bench = new ElectionBench(mode)) {
            Coordination client = bench.connect();
            Coordination operator = bench.connect();
            CompletableFuture<Leadership> first = bench.campaign(client, openSession(client));
            CompletableFuture<Leadership> second = bench.campaign(operator, openSession(operator));
            Entry held = bench.held(operator).get(0);
            commit(operator, Txn.builder().update(held.key(), new byte[] {1}, held.version()));
            assertFalse(leads(first));
            assertEquals(2, Await.value(second).term());
        }
    }

    // The watch is a hint only: a failed look at the key is tried again.
    @ParameterizedTest
    @EnumSource
    void shouldVerifyAgainWhenAReadFails(LeaderElection.Mode mode) {
        try (ElectionBench bench = new ElectionBench(mode)) {
            Coordination client = bench.connect();
            Coordination operator = bench.connect();
            CompletableFuture<Leadership> first = bench.campaign(client, openSession(client));
            Entry held = bench.held(operator).get(0);
            bench.store.faults().failNext(client, new ConnectionLostException("planned"));
            commit(operator, Txn.builder().delete(held.key(), held.version()));
            bench.endPauses();
            assertTrue(Await.value(first).lost().toCompletableFuture().isDone());
        }
    }

    // CO-03: a resignation that fails leaves a key of our own session; standing again removes it and wins.
    @ParameterizedTest
    @EnumSource
    void shouldReplaceItsOwnStaleKey(LeaderElection.Mode mode) {
        try (ElectionBench bench = new ElectionBench(mode)) {
            Coordination client = bench.connect();
            Session session = openSession(client);
            Leadership leadership = Await.value(bench.campaign(client, session));
            bench.store.faults().disconnect(client);
            Await.failure(ConnectionLostException.class, leadership.resign());
            assertFalse(leadership.isValid(Duration.ZERO));
            bench.store.faults().heal(client);
            assertEquals(1, bench.held(client).size(), "the key ends with the session only");
            assertEquals(2, Await.value(bench.campaign(client, session)).term());
            assertEquals(1, bench.held(client).size());
        }
    }

    // Lost answers on the way out: the key is gone, and the resignation completes.
    @ParameterizedTest
    @EnumSource
    void shouldSettleAResignationWithoutAnAnswer(LeaderElection.Mode mode) {
        try (ElectionBench bench = new ElectionBench(mode)) {
            Coordination client = bench.connect();
            Leadership leadership = Await.value(bench.campaign(client, openSession(client)));
            bench.store.faults().dropReply(client, 1);
            Await.done(leadership.resign());
            assertEquals(List.of(), bench.held(client));
            assertEquals(1, ElectionBench.term(client));
        }
    }

    // A campaign outlives a broken connection.
    @ParameterizedTest
    @EnumSource
    void shouldGoOnAfterADisconnect(LeaderElection.Mode mode) {
        try (ElectionBench bench = new ElectionBench(mode)) {
            Coordination client = bench.connect();
            Session session = openSession(client);
            bench.store.faults().disconnect(client);
            CompletableFuture<Leadership> campaign = bench.campaign(client, session);
            bench.endPauses();
            assertFalse(campaign.isDone());
            bench.store.faults().heal(client);
            bench.endPauses();
            assertTrue(leads(campaign));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldFailWhenAccessIsDenied(LeaderElection.Mode mode) {
        try (ElectionBench bench = new ElectionBench(mode)) {
            Coordination client = bench.connect();
            Session session = openSession(client);
            bench.store.faults().failNext(client, new AccessDeniedException("planned"));
            Await.failure(AccessDeniedException.class, bench.campaign(client, session));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldFailWhenTheKeysHoldSomethingElse(LeaderElection.Mode mode) {
        try (ElectionBench bench = new ElectionBench(mode)) {
            Coordination client = bench.connect();
            commit(client, Txn.builder().create(TERM, new byte[] {'x'}));
            IllegalStateException noNumber =
                    Await.failure(IllegalStateException.class, bench.campaign(client, openSession(client)));
            assertEquals(
                    "the term key does not hold a number: key=/election_epoch, value=x; give it one",
                    noNumber.getMessage());
        }
        try (ElectionBench bench = new ElectionBench(mode)) {
            Coordination client = bench.connect();
            Key obstacle = mode == NAME ? ELECTION.child("child") : ELECTION;
            commit(client, Txn.builder().create(obstacle, new byte[0]));
            IllegalStateException noLeaf =
                    Await.failure(IllegalStateException.class, bench.campaign(client, openSession(client)));
            assertTrue(String.valueOf(noLeaf.getMessage()).contains("/election"), noLeaf.getMessage());
        }
    }

    // Case 57: the third of the queue watches the second only, and is not woken when the first goes.
    @Test
    void shouldWakeOnlyTheNextOfTheQueue() {
        try (ElectionBench bench = new ElectionBench(LeaderElection.Mode.QUEUE)) {
            Coordination one = bench.connect();
            Coordination two = bench.connect();
            Coordination three = bench.connect();
            List<String> calls = new ArrayList<>();
            CompletableFuture<Leadership> first = bench.campaign(one, openSession(one));
            CompletableFuture<Leadership> second = bench.campaign(two, openSession(two));
            Key secondKey = bench.held(one).get(1).key();
            CompletableFuture<Leadership> third = bench.campaign(recording(three, calls), openSession(three));
            assertEquals(
                    List.of("watch " + secondKey),
                    calls.stream().filter(call -> call.startsWith("watch")).toList());
            calls.clear();
            Await.done(Await.value(first).resign());
            assertTrue(leads(second));
            assertEquals(List.of(), calls);
            Await.done(Await.value(second).resign());
            assertTrue(leads(third));
        }
    }

    private static Coordination recording(Coordination client, List<String> calls) {
        return (Coordination) Proxy.newProxyInstance(
                Coordination.class.getClassLoader(),
                new Class<?>[] {Coordination.class},
                (proxy, method, arguments) -> {
                    calls.add(method.getName() + " " + arguments[0]);
                    try {
                        return method.invoke(client, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getTargetException();
                    }
                });
    }

    // The deposed leader's writes conflict on the guard, whatever else they contain.
    @ParameterizedTest
    @EnumSource
    void shouldConflictOnTheGuardFirst(LeaderElection.Mode mode) {
        try (ElectionBench bench = new ElectionBench(mode)) {
            Coordination client = bench.connect();
            Leadership old = Await.value(bench.campaign(client, openSession(client)));
            Await.done(old.resign());
            Coordination other = bench.connect();
            assertTrue(leads(bench.campaign(other, openSession(other))));
            Txn.Builder guarded = old.guard(Txn.builder()).create(Key.of("/by/old"), new byte[0]);
            assertEquals(new TxnResult.Conflict(0, TxnResult.Kind.VERSION), Await.value(client.commit(txn(guarded))));
        }
    }
}

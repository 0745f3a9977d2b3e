package io.tidemark.coordination;

import static io.tidemark.coordination.ContractCase.bytes;
import static io.tidemark.coordination.ContractCase.conflict;
import static io.tidemark.coordination.ContractCase.createEphemeral;
import static io.tidemark.coordination.ContractCase.createKey;
import static io.tidemark.coordination.ContractCase.delete;
import static io.tidemark.coordination.ContractCase.entry;
import static io.tidemark.coordination.ContractCase.read;
import static io.tidemark.coordination.ContractCase.update;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Cases 28, 31, 32, 40, 41, 46 to 49, 51 and 52: what holds when the service, or the way to it, fails. */
interface FaultContract extends ContractCase {
    /** How often case 41 restarts the service. */
    int RESTARTS = 20;

    // Case 28: the service is away for longer than the time to live; whatever it keeps, the session is over.
    @Test
    default void shouldNeverBeValidAfterALongOutage() {
        Coordination owner = openClient();
        Session session = openSession(owner);
        createEphemeral(owner, "/e", "1", session);
        fixture().stopService();
        long stoppedNs = fixture().nowNs();
        long ttlNs = session.ttl().toNanos();
        until(() -> "the deadline", () -> {
            // The clock is read first: whatever is valid afterwards was valid then.
            long passedNs = fixture().nowNs() - stoppedNs;
            assertFalse(session.isValid(Duration.ZERO) && passedNs > ttlNs, "valid after its time to live");
            return passedNs > ttlNs;
        });
        fixture().startService();
        assertEquals(Session.State.EXPIRED, valueInTime(session.terminated()));
        Session next = valueOnceReachable(() -> owner.openSession(fixture().ttl()));
        until(
                () -> "the key to vanish",
                () -> valueOnceReachable(() -> owner.get(Key.of("/e"), ReadMode.LINEARIZABLE))
                        .isEmpty());
        assertFalse(session.isValid(Duration.ZERO));
        createEphemeral(owner, "/e", "2", next);
    }

    // Case 31.
    @Test
    default void shouldTakeOverAnEphemeralKeyOnlyOnceItIsGone() {
        Coordination one = openClient();
        Coordination two = openClient();
        Session old = openSession(one);
        createEphemeral(one, "/e", "old", old);
        Session next = openSession(two);
        Txn takeOver =
                Txn.builder().createEphemeral(Key.of("/e"), bytes("next"), next).build();
        assertEquals(new TxnResult.Conflict(0, TxnResult.Kind.EXISTS), conflict(two.commit(takeOver)));
        fixture().expire(old);
        until(() -> "the take-over", () -> Await.value(two.commit(takeOver)).isCommitted());
        assertTrue(entry(two, "/e").isOwnedBy(next));
    }

    // Case 32: the process stands still for longer than the time to live, and its clock tells so on wake.
    @Test
    default void shouldBeExpiredOnWakeBeforeAnythingSucceeds() {
        AtomicLong aheadNs = new AtomicLong();
        Coordination client = fixture()
                .openClient(
                        CoordinationConfig.builder().nanoClock(() -> fixture().nowNs() + aheadNs.get()));
        Session session = openSession(client);
        createKey(client, "/warm", "w");
        aheadNs.set(session.ttl().toNanos());
        assertFalse(session.isValid(Duration.ZERO));
        assertEquals(Session.State.EXPIRED, session.state());
        Txn txn = Txn.builder()
                .createEphemeral(Key.of("/e"), bytes("no"), session)
                .build();
        Await.failure(SessionExpiredException.class, client.commit(txn));
        assertTrue(read(openClient(), "/e").isEmpty());
    }

    // Case 40: what a watch missed cannot be had change by change any more.
    @Test
    default void shouldTakeANewSnapshotAfterAGap() {
        Coordination watcher = openClient();
        Coordination writer = openClient();
        Version kept = createKey(writer, "/w/kept", "1");
        Version gone = createKey(writer, "/w/gone", "1");
        WatchView view = new WatchView();
        Watch watch = watcher.watch(Key.of("/w"), view);
        Await.done(watch.ready());
        fixture().cutOff(watcher);
        update(writer, "/w/kept", "2", kept);
        delete(writer, "/w/gone", gone);
        createKey(writer, "/w/new", "1");
        fixture().compactHistory();
        fixture().heal(watcher);
        until(
                () -> "the state after the gap: " + view.values(),
                () -> view.values().equals(Map.of("/w/kept", "2", "/w/new", "1")));
        createKey(writer, "/w/later", "1");
        until(() -> "a later change: " + view.values(), () -> view.values().containsKey("/w/later"));
        watch.close();
    }

    // Case 41: restarts under traffic. No watch dies, no acknowledged key is lost, and no thread is left in the end.
    @Test
    @Timeout(600)
    default void shouldKeepWatchesAliveOverManyRestarts() {
        String name = "restart-check-" + Long.toHexString(System.identityHashCode(fixture()));
        Coordination watcher = fixture().openClient(config().clientName(name));
        Coordination writer = fixture().openClient(config().clientName(name));
        createKey(writer, "/w/first", "0");
        Set<String> acknowledged = new TreeSet<>(Set.of("/w/first"));
        WatchView view = new WatchView();
        Watch watch = watcher.watch(Key.of("/w"), view);
        Await.done(watch.ready());
        for (int i = 0; i < RESTARTS; i++) {
            String path = "/w/" + i;
            Txn before = Txn.builder().create(Key.of(path + "/a"), bytes("a")).build();
            CompletionStage<TxnResult> underWay = writer.commit(before);
            fixture().stopService();
            fixture().startService();
            valueOnceReachable(() -> writer.get(Key.of(path), ReadMode.LINEARIZABLE));
            until(() -> "the end of a call", underWay.toCompletableFuture()::isDone);
            if (!underWay.toCompletableFuture().isCompletedExceptionally()) {
                acknowledged.add(path + "/a");
            }
            // Creating it is tried until it is there, whatever became of the attempts before.
            Txn after = Txn.builder().create(Key.of(path + "/b"), bytes("b")).build();
            valueOnceReachable(() -> writer.commit(after));
            acknowledged.add(path + "/b");
            until(() -> "the watch to see " + path, () -> view.values().containsKey(path + "/b"));
        }
        for (String path : acknowledged) {
            entry(writer, path);
        }
        until(
                () -> "the watch to see all of " + acknowledged + ": " + view.values(),
                () -> view.values().keySet().containsAll(acknowledged));
        for (Entry seen : view.entries()) {
            assertEquals(seen, entry(writer, seen.key().path()));
        }
        watch.close();
        watcher.close();
        writer.close();
        awaitNoThreadOf(name);
    }

    private static void awaitNoThreadOf(String name) {
        // A thread that has done its last work may need a moment to vanish from the list.
        Await.until(
                () -> "the end of threads of " + name,
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().contains(name)));
    }

    // Case 46: within one client the past does not come back.
    @Test
    default void shouldNotGoBackInLocalReads() {
        Coordination writer = openClient();
        Coordination reader = openClient();
        Version version = createKey(writer, "/a", "0");
        valueOnceReachable(() -> reader.get(Key.of("/a"), ReadMode.LINEARIZABLE));
        long seen = 0;
        for (int i = 0; i < 50; i++) {
            version = update(writer, "/a", Integer.toString(i), version);
            Optional<Entry> entry = valueOnceReachable(() -> reader.get(Key.of("/a"), ReadMode.LOCAL));
            long revision = entry.orElseThrow().version().modRevision();
            assertTrue(revision >= seen, "seen=" + seen + ", then=" + revision);
            seen = revision;
            if (i == 25) {
                fixture().cutOff(reader);
                fixture().heal(reader);
            }
        }
    }

    // Case 47.
    @Test
    default void shouldFailLinearizableReadsWithoutAMajority() {
        Coordination client = fixture().openClient(config().operationTimeout(Duration.ofSeconds(2)));
        createKey(openClient(), "/a", "1");
        valueOnceReachable(() -> client.get(Key.of("/a"), ReadMode.LINEARIZABLE));
        fixture().stopService();
        CompletionStage<Optional<Entry>> get = client.get(Key.of("/a"), ReadMode.LINEARIZABLE);
        CompletionStage<Listing> list = client.list(Key.ROOT, ReadMode.LINEARIZABLE);
        until(() -> "the end of a read", get.toCompletableFuture()::isDone);
        until(() -> "the end of a listing", list.toCompletableFuture()::isDone);
        Await.failure(ConnectionLostException.class, get);
        Await.failure(ConnectionLostException.class, list);
        fixture().startService();
        assertTrue(valueOnceReachable(() -> client.get(Key.of("/a"), ReadMode.LINEARIZABLE))
                .isPresent());
    }

    // Case 48.
    @Test
    default void shouldNotKnowTheOutcomeWhenTheReplyIsLost() {
        Coordination client = openClient();
        Coordination other = openClient();
        Version before = createKey(client, "/a", "1");
        fixture().dropNextReply(client);
        CompletionStage<TxnResult> lost = client.commit(
                Txn.builder().update(Key.of("/a"), bytes("2"), before).build());
        until(
                () -> "the write to be applied",
                () -> entry(other, "/a").valueText().equals("2"));
        fixture().cutOff(client);
        until(() -> "the end of the write", lost.toCompletableFuture()::isDone);
        Await.failure(OutcomeUnknownException.class, lost);
        fixture().heal(client);
        Version after = entry(other, "/a").version();
        Txn again = Txn.builder().update(Key.of("/a"), bytes("3"), before).build();
        assertEquals(new TxnResult.Conflict(0, TxnResult.Kind.VERSION), valueOnceReachable(() -> client.commit(again)));
        assertEquals(after, entry(other, "/a").version());
    }

    // Case 49.
    @Test
    default void shouldNotKnowTheOutcomeWhenTheRequestIsLost() {
        Coordination client = openClient();
        Coordination other = openClient();
        Version before = createKey(client, "/a", "1");
        fixture().dropNextRequest(client);
        CompletionStage<TxnResult> lost = client.commit(
                Txn.builder().update(Key.of("/a"), bytes("2"), before).build());
        fixture().cutOff(client);
        until(() -> "the end of the write", lost.toCompletableFuture()::isDone);
        Await.failure(OutcomeUnknownException.class, lost);
        fixture().heal(client);
        assertEquals(before, entry(other, "/a").version());
        // The unmoved version settles nothing; a write of one's own does.
        update(other, "/a", "3", before);
        valueOnceReachable(() -> client.get(Key.of("/a"), ReadMode.LINEARIZABLE));
        assertEquals("3", entry(other, "/a").valueText());
    }

    // Case 51.
    @Test
    default void shouldLeaveNoThreads() {
        String name = "thread-check-" + Long.toHexString(System.identityHashCode(fixture()));
        Coordination client = fixture().openClient(config().clientName(name));
        Session session = openSession(client);
        createEphemeral(client, "/e", "1", session);
        Watch watch = client.watch(Key.ROOT, new WatchView());
        Await.done(watch.ready());
        client.close();
        awaitNoThreadOf(name);
    }

    // Case 52.
    @Test
    default void shouldRefuseWhoMayNot() {
        Optional<Coordination> intruder = fixture().openIntruder();
        if (intruder.isEmpty()) {
            CoordinationConfig.Builder known =
                    config().credentials(Credentials.password("somebody", Secret.of("no matter")));
            assertThrows(IllegalArgumentException.class, () -> fixture().openClient(known));
            return;
        }
        Txn txn = Txn.builder().create(Key.of("/guarded/a"), bytes("no")).build();
        CompletionStage<TxnResult> refused = intruder.get().commit(txn);
        until(() -> "the end of a call", refused.toCompletableFuture()::isDone);
        Await.failure(AccessDeniedException.class, refused);
    }
}

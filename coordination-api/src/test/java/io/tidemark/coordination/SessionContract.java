package io.tidemark.coordination;

import static io.tidemark.coordination.ContractCase.bytes;
import static io.tidemark.coordination.ContractCase.createEphemeral;
import static io.tidemark.coordination.ContractCase.createKey;
import static io.tidemark.coordination.ContractCase.delete;
import static io.tidemark.coordination.ContractCase.entry;
import static io.tidemark.coordination.ContractCase.read;
import static io.tidemark.coordination.ContractCase.update;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Cases 21 to 27, 29, 45 and 50: sessions, and what else a client promises over its life. */
interface SessionContract extends ContractCase {
    // Case 21.
    @Test
    default void shouldRemoveEphemeralKeysBeforeCloseCompletes() {
        Coordination client = openClient();
        Coordination other = openClient();
        Session session = openSession(client);
        createEphemeral(client, "/e/one", "1", session);
        createEphemeral(client, "/e/two", "2", session);
        createKey(client, "/stays", "s");
        Await.done(session.closeAsync());
        assertTrue(read(other, "/e/one").isEmpty());
        assertTrue(read(other, "/e/two").isEmpty());
        assertEquals("s", entry(other, "/stays").valueText());
        assertEquals(Session.State.CLOSED, session.state());
        assertFalse(session.isValid(Duration.ZERO));
    }

    // Case 21: the blocking form, and the close of the client, do the same.
    @Test
    default void shouldRemoveEphemeralKeysOnBlockingClose() {
        Coordination other = openClient();
        Coordination client = openClient();
        Session session = openSession(client);
        createEphemeral(client, "/one", "1", session);
        createEphemeral(client, "/two", "2", openSession(client));
        session.close();
        session.close();
        assertTrue(read(other, "/one").isEmpty());
        client.close();
        assertTrue(read(other, "/two").isEmpty());
    }

    // Case 21: an update leaves the owner, so the key still ends with its session.
    @Test
    default void shouldKeepTheOwnerUnderUpdates() {
        Coordination client = openClient();
        Session session = openSession(client);
        Version version = createEphemeral(client, "/e", "1", session);
        Version updated = update(openClient(), "/e", "2", version);
        assertEquals(OptionalLong.of(session.id()), entry(client, "/e").ownerSessionId());
        assertEquals(updated, entry(client, "/e").version());
        Await.done(session.closeAsync());
        assertTrue(read(client, "/e").isEmpty());
    }

    // An ephemeral key may be deleted, and created again by another session.
    @Test
    default void shouldHandAnEphemeralKeyOver() {
        Coordination one = openClient();
        Coordination two = openClient();
        Session first = openSession(one);
        Session second = openSession(two);
        Version version = createEphemeral(one, "/e", "1", first);
        delete(two, "/e", version);
        createEphemeral(two, "/e", "2", second);
        Await.done(first.closeAsync());
        assertTrue(entry(one, "/e").isOwnedBy(second));
    }

    // Case 22.
    @Test
    default void shouldRemoveAllKeysOnExpiryAtOnceForAWatcher() {
        Coordination client = openClient();
        Coordination other = openClient();
        Session session = openSession(client);
        createEphemeral(client, "/e/1", "1", session);
        createEphemeral(client, "/e/2", "2", session);
        createEphemeral(client, "/e/3", "3", session);
        createKey(client, "/e/stays", "s");
        WatchView view = new WatchView();
        Watch watch = other.watch(Key.of("/e"), view);
        Await.done(watch.ready());
        fixture().expire(session);
        until(() -> "the keys to vanish: " + view.values(), () -> view.values().equals(Map.of("/e/stays", "s")));
        if (other.capabilities().contains(Capability.ATOMIC_WATCH)) {
            assertEquals(1, view.batches().size(), () -> "batches=" + view.batches());
        }
        assertEquals(Session.State.EXPIRED, valueInTime(session.terminated()));
        watch.close();
    }

    // Case 23.
    @Test
    default void shouldRefuseWritesOfAnExpiredSession() {
        Coordination client = openClient();
        Session session = openSession(client);
        fixture().expire(session);
        Txn txn = Txn.builder()
                .createEphemeral(Key.of("/e"), bytes("no"), session)
                .create(Key.of("/beside"), bytes("no"))
                .build();
        Await.failure(CoordinationException.class, client.commit(txn));
        assertEquals(Session.State.EXPIRED, valueInTime(session.terminated()));
        Await.failure(SessionExpiredException.class, client.commit(txn));
        assertEquals(Optional.empty(), valueOnceReachable(() -> client.get(Key.of("/e"), ReadMode.LINEARIZABLE)));
        assertTrue(read(client, "/beside").isEmpty());
        Session next = openSession(client);
        assertNotEquals(session.id(), next.id());
        createEphemeral(client, "/e", "yes", next);
    }

    // Case 24.
    @Test
    default void shouldTerminateOnce() {
        Coordination client = openClient();
        Session session = openSession(client);
        AtomicInteger terminations = new AtomicInteger();
        session.terminated().thenRun(terminations::incrementAndGet);
        List<Session.State> states = record(session);
        fixture().expire(session);
        assertEquals(Session.State.EXPIRED, valueInTime(session.terminated()));
        session.close();
        assertEquals(Session.State.EXPIRED, session.state());
        assertEquals(Session.State.EXPIRED, Await.value(session.terminated()));
        until(() -> "the last state: " + states, () -> states.contains(Session.State.EXPIRED));
        assertEquals(Session.State.EXPIRED, states.get(states.size() - 1));
        assertEquals(1, states.stream().filter(Session.State::isFinal).count());
        assertEquals(1, terminations.get());
    }

    // Case 24: the same for a session that its owner closed.
    @Test
    default void shouldStayClosed() {
        Coordination client = openClient();
        Session session = openSession(client);
        List<Session.State> states = record(session);
        session.close();
        assertEquals(Session.State.CLOSED, Await.value(session.terminated()));
        fixture().expire(session);
        assertEquals(Session.State.CLOSED, session.state());
        until(() -> "the last state: " + states, () -> states.contains(Session.State.CLOSED));
        assertEquals(List.of(Session.State.CONNECTED, Session.State.CLOSED), states);
    }

    // Case 25: whoever sees the key gone can be sure that its owner has stopped.
    @Test
    default void shouldBeInvalidBeforeOthersSeeItsKeysGone() {
        Coordination owner = openClient();
        Coordination other = openClient();
        Session session = openSession(owner);
        createEphemeral(owner, "/e", "1", session);
        fixture().cutOff(owner);
        assertTrue(session.isValid(Duration.ZERO), "a session holds out while its time to live lasts");
        until(() -> "the key to vanish", () -> {
            boolean gone = read(other, "/e").isEmpty();
            boolean valid = session.isValid(Duration.ZERO);
            assertFalse(gone && valid, "the key is gone, and its owner still holds itself for valid");
            return gone;
        });
        assertEquals(Session.State.EXPIRED, valueInTime(session.terminated()));
        assertFalse(session.isValid(Duration.ZERO));
        fixture().heal(owner);
        assertEquals(Session.State.EXPIRED, session.state());
        assertFalse(session.isValid(Duration.ZERO));
    }

    // Case 25: the margin counts.
    @Test
    default void shouldGiveTheMarginAway() {
        Session session = openSession(openClient());
        assertTrue(session.isValid(Duration.ZERO));
        assertTrue(session.isValid(session.ttl().dividedBy(4)));
        assertFalse(session.isValid(session.ttl().plusMillis(1)));
    }

    // Case 26.
    @Test
    default void shouldSurviveAShortDisconnect() {
        Coordination owner = openClient();
        Coordination other = openClient();
        Session session = openSession(owner);
        Version version = createEphemeral(owner, "/e", "1", session);
        List<Session.State> states = record(session);
        until(() -> "the first state", () -> states.contains(Session.State.CONNECTED));
        fixture().cutOff(owner);
        until(() -> "suspension: " + states, () -> states.contains(Session.State.SUSPENDED));
        fixture().heal(owner);
        until(() -> "connection: " + states, () -> states.get(states.size() - 1) == Session.State.CONNECTED);
        assertEquals(List.of(Session.State.CONNECTED, Session.State.SUSPENDED, Session.State.CONNECTED), states);
        assertTrue(session.isValid(Duration.ZERO));
        assertEquals(version, entry(other, "/e").version());
        // And it lives on by renewals: longer than one time to live.
        long beganNs = fixture().nowNs();
        until(
                () -> "time to pass",
                () -> fixture().nowNs() - beganNs
                        > session.ttl().plus(fixture().expirySlack()).toNanos());
        assertEquals(Session.State.CONNECTED, session.state());
        assertEquals(version, entry(other, "/e").version());
    }

    // Case 27.
    @Test
    default void shouldClampAndReportTheTimeToLive() {
        Coordination client = openClient();
        Limits limits = client.limits();
        Session shortest = Await.value(client.openSession(Duration.ofNanos(1)));
        assertEquals(limits.minTtl(), shortest.ttl());
        Session longest = Await.value(client.openSession(Duration.ofDays(1)));
        assertEquals(limits.maxTtl(), longest.ttl());
        assertThrows(IllegalArgumentException.class, () -> client.openSession(Duration.ZERO));
    }

    // Case 29.
    @Test
    default void shouldKeepTwoSessionsOfOneClientApart() {
        Coordination client = openClient();
        Session one = openSession(client);
        Session two = openSession(client);
        createEphemeral(client, "/one", "1", one);
        createEphemeral(client, "/two", "2", two);
        fixture().expire(one);
        valueInTime(one.terminated());
        until(() -> "the key to vanish", () -> read(client, "/one").isEmpty());
        assertTrue(entry(client, "/two").isOwnedBy(two));
        assertFalse(two.state().isFinal());
    }

    // A session is of use only to the client that opened it.
    @Test
    default void shouldRefuseASessionOfAnotherClient() {
        Session foreign = openSession(openClient());
        Txn txn = Txn.builder()
                .createEphemeral(Key.of("/e"), bytes("no"), foreign)
                .build();
        Coordination client = openClient();
        assertThrows(IllegalArgumentException.class, () -> client.commit(txn));
    }

    // Case 45.
    @Test
    default void shouldReadWhatAnotherClientWrote() {
        Coordination writer = openClient();
        Coordination reader = openClient();
        Version version = createKey(writer, "/a", "0");
        for (int i = 1; i <= 50; i++) {
            version = update(writer, "/a", Integer.toString(i), version);
            assertEquals(version, entry(reader, "/a").version());
        }
    }

    // Case 50.
    @Test
    default void shouldEndAllCallsOnClose() {
        Coordination client = openClient();
        Session session = openSession(client);
        Watch watch = client.watch(Key.of("/a"), new WatchView());
        List<CompletableFuture<?>> calls = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 20; i++) {
            Txn txn = Txn.builder().create(Key.of("/a/" + i), bytes("v")).build();
            calls.add(client.commit(txn).toCompletableFuture());
            calls.add(client.get(Key.of("/a/" + i), ReadMode.LINEARIZABLE).toCompletableFuture());
        }
        client.close();
        client.close();
        calls.add(watch.ready().toCompletableFuture());
        calls.add(session.terminated().toCompletableFuture());
        Await.until(() -> "the end of " + calls, () -> calls.stream().allMatch(CompletableFuture::isDone));
        assertTrue(session.state().isFinal());
        Await.failure(CoordinationClosedException.class, client.get(Key.of("/a"), ReadMode.LINEARIZABLE));
        Await.failure(
                CoordinationClosedException.class, client.openSession(fixture().ttl()));
    }

    private static List<Session.State> record(Session session) {
        List<Session.State> states = new CopyOnWriteArrayList<>();
        session.addListener((from, state) -> states.add(state));
        return states;
    }
}

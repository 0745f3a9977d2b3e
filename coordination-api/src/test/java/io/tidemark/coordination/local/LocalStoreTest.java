package io.tidemark.coordination.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.coordination.Await;
import io.tidemark.coordination.ConnectionLostException;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationClosedException;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Coordinations;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.OutcomeUnknownException;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.Session;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What the in-memory back end does beyond the contract: virtual time, faults, sharing. */
final class LocalStoreTest {
    private static final Duration TTL = Duration.ofSeconds(6);
    private static final Key KEY = Key.of("/key");

    private final VirtualClock clock = new VirtualClock();

    private CoordinationConfig config() {
        return CoordinationConfig.builder()
                .nanoClock(clock)
                .operationTimeout(Duration.ofSeconds(1))
                .callbackExecutor(Runnable::run)
                .build();
    }

    private static <T> T done(CompletionStage<T> stage) {
        assertTrue(stage.toCompletableFuture().isDone(), "the store must answer at once");
        return Await.value(stage);
    }

    private static Throwable failure(CompletionStage<?> stage) {
        assertTrue(stage.toCompletableFuture().isDone(), "the call must have ended");
        return Await.failure(Throwable.class, stage);
    }

    private static Txn create(String path) {
        return Txn.builder().create(Key.of(path), new byte[] {1}).build();
    }

    // Two clients that connect to one store see each other; stores of local: do not.
    @Test
    void shouldShareAStoreOnlyWhenAskedTo() {
        try (LocalStore store = LocalStore.create(clock);
                Coordination one = store.connect(config());
                Coordination two = store.connect(config());
                Coordination other = Coordinations.open("local:", CoordinationConfig.defaults())) {
            done(one.commit(create("/key")));
            assertTrue(done(two.get(KEY, ReadMode.LOCAL)).isPresent());
            assertTrue(Await.value(other.get(KEY, ReadMode.LOCAL)).isEmpty());
        }
    }

    // A client that gets through keeps its session over many times the ttl; one that is silent loses it at the ttl.
    @Test
    void shouldRenewWhileConnectedAndExpireAfterSilence() {
        try (LocalStore store = LocalStore.create(clock);
                Coordination client = store.connect(config())) {
            Session session = done(client.openSession(TTL));
            done(client.commit(
                    Txn.builder().createEphemeral(KEY, new byte[0], session).build()));
            step(store, TTL.multipliedBy(5));
            assertEquals(Session.State.CONNECTED, session.state());

            store.faults().partition(client);
            step(store, TTL.minusSeconds(1));
            assertEquals(Session.State.SUSPENDED, session.state());
            step(store, Duration.ofSeconds(1));
            assertEquals(Session.State.EXPIRED, session.state());
            try (Coordination other = store.connect(config())) {
                assertTrue(done(other.get(KEY, ReadMode.LINEARIZABLE)).isEmpty());
            }
        }
    }

    private void step(LocalStore store, Duration time) {
        for (Duration left = time; !left.isZero(); left = left.minusMillis(100)) {
            clock.advance(Duration.ofMillis(100));
            store.tick();
        }
    }

    // The whole process stood still for longer than the ttl: the session is over before anything succeeds.
    @Test
    void shouldExpireOnWakeAfterAStall() {
        try (LocalStore store = LocalStore.create(clock);
                Coordination client = store.connect(config())) {
            Session session = done(client.openSession(TTL));
            clock.advance(TTL);
            assertFalse(session.isValid(Duration.ZERO));
            assertEquals(Session.State.EXPIRED, session.state());
            store.tick();
            assertEquals(Session.State.EXPIRED, done(session.terminated()));
        }
    }

    // A vanished request ends by its deadline; the client may not know whether a write took effect.
    @Test
    void shouldEndHungCallsByTheirDeadline() {
        try (LocalStore store = LocalStore.create(clock);
                Coordination client = store.connect(config())) {
            store.faults().partition(client);
            CompletionStage<TxnResult> write = client.commit(create("/key"));
            CompletionStage<?> read = client.get(KEY, ReadMode.LINEARIZABLE);
            step(store, Duration.ofMillis(900));
            assertFalse(write.toCompletableFuture().isDone());
            step(store, Duration.ofMillis(100));
            assertInstanceOf(OutcomeUnknownException.class, failure(write));
            assertInstanceOf(ConnectionLostException.class, failure(read));
        }
    }

    // The same in real time: the store's own thread ends the call.
    @Test
    void shouldEndHungCallsInRealTime() {
        CoordinationConfig quick = CoordinationConfig.builder()
                .operationTimeout(Duration.ofMillis(50))
                .build();
        try (LocalStore store = LocalStore.create();
                Coordination client = store.connect(quick)) {
            store.faults().partition(client);
            Await.failure(OutcomeUnknownException.class, client.commit(create("/key")));
        }
    }

    @Test
    void shouldDropRequestsAndRepliesAndFailCalls() {
        try (LocalStore store = LocalStore.create(clock);
                Coordination client = store.connect(config())) {
            store.faults().dropRequest(client, 1);
            assertInstanceOf(OutcomeUnknownException.class, failure(client.commit(create("/lost"))));
            store.faults().dropReply(client, 1);
            assertInstanceOf(OutcomeUnknownException.class, failure(client.commit(create("/kept"))));
            store.faults().failNext(client, new ConnectionLostException("planned"));
            assertInstanceOf(ConnectionLostException.class, failure(client.get(KEY, ReadMode.LOCAL)));
            assertTrue(done(client.get(Key.of("/lost"), ReadMode.LOCAL)).isEmpty());
            assertTrue(done(client.get(Key.of("/kept"), ReadMode.LOCAL)).isPresent());
        }
    }

    @Test
    void shouldRefuseFaultsOnForeignClients() {
        try (LocalStore store = LocalStore.create(clock);
                LocalStore other = LocalStore.create(clock);
                Coordination client = other.connect(config())) {
            assertThrows(IllegalArgumentException.class, () -> store.faults().partition(client));
        }
    }

    // Case 50: nothing waits for ever on a closed client.
    @Test
    void shouldEndEverythingOnClose() {
        LocalStore store = LocalStore.create(clock);
        Coordination client = store.connect(config());
        Session session = done(client.openSession(TTL));
        store.faults().partition(client);
        CompletionStage<TxnResult> hung = client.commit(create("/key"));
        store.close();
        assertInstanceOf(OutcomeUnknownException.class, failure(hung));
        assertEquals(Session.State.CLOSED, session.state());
        assertInstanceOf(CoordinationClosedException.class, failure(client.commit(create("/key"))));
        assertInstanceOf(CoordinationClosedException.class, failure(client.openSession(TTL)));
        assertThrows(IllegalStateException.class, () -> store.connect(config()));
        client.close();
    }

    // Case 51: the threads of the store and of the client end with them.
    @Test
    void shouldLeaveNoThreads() {
        CoordinationConfig named =
                CoordinationConfig.builder().clientName("thread-check").build();
        try (LocalStore store = LocalStore.create();
                Coordination client = store.connect(named)) {
            CompletableFuture<String> thread = new CompletableFuture<>();
            Await.value(client.openSession(TTL))
                    .addListener((session, state) ->
                            thread.complete(Thread.currentThread().getName()));
            assertTrue(Await.value(thread).startsWith("thread-check"), Await.value(thread));
        }
        assertEquals(Set.of(), threads("thread-check"));
    }

    private static Set<String> threads(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith(prefix))
                .collect(Collectors.toSet());
    }

    @Test
    void shouldNameTheKnownSchemes() {
        IllegalArgumentException unknown = assertThrows(
                IllegalArgumentException.class,
                () -> Coordinations.open("zoo://user:secret@h:1/x", CoordinationConfig.defaults()));
        assertTrue(
                String.valueOf(unknown.getMessage()).contains("scheme=zoo, uri=zoo://h:1/x, known=[local]"),
                unknown.getMessage());
        IllegalArgumentException malformed = assertThrows(
                IllegalArgumentException.class, () -> Coordinations.open("zk:", CoordinationConfig.defaults()));
        assertTrue(
                String.valueOf(malformed.getMessage()).startsWith("not a coordination URI: "), malformed.getMessage());
    }
}

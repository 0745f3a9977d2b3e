package io.tidemark.coordination.zk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.coordination.Await;
import io.tidemark.coordination.Change;
import io.tidemark.coordination.ConnectionLostException;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationClosedException;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Coordinations;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.OutcomeUnknownException;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.Session;
import io.tidemark.coordination.SessionExpiredException;
import io.tidemark.coordination.TcpProxy;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import io.tidemark.coordination.Version;
import io.tidemark.coordination.WatchListener;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a ZooKeeper client makes of lost connections, lost replies and ended sessions, with a real server. */
class ZkFaultsTest {
    private static final Duration TTL = Duration.ofSeconds(5);
    private static final byte[] VALUE = "v".getBytes(StandardCharsets.UTF_8);
    private static final Key KEY = Key.of("/key");

    @TempDir
    Path folder;

    private EmbeddedZooKeeper server;
    private TcpProxy proxy;
    private Coordination direct;
    private Coordination proxied;

    @BeforeEach
    void open() {
        server = EmbeddedZooKeeper.start(folder);
        proxy = TcpProxy.to(server.port());
        direct = Coordinations.open(server.uri("/test"), config("direct", Duration.ofSeconds(10)));
        proxied = Coordinations.open(uri(proxy.port()), config("proxied", Duration.ofSeconds(5)));
    }

    @AfterEach
    void close() {
        proxied.close();
        direct.close();
        proxy.close();
        server.close();
    }

    private CoordinationConfig config(String name, Duration timeout) {
        return CoordinationConfig.builder()
                .clientName(nameOf(name))
                .operationTimeout(timeout)
                .build();
    }

    private static URI uri(int port) {
        return URI.create("zk://127.0.0.1:" + port + "/test");
    }

    private static TxnResult.Committed committed(CompletionStage<TxnResult> stage) {
        return assertInstanceOf(TxnResult.Committed.class, Await.value(stage));
    }

    private boolean isPresent(Key key) {
        return Await.value(direct.get(key, ReadMode.LINEARIZABLE)).isPresent();
    }

    private static Txn create(Key key) {
        return Txn.builder().create(key, VALUE).build();
    }

    // Nothing listens: every kind of call ends by its deadline, says whom it tried and how long, and nothing hangs.
    @Test
    void shouldNameServersAndWaitedTimeWhenNobodyIsThere() {
        proxied.close();
        server.stop();
        try (Coordination lonely = Coordinations.open(server.uri("/test"), config("lonely", Duration.ofMillis(1500)))) {
            for (CompletionStage<?> stage : List.of(
                    lonely.get(KEY, ReadMode.LOCAL),
                    lonely.list(KEY, ReadMode.LINEARIZABLE),
                    lonely.commit(create(KEY)),
                    lonely.openSession(TTL))) {
                String text = String.valueOf(
                        Await.failure(ConnectionLostException.class, stage).getMessage());
                assertTrue(text.contains("servers=" + server.servers()), text);
                assertTrue(text.contains("timeout=PT1.5S"), text);
            }
        }
        assertNoThreadOf("lonely");
    }

    // The reply is lost after the server has applied the write: it must not be taken for refused, nor sent again.
    @Test
    void shouldReportUnknownOutcomeWhenReplyIsLost() {
        committed(proxied.commit(create(Key.of("/warm"))));
        proxy.holdReplies();
        CompletionStage<TxnResult> lost = proxied.commit(create(KEY));
        Await.until(() -> "write is applied", () -> isPresent(KEY));
        proxy.cut();
        Await.failure(OutcomeUnknownException.class, lost);
        proxy.heal();
        Entry entry = Await.value(proxied.get(KEY, ReadMode.LINEARIZABLE)).orElseThrow();
        assertEquals(entry.version().createRevision(), entry.version().modRevision());
    }

    // The request is held back before it reaches the server: the client cannot know that.
    @Test
    void shouldReportUnknownOutcomeWhenDeadlinePassesInFlight() {
        committed(proxied.commit(create(Key.of("/warm"))));
        proxy.partition();
        Await.failure(OutcomeUnknownException.class, proxied.commit(create(KEY)));
    }

    // Disconnected before the call: the write never left, and never arrives later.
    @Test
    void shouldReportNotSentWhenConnectionIsDown() {
        committed(proxied.commit(create(Key.of("/warm"))));
        Session session = Await.value(proxied.openSession(TTL));
        proxy.cut();
        Await.until(() -> "session is suspended", () -> session.state() == Session.State.SUSPENDED);
        Await.failure(ConnectionLostException.class, proxied.commit(create(KEY)));
        proxy.heal();
        assertTrue(Await.value(proxied.get(KEY, ReadMode.LINEARIZABLE)).isEmpty());
    }

    // A read has no effect, so it is simply asked again on the next connection.
    @Test
    void shouldRepeatReadWhenConnectionBreaks() {
        committed(direct.commit(create(KEY)));
        assertTrue(Await.value(proxied.get(KEY, ReadMode.LOCAL)).isPresent());
        proxy.holdReplies();
        CompletionStage<Optional<Entry>> read = proxied.get(KEY, ReadMode.LINEARIZABLE);
        proxy.cut();
        proxy.heal();
        assertTrue(Await.value(read).isPresent());
    }

    // The server says that the session is over: final, and no write under it is applied.
    @Test
    void shouldEndSessionWhenServerExpiresIt() {
        Session session = Await.value(proxied.openSession(TTL));
        committed(proxied.commit(
                Txn.builder().createEphemeral(KEY, VALUE, session).build()));
        server.expireSession(session.id());
        assertEquals(Session.State.EXPIRED, Await.value(session.terminated()));
        assertFalse(session.isValid(Duration.ZERO));
        assertTrue(Await.value(direct.get(KEY, ReadMode.LINEARIZABLE)).isEmpty());
        Await.failure(
                SessionExpiredException.class,
                proxied.commit(Txn.builder()
                        .createEphemeral(KEY, VALUE, session)
                        .create(Key.of("/other"), VALUE)
                        .build()));
        assertTrue(
                Await.value(direct.get(Key.of("/other"), ReadMode.LINEARIZABLE)).isEmpty());
        assertFalse(Await.value(proxied.openSession(TTL)).id() == session.id());
    }

    // Cut off for longer than the time to live: the owner stops before anyone else can see the key gone.
    @Test
    void shouldBeInvalidBeforeOthersSeeTheKeyGoneWhenPartitioned() {
        Session session = Await.value(proxied.openSession(TTL));
        committed(proxied.commit(
                Txn.builder().createEphemeral(KEY, VALUE, session).build()));
        proxy.partition();
        Await.until(
                () -> "key is gone",
                () -> Await.value(direct.get(KEY, ReadMode.LINEARIZABLE)).isEmpty());
        assertFalse(session.isValid(Duration.ZERO));
        assertEquals(Session.State.EXPIRED, session.state());
    }

    // A server that restarts within the time to live: the session, its key and the watch live on.
    @Test
    void shouldKeepSessionAndWatchOverShortRestart() {
        Mirror mirror = new Mirror();
        Session session = Await.value(direct.openSession(Duration.ofSeconds(20)));
        Await.done(direct.watch(Key.ROOT, mirror).ready());
        committed(
                direct.commit(Txn.builder().createEphemeral(KEY, VALUE, session).build()));
        server.stop();
        Await.until(() -> "session is suspended", () -> session.state() == Session.State.SUSPENDED);
        server.start();
        Await.until(() -> "session is back", () -> session.state() == Session.State.CONNECTED);
        committed(direct.commit(create(Key.of("/after"))));
        Await.until(() -> "watch is back: " + mirror, () -> mirror.has(KEY) && mirror.has(Key.of("/after")));
        assertTrue(session.isValid(Duration.ZERO));
    }

    // Persistent watches lose what happens meanwhile: creations, updates, deletions and a key that was made anew.
    @Test
    void shouldSeeChangesMadeWhileDisconnected() {
        Key updated = Key.of("/w/updated");
        Key deleted = Key.of("/w/deleted");
        Key anew = Key.of("/w/anew");
        Version first = committed(direct.commit(create(updated))).versions().get(0);
        Version second = committed(direct.commit(create(deleted))).versions().get(0);
        Version third = committed(direct.commit(create(anew))).versions().get(0);
        Mirror mirror = new Mirror();
        Await.done(proxied.watch(Key.of("/w"), mirror).ready());
        proxy.cut();
        Await.until(() -> "watch is degraded", () -> mirror.degraded.get() > 0);
        committed(direct.commit(Txn.builder()
                .update(updated, VALUE, first)
                .delete(deleted, second)
                .delete(anew, third)
                .build()));
        long revision = committed(direct.commit(create(anew))).revision();
        proxy.heal();
        Await.until(() -> "watch has caught up: " + mirror, () -> mirror.revisionOf(anew) == revision);
        assertFalse(mirror.has(deleted));
        assertTrue(mirror.revisionOf(updated) > first.modRevision());
        assertEquals(2, mirror.snapshots.get());
    }

    // The ZooKeeper session of the shared connection itself is ended: reads and watches go on with another.
    @Test
    void shouldMakeSharedConnectionAnewWhenItsSessionIsEnded() {
        Mirror mirror = new Mirror();
        Await.done(direct.watch(Key.ROOT, mirror).ready());
        server.expireAllSessions();
        Await.until(() -> "watch is degraded", () -> mirror.degraded.get() > 0);
        committed(direct.commit(create(KEY)));
        Await.until(() -> "watch is back: " + mirror, () -> mirror.has(KEY));
        assertTrue(Await.value(direct.get(KEY, ReadMode.LOCAL)).isPresent());
    }

    // Close in the worst moment: cut off, calls and a session open. All ends, in time, and no thread is left.
    @Test
    void shouldEndEverythingWhenClosedWhileRepliesAreLost() {
        Session session = Await.value(proxied.openSession(TTL));
        committed(proxied.commit(create(Key.of("/warm"))));
        proxy.holdReplies();
        CompletionStage<TxnResult> write = proxied.commit(create(KEY));
        Await.until(() -> "write is applied", () -> isPresent(KEY));
        CompletionStage<Optional<Entry>> read = proxied.get(KEY, ReadMode.LOCAL);
        proxied.close();
        Await.failure(OutcomeUnknownException.class, write);
        Await.failure(CoordinationClosedException.class, read);
        Await.failure(CoordinationClosedException.class, proxied.get(KEY, ReadMode.LOCAL));
        assertEquals(Session.State.CLOSED, Await.value(session.terminated()));
        assertNoThreadOf("proxied");
    }

    /** Other cases run at the same time. */
    private String nameOf(String client) {
        return client + "-" + folder.getFileName();
    }

    private void assertNoThreadOf(String client) {
        Await.until(
                () -> "threads are left: " + Thread.getAllStackTraces().keySet(),
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith(nameOf(client))));
    }

    /** Keeps what a watch shows. */
    private static final class Mirror implements WatchListener {
        final AtomicInteger snapshots = new AtomicInteger();
        final AtomicInteger degraded = new AtomicInteger();
        private final Map<Key, Entry> entries = new ConcurrentSkipListMap<>();

        @Override
        public void onSnapshot(Listing state) {
            entries.clear();
            state.entries().forEach(entry -> entries.put(entry.key(), entry));
            snapshots.incrementAndGet();
        }

        @Override
        public void onChanges(List<Change> changes, long revision) {
            for (Change change : changes) {
                if (change instanceof Change.Put put) {
                    entries.put(put.key(), put.entry());
                } else {
                    entries.remove(change.key());
                }
            }
        }

        @Override
        public void onDegraded(Throwable cause) {
            degraded.incrementAndGet();
        }

        boolean has(Key key) {
            return entries.containsKey(key);
        }

        long revisionOf(Key key) {
            Entry entry = entries.get(key);
            return entry == null ? 0 : entry.version().modRevision();
        }

        @Override
        public String toString() {
            return entries.keySet().toString();
        }
    }
}

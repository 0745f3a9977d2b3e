package io.tidemark.coordination.etcd;

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
import io.tidemark.coordination.TcpProxy;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a client of etcd makes of lost connections, lost replies, restarts and compactions, with a real server. */
@Timeout(180)
class EtcdFaultsTest {
    private static final Duration TTL = Duration.ofSeconds(5);
    private static final byte[] VALUE = "v".getBytes(StandardCharsets.UTF_8);
    private static final Key KEY = Key.of("/key");

    @TempDir
    Path folder;

    private EtcdServer server;
    private TcpProxy proxy;
    private Coordination direct;
    private Coordination proxied;

    @BeforeEach
    void open() {
        server = EtcdServer.start(folder);
        proxy = TcpProxy.to(server.port());
        direct = Coordinations.open(server.uri("/test"), config("direct", Duration.ofSeconds(20)));
        proxied = Coordinations.open(uri(proxy.port()), config("proxied", Duration.ofSeconds(3)));
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
        return URI.create("etcd://127.0.0.1:" + port + "/test");
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

    // Writes until one goes through: the first after a fault may find the connection still gone.
    private void createOnceReachable(Coordination client, Key key) {
        Await.until(() -> "a write goes through: key=" + key, () -> {
            CompletionStage<TxnResult> stage = client.commit(create(key));
            Await.until(() -> "the end of a call", stage.toCompletableFuture()::isDone);
            return !stage.toCompletableFuture().isCompletedExceptionally();
        });
    }

    // Nothing listens: every kind of call ends by its deadline, says whom it tried and how long, and nothing hangs.
    @Test
    void shouldNameServersAndWaitedTimeWhenNobodyIsThere() {
        server.kill();
        try (Coordination lonely = Coordinations.open(server.uri("/test"), config("lonely", Duration.ofMillis(1500)))) {
            for (CompletionStage<?> stage : List.of(
                    lonely.get(KEY, ReadMode.LOCAL),
                    lonely.list(KEY, ReadMode.LINEARIZABLE),
                    lonely.commit(create(KEY)),
                    lonely.openSession(TTL))) {
                String text = String.valueOf(
                        Await.failure(ConnectionLostException.class, stage).getMessage());
                assertTrue(text.contains("servers=127.0.0.1:" + server.port()), text);
                assertTrue(text.contains("timeout=PT1.5S"), text);
            }
        }
        assertNoThreadOf("lonely");
    }

    // The first of two members is not there: the client finds the other.
    @Test
    void shouldUseTheMemberThatIsThere() {
        TcpProxy nobody = TcpProxy.to(server.port());
        nobody.cut();
        URI two = URI.create("etcd://127.0.0.1:" + nobody.port() + ",127.0.0.1:" + server.port() + "/test");
        try (nobody;
                Coordination client = Coordinations.open(two, config("two", Duration.ofSeconds(20)))) {
            committed(client.commit(create(KEY)));
            assertTrue(isPresent(KEY));
        }
    }

    // The reply is lost after the member has applied the write: it must not be taken for refused, nor sent again.
    @Test
    void shouldReportUnknownOutcomeWhenReplyIsLost() {
        committed(proxied.commit(create(Key.of("/warm"))));
        proxy.holdReplies();
        CompletionStage<TxnResult> lost = proxied.commit(create(KEY));
        Await.until(() -> "write is applied", () -> isPresent(KEY));
        proxy.cut();
        Await.failure(OutcomeUnknownException.class, lost);
        proxy.heal();
        Entry entry = Await.value(direct.get(KEY, ReadMode.LINEARIZABLE)).orElseThrow();
        assertEquals(entry.version().createRevision(), entry.version().modRevision());
    }

    // The request is held back before it reaches the member: the client cannot know that.
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
        Await.until(() -> "session is suspended", () -> session.state() != Session.State.CONNECTED);
        Await.failure(ConnectionLostException.class, proxied.commit(create(KEY)));
        proxy.heal();
        createOnceReachable(proxied, Key.of("/after"));
        assertFalse(isPresent(KEY));
    }

    // A read has no effect, so it is simply asked again on the next connection.
    @Test
    void shouldRepeatReadWhenConnectionBreaks() {
        committed(direct.commit(create(KEY)));
        try (Coordination patient = Coordinations.open(uri(proxy.port()), config("patient", Duration.ofSeconds(30)))) {
            assertTrue(Await.value(patient.get(KEY, ReadMode.LOCAL)).isPresent());
            proxy.holdReplies();
            CompletionStage<Optional<Entry>> read = patient.get(KEY, ReadMode.LINEARIZABLE);
            proxy.cut();
            proxy.heal();
            assertTrue(Await.value(read).isPresent());
        }
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

    // Killed and started again within the time to live: the session, its key and the watch live on.
    @Test
    void shouldKeepSessionAndWatchOverARestart() {
        Mirror mirror = new Mirror();
        Session session = Await.value(direct.openSession(Duration.ofSeconds(40)));
        Await.done(direct.watch(Key.ROOT, mirror).ready());
        committed(
                direct.commit(Txn.builder().createEphemeral(KEY, VALUE, session).build()));
        server.kill();
        Await.until(() -> "session is suspended", () -> session.state() == Session.State.SUSPENDED);
        server.restart();
        Await.until(() -> "session is back", () -> session.state() == Session.State.CONNECTED);
        createOnceReachable(direct, Key.of("/after"));
        Await.until(() -> "watch is back: " + mirror, () -> mirror.has(KEY) && mirror.has(Key.of("/after")));
        assertTrue(session.isValid(Duration.ZERO));
    }

    // A connection that breaks while the history is compacted: the watch reads all anew, deletions included.
    @Test
    void shouldReadAllAnewWhenTheHistoryIsGone() {
        Key gone = Key.of("/w/gone");
        TxnResult.Committed first = committed(direct.commit(create(gone)));
        Mirror mirror = new Mirror();
        Await.done(proxied.watch(Key.of("/w"), mirror).ready());
        proxy.cut();
        Await.until(() -> "watch is degraded", () -> mirror.degraded.get() > 0);
        committed(direct.commit(
                Txn.builder().delete(gone, first.versions().get(0)).build()));
        committed(direct.commit(create(Key.of("/w/new"))));
        server.compact();
        proxy.heal();
        Await.until(() -> "watch has caught up: " + mirror, () -> mirror.has(Key.of("/w/new")));
        assertFalse(mirror.has(gone));
        assertEquals(2, mirror.snapshots.get());
    }

    // Killed and started again under writes, many times: no watch is dead afterwards.
    @Test
    void shouldKeepWatchesOverRestartsUnderTraffic() {
        Mirror mirror = new Mirror();
        Await.done(direct.watch(Key.ROOT, mirror).ready());
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < 20; i++) {
                direct.commit(create(Key.of("/traffic/" + round + "/" + i)));
            }
            server.kill();
            server.restart();
            Key after = Key.of("/after/" + round);
            createOnceReachable(direct, after);
            Await.until(() -> "watch goes on: " + mirror, () -> mirror.has(after));
        }
    }

    // What other programs write below the prefix is shown if it is a key, and does no harm otherwise.
    @Test
    void shouldLeaveForeignKeysAlone() {
        Mirror mirror = new Mirror();
        server.put("/test/odd//key", "x");
        Await.done(direct.watch(Key.ROOT, mirror).ready());
        server.put("/test/", "x");
        server.put("/test/odd/", "x");
        server.put("/testing", "x");
        server.put("/test/plain", "x");
        Await.until(() -> "plain key is seen: " + mirror, () -> mirror.has(Key.of("/plain")));
        assertEquals("[/plain]", mirror.toString());
        assertEquals(
                1,
                Await.value(direct.list(Key.ROOT, ReadMode.LINEARIZABLE))
                        .entries()
                        .size());
    }

    // Close in the worst moment: replies are lost, calls and a session open. All ends, in time, and no thread is left.
    @Test
    void shouldEndEverythingWhenClosedWhileRepliesAreLost() {
        Session session = Await.value(proxied.openSession(TTL));
        committed(proxied.commit(create(Key.of("/warm"))));
        proxy.holdReplies();
        CompletionStage<TxnResult> write = proxied.commit(create(KEY));
        CompletionStage<Optional<Entry>> read = proxied.get(KEY, ReadMode.LINEARIZABLE);
        Await.until(() -> "write is applied", () -> isPresent(KEY));
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

        @Override
        public String toString() {
            return entries.keySet().toString();
        }
    }
}

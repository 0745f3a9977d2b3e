package io.tidemark.coordination;

import static io.tidemark.coordination.ContractCase.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * What must hold on a service of three members when some of them fail: cases 25, 26, 28, 41, 45, 47, 53 and 58 of the
 * contract, whose faults need more than one server. A back end proves itself by one subclass.
 */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class EnsembleContract {
    /** For sessions that must outlive what is done to the service. */
    private static final Duration LONG_TTL = Duration.ofSeconds(40);

    private final List<Coordination> clients = new ArrayList<>();
    private @Nullable EnsembleFixture opened;
    private int cases;

    /** Starts the service. */
    protected abstract EnsembleFixture openFixture() throws Exception;

    @BeforeAll
    final void open() throws Exception {
        opened = openFixture();
    }

    @AfterEach
    final void repair() {
        clients.forEach(Coordination::close);
        clients.clear();
        cases++;
        fixture().repair();
    }

    @AfterAll
    final void close() {
        fixture().close();
    }

    private EnsembleFixture fixture() {
        return Objects.requireNonNull(opened, "the service is there while a test runs");
    }

    private static CoordinationConfig.Builder config() {
        return CoordinationConfig.builder()
                .connectTimeout(Duration.ofSeconds(2))
                .operationTimeout(Duration.ofSeconds(5));
    }

    private Coordination openClient() {
        Coordination client = fixture().openClient("/case-" + cases, config());
        clients.add(client);
        return client;
    }

    private Coordination openClientOf(int member) {
        Coordination client = fixture().openClientOf(member, "/case-" + cases, config());
        clients.add(client);
        return client;
    }

    private static <T> T onceReachable(Supplier<CompletionStage<T>> call) {
        long beganNs = System.nanoTime();
        while (true) {
            CompletionStage<T> stage = call.get();
            Await.until(() -> "the end of a call", stage.toCompletableFuture()::isDone);
            if (!stage.toCompletableFuture().isCompletedExceptionally()) {
                return Await.value(stage);
            }
            CoordinationException failed = Await.failure(CoordinationException.class, stage);
            if (System.nanoTime() - beganNs > Await.DEADLINE.multipliedBy(2).toNanos()) {
                throw new AssertionError("the service does not come back", failed);
            }
        }
    }

    /** Creates a key, whatever becomes of single attempts. */
    private static void put(Coordination client, String path) {
        Txn txn = Txn.builder().create(Key.of(path), bytes("v")).build();
        TxnResult result = onceReachable(() -> client.commit(txn));
        assertTrue(
                result.isCommitted() || result.equals(new TxnResult.Conflict(0, TxnResult.Kind.EXISTS)),
                () -> "unexpected: " + result);
    }

    private static Optional<Entry> get(Coordination client, String path) {
        return onceReachable(() -> client.get(Key.of(path), ReadMode.LINEARIZABLE));
    }

    private static Session openSession(Coordination client, Duration ttl) {
        return onceReachable(() -> client.openSession(ttl));
    }

    private static void createEphemeral(Coordination client, String path, Session session) {
        Txn txn =
                Txn.builder().createEphemeral(Key.of(path), bytes("v"), session).build();
        assertTrue(onceReachable(() -> client.commit(txn)).isCommitted());
    }

    // Cases 26 and 41: the leader of the service dies. Sessions, their keys and watches live on with another.
    @Test
    void shouldOutliveTheLeaderOfTheService() {
        Coordination client = openClient();
        Session session = openSession(client, LONG_TTL);
        createEphemeral(client, "/w/mine", session);
        WatchView view = new WatchView();
        Await.done(client.watch(Key.of("/w"), view).ready());
        fixture().kill(fixture().leader());
        put(client, "/w/after");
        Await.until(
                () -> "the watch to see both: " + view.values(),
                () -> view.values().keySet().containsAll(Set.of("/w/mine", "/w/after")));
        Await.until(() -> "the session to be back", () -> session.state() == Session.State.CONNECTED);
        assertTrue(session.isValid(Duration.ZERO));
        assertTrue(get(client, "/w/mine").orElseThrow().isOwnedBy(session));
    }

    // Case 45, CO-10: the leader stands still while another is elected, and wakes: it must not answer from the past.
    @Test
    void shouldNotReadThePastFromALeaderThatWasDeposed() {
        int deposed = fixture().leader();
        Coordination late = openClientOf(deposed);
        put(late, "/before");
        assertTrue(get(late, "/before").isPresent());
        fixture().pause(deposed);
        Coordination writer = openClientOf((deposed + 1) % EnsembleFixture.MEMBERS);
        put(writer, "/after");
        CompletionStage<Optional<Entry>> asleep = late.get(Key.of("/after"), ReadMode.LINEARIZABLE);
        Await.until(() -> "the end of a read", asleep.toCompletableFuture()::isDone);
        Await.failure(ConnectionLostException.class, asleep);
        fixture().resume(deposed);
        assertTrue(get(late, "/after").isPresent(), "a linearizable read showed the past");
    }

    // Cases 25, 28 and 47: one member of three is left. It answers, but may decide nothing, and renews no session.
    @Test
    void shouldDecideNothingWithoutAMajority() {
        Coordination client = openClient();
        Session session = openSession(client, fixture().ttl());
        createEphemeral(client, "/mine", session);
        int leader = fixture().leader();
        fixture().pause(leader);
        fixture().pause((leader + 1) % EnsembleFixture.MEMBERS);
        Await.until(() -> "the session to be invalid", () -> !session.isValid(Duration.ZERO));
        CompletionStage<Optional<Entry>> read = client.get(Key.of("/mine"), ReadMode.LINEARIZABLE);
        CompletionStage<TxnResult> write =
                client.commit(Txn.builder().create(Key.of("/other"), bytes("v")).build());
        Await.until(() -> "the end of a read", read.toCompletableFuture()::isDone);
        Await.failure(ConnectionLostException.class, read);
        Await.until(() -> "the end of a write", write.toCompletableFuture()::isDone);
        Await.failure(CoordinationException.class, write);
        fixture().repair();
        assertEquals(Session.State.EXPIRED, Await.value(session.terminated()));
        Await.until(() -> "the key to vanish", () -> get(client, "/mine").isEmpty());
        Session next = openSession(client, fixture().ttl());
        createEphemeral(client, "/mine", next);
    }

    // Case 41: each member is killed and started in turn, under traffic. Nothing that was acknowledged is lost.
    @Test
    void shouldLoseNothingInARollingRestart() {
        Coordination client = openClient();
        Session session = openSession(client, LONG_TTL);
        createEphemeral(client, "/mine", session);
        WatchView view = new WatchView();
        Await.done(client.watch(Key.of("/w"), view).ready());
        Set<String> acknowledged = new TreeSet<>();
        for (int member = 0; member < EnsembleFixture.MEMBERS; member++) {
            fixture().kill(member);
            putSome(client, "/w/down-" + member, acknowledged);
            fixture().start(member);
            putSome(client, "/w/up-" + member, acknowledged);
        }
        Await.until(
                () -> "the watch to see " + acknowledged + ": " + view.values(),
                () -> view.values().keySet().equals(acknowledged));
        for (String path : acknowledged) {
            assertTrue(get(client, path).isPresent(), "lost: " + path);
        }
        Await.until(() -> "the session to be back", () -> session.state() == Session.State.CONNECTED);
        assertTrue(get(client, "/mine").orElseThrow().isOwnedBy(session));
    }

    private static void putSome(Coordination client, String prefix, Set<String> acknowledged) {
        for (int i = 0; i < 10; i++) {
            put(client, prefix + "-" + i);
            acknowledged.add(prefix + "-" + i);
        }
    }

    // Case 26: the way to one member after the other is cut; the session moves, and is back with the first.
    @Test
    void shouldMoveToTheMemberThatIsReachable() {
        Coordination client = openClient();
        Session session = openSession(client, LONG_TTL);
        createEphemeral(client, "/mine", session);
        for (int reachable = 0; reachable < EnsembleFixture.MEMBERS; reachable++) {
            fixture().heal(client);
            for (int member = 0; member < EnsembleFixture.MEMBERS; member++) {
                if (member != reachable) {
                    fixture().cutOff(client, member);
                }
            }
            put(client, "/by/" + reachable);
            Await.until(() -> "the session to be back", () -> session.state() == Session.State.CONNECTED);
        }
        assertTrue(session.isValid(Duration.ZERO));
        assertTrue(get(client, "/mine").orElseThrow().isOwnedBy(session));
    }

    // Cases 53 and 58, CO-11: the leader of ours is cut off while the leader of the service dies.
    @Test
    void shouldHaveOneLeaderWhileTheServiceElectsItsOwn() {
        Coordination first = openClient();
        Coordination second = openClient();
        Leadership old = campaign(first);
        CompletableFuture<Leadership> next = election(second)
                .campaign(openSession(second, LONG_TTL), bytes("second"))
                .toCompletableFuture();
        for (int member = 0; member < EnsembleFixture.MEMBERS; member++) {
            fixture().cutOff(first, member);
        }
        fixture().kill(fixture().leader());
        Await.until(() -> "a successor", () -> {
            boolean followed = next.isDone();
            assertFalse(followed && old.isValid(Duration.ZERO), "two valid leaders");
            return followed;
        });
        Leadership current = Await.value(next);
        assertEquals(old.term() + 1, current.term());
        assertTrue(onceReachable(() -> second.commit(current.guard(Txn.builder())
                        .create(Key.of("/by/next"), bytes("v"))
                        .build()))
                .isCommitted());
        fixture().heal(first);
        TxnResult late = onceReachable(() -> first.commit(
                old.guard(Txn.builder()).create(Key.of("/by/old"), bytes("v")).build()));
        assertEquals(new TxnResult.Conflict(0, TxnResult.Kind.VERSION), late);
        Await.done(old.lost());
        assertFalse(old.isValid(Duration.ZERO));
    }

    private Leadership campaign(Coordination client) {
        Session session = openSession(client, fixture().ttl());
        return Await.value(election(client).campaign(session, bytes("first")));
    }

    private static LeaderElection election(Coordination client) {
        return LeaderElection.byName(client, Key.of("/leader"), Key.of("/leader_epoch"));
    }
}

package io.tidemark.coordination.local;

import io.tidemark.coordination.Await;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.LeaderElection;
import io.tidemark.coordination.Leadership;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.Session;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Elections on one thread: every call and callback runs in the caller's thread, pauses end when a test says so, time
 * is virtual. So a test decides the order of everything.
 */
final class ElectionBench implements AutoCloseable {
    static final Key ELECTION = Key.of("/election");
    static final Key TERM = Key.of("/election_epoch");
    static final Duration TTL = Duration.ofSeconds(6);

    final VirtualClock clock = new VirtualClock();
    final LocalStore store = LocalStore.create(clock);
    private final LeaderElection.Mode mode;
    private final Queue<Runnable> paused = new ArrayDeque<>();
    private long ids;

    ElectionBench(LeaderElection.Mode mode) {
        this.mode = mode;
    }

    Coordination connect() {
        return connect(Runnable::run);
    }

    Coordination connect(Executor callbacks) {
        return store.connect(CoordinationConfig.builder()
                .nanoClock(clock)
                .callbackExecutor(callbacks)
                .callbackErrorHandler(thrown -> {
                    throw new AssertionError("a callback threw", thrown);
                })
                .build());
    }

    static Session openSession(Coordination client) {
        return Await.value(client.openSession(TTL));
    }

    CompletableFuture<Leadership> campaign(Coordination client, Session session) {
        LeaderElection election = mode == LeaderElection.Mode.BY_NAME
                ? LeaderElection.byName(client, ELECTION, TERM)
                : LeaderElection.byQueue(client, ELECTION, TERM);
        return election.with(paused::add, () -> new UUID(0, ++ids))
                .campaign(session, ("session " + session.id()).getBytes(StandardCharsets.UTF_8))
                .toCompletableFuture();
    }

    /** Ends all pauses that have begun so far. */
    void endPauses() {
        for (int left = paused.size(); left > 0; left--) {
            Runnable task = paused.poll();
            if (task != null) {
                task.run();
            }
        }
    }

    /** Lets time pass in small steps. */
    void pass(Duration time) {
        for (Duration left = time; !left.isNegative() && !left.isZero(); left = left.minusMillis(100)) {
            clock.advance(Duration.ofMillis(100));
            store.tick();
        }
    }

    /** The keys that candidates or leaders hold. */
    List<Entry> held(Coordination client) {
        if (mode == LeaderElection.Mode.BY_NAME) {
            List<Entry> held = new ArrayList<>();
            Await.value(client.get(ELECTION, ReadMode.LINEARIZABLE)).ifPresent(held::add);
            return held;
        }
        return Await.value(client.list(ELECTION.child("candidates"), ReadMode.LINEARIZABLE))
                .entries();
    }

    /** The last term. */
    static long term(Coordination client) {
        return Await.value(client.get(TERM, ReadMode.LINEARIZABLE))
                .map(entry -> Long.parseLong(entry.valueText()))
                .orElse(0L);
    }

    /** Tells whether a campaign has been won and the leadership may still be acted on. */
    static boolean leads(CompletableFuture<Leadership> campaign) {
        return campaign.isDone()
                && !campaign.isCompletedExceptionally()
                && Await.value(campaign).isValid(Duration.ZERO);
    }

    @Override
    public void close() {
        store.close();
    }
}

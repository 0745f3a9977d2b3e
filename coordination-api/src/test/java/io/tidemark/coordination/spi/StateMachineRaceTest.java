package io.tidemark.coordination.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.coordination.Await;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Case 59: threads that race through the state machines which all back ends share; what they race for has one end. */
final class StateMachineRaceTest {
    private static final int ROUNDS = 300;
    private static final int THREADS = 4;

    private final CoordinationConfig config = CoordinationConfig.builder()
            .callbackExecutor(Runnable::run)
            .nanoClock(() -> 0)
            .build();

    /** Counts its ends. */
    private final class RacedSession extends BackendSession {
        private final AtomicInteger ends = new AtomicInteger();

        RacedSession() {
            super(1, Duration.ofSeconds(5), 0, config, new CallbackExecutor(config));
        }

        @Override
        public CompletionStage<@Nullable Void> closeAsync() {
            closed();
            return CompletableFuture.completedFuture(null);
        }

        @Override
        protected void onEnded(State last) {
            ends.incrementAndGet();
        }
    }

    private static Random seeded(String test) {
        long seed = Long.getLong("tidemark.seed", 59);
        System.out.println(
                "seed=" + seed + " of " + test + "; replay with -Dtest=StateMachineRaceTest -Dtidemark.seed=" + seed);
        return new Random(seed);
    }

    private static void race(List<Runnable> actions) {
        CyclicBarrier start = new CyclicBarrier(actions.size());
        List<CompletableFuture<Boolean>> racers = new ArrayList<>();
        for (Runnable action : actions) {
            CompletableFuture<Boolean> racer = new CompletableFuture<>();
            racers.add(racer);
            Thread thread = new Thread(() -> {
                try {
                    start.await(Await.DEADLINE.toSeconds(), TimeUnit.SECONDS);
                    action.run();
                    racer.complete(true);
                } catch (Exception failed) {
                    racer.completeExceptionally(failed);
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        racers.forEach(Await::value);
    }

    // Renewals, silence, expiry and close at once: one final state, one end, and listeners see it last and once.
    @Test
    void shouldEndASessionOnce() {
        Random random = seeded("shouldEndASessionOnce");
        for (int round = 0; round < ROUNDS; round++) {
            RacedSession session = new RacedSession();
            List<Session.State> seen = new CopyOnWriteArrayList<>();
            session.addListener((from, state) -> seen.add(state));
            AtomicInteger terminations = new AtomicInteger();
            session.terminated().thenRun(terminations::incrementAndGet);
            List<Runnable> actions = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                List<Runnable> steps = new ArrayList<>();
                for (int step = 0; step < 6; step++) {
                    steps.add(
                            switch (random.nextInt(4)) {
                                case 0 -> () -> session.renewed(0);
                                case 1, 2 -> session::suspended;
                                default -> random.nextBoolean() ? session::expired : session::closed;
                            });
                }
                actions.add(() -> steps.forEach(Runnable::run));
            }
            actions.add(session::expired);
            race(actions);
            Session.State last = session.state();
            assertTrue(last.isFinal(), "round=" + round + ", last=" + last);
            Await.until(() -> "the listener to see " + last + ": " + seen, () -> seen.contains(last));
            assertEquals(last, seen.get(seen.size() - 1), "round=" + round + ", seen=" + seen);
            assertEquals(1, seen.stream().filter(Session.State::isFinal).count(), "seen=" + seen);
            for (int i = 1; i < seen.size(); i++) {
                assertTrue(seen.get(i) != seen.get(i - 1), "round=" + round + ", seen=" + seen);
            }
            assertEquals(1, session.ends.get(), "round=" + round);
            assertEquals(last, Await.value(session.terminated()), "round=" + round);
            Await.until(() -> "one termination", () -> terminations.get() == 1);
        }
    }

    // A result and a failure at once: one of them wins for everybody.
    @Test
    void shouldSettleACallOnce() {
        for (int round = 0; round < ROUNDS; round++) {
            CallbackFuture<String> call = new CallbackFuture<>(Runnable::run);
            AtomicInteger winners = new AtomicInteger();
            AtomicInteger dependents = new AtomicInteger();
            CompletableFuture<String> dependent = call.whenComplete((value, failure) -> dependents.incrementAndGet());
            race(List.of(
                    () -> winners.addAndGet(call.settle("a") ? 1 : 0),
                    () -> winners.addAndGet(call.settle("b") ? 1 : 0),
                    () -> winners.addAndGet(call.fail(new IllegalStateException("c")) ? 1 : 0)));
            assertEquals(1, winners.get(), "round=" + round);
            assertEquals(1, dependents.get(), "round=" + round);
            assertTrue(call.isSettled() && dependent.isDone(), "round=" + round);
        }
    }
}

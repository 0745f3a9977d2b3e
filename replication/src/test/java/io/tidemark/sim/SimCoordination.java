package io.tidemark.sim;

import io.tidemark.coordination.Capability;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Limits;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.OutcomeUnknownException;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.Session;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import io.tidemark.coordination.Watch;
import io.tidemark.coordination.WatchListener;
import io.tidemark.coordination.local.LocalStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A process's client of the coordination service, with a way to it that takes time: requests come late, and may come
 * after the process that sent them has died; answers and watches come late, in their order, and never to a dead one.
 */
final class SimCoordination implements Coordination {
    private final SimWorld world;
    private final SimProcess process;
    private final Coordination inner;
    private final List<Runnable> heldCommits = new ArrayList<>();
    private long lastAnswerNs;
    private boolean holdsCommits;
    private int answersToLose;

    SimCoordination(SimProcess process, LocalStore store) {
        this.process = process;
        this.world = process.world;
        this.inner = store.connect(CoordinationConfig.builder()
                .clientName(process.name)
                .callbackExecutor(this::answer)
                .callbackErrorHandler(thrown -> {
                    throw new SimViolation("R-02", "a coordination callback of " + process.name + " threw", thrown);
                })
                .nanoClock(world.nanoClock(process.machine)::nanoTime)
                .operationTimeout(Duration.ofSeconds(2))
                .build());
    }

    /** The client itself, for faults. */
    Coordination inner() {
        return inner;
    }

    /** From now on writes do not reach the service, until they are let go. */
    void holdCommits() {
        holdsCommits = true;
    }

    /** The next writes are applied, but their answers do not come: their outcome is unknown. */
    void loseAnswers(int count) {
        answersToLose = count;
    }

    /** How many writes are held. */
    int heldCommits() {
        return heldCommits.size();
    }

    /** Lets all writes go that are held. */
    void releaseCommits() {
        holdsCommits = false;
        List<Runnable> released = List.copyOf(heldCommits);
        heldCommits.clear();
        released.forEach(Runnable::run);
    }

    private long delayNs() {
        long usual = world.knobs().coordinationNs();
        long delayNs = usual / 2 + world.random().nextLong(usual);
        return world.random().nextInt(50) == 0 ? delayNs * 20 : delayNs;
    }

    private void answer(Runnable callback) {
        lastAnswerNs = Math.max(lastAnswerNs, world.scheduler().nowNs() + delayNs());
        process.run(lastAnswerNs - world.scheduler().nowNs(), callback);
    }

    private <T> CompletionStage<T> request(Supplier<CompletionStage<T>> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        if (process.isDead()) {
            return result;
        }
        world.scheduler()
                .after(
                        delayNs(),
                        () -> call.get().whenComplete((value, failure) -> {
                            if (failure == null) {
                                result.complete(value);
                            } else {
                                result.completeExceptionally(failure);
                            }
                        }));
        return result;
    }

    @Override
    public CompletionStage<Session> openSession(Duration ttl) {
        return request(() -> inner.openSession(ttl));
    }

    @Override
    public CompletionStage<Optional<Entry>> get(Key key, ReadMode mode) {
        return request(() -> inner.get(key, mode));
    }

    @Override
    public CompletionStage<Listing> list(Key dir, ReadMode mode) {
        return request(() -> inner.list(dir, mode));
    }

    @Override
    public CompletionStage<TxnResult> commit(Txn txn) {
        if (answersToLose > 0) {
            answersToLose--;
            CompletableFuture<TxnResult> unknown = new CompletableFuture<>();
            request(() -> inner.commit(txn))
                    .whenComplete((value, failure) ->
                            unknown.completeExceptionally(new OutcomeUnknownException("injected: the answer is lost")));
            return unknown;
        }
        if (!holdsCommits) {
            return request(() -> inner.commit(txn));
        }
        CompletableFuture<TxnResult> result = new CompletableFuture<>();
        heldCommits.add(() -> request(() -> inner.commit(txn)).whenComplete((value, failure) -> {
            if (failure == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(failure);
            }
        }));
        return result;
    }

    @Override
    public Watch watch(Key dir, WatchListener listener) {
        return inner.watch(dir, listener);
    }

    @Override
    public Limits limits() {
        return inner.limits();
    }

    @Override
    public Set<Capability> capabilities() {
        return inner.capabilities();
    }

    @Override
    public void close() {
        inner.close();
    }
}

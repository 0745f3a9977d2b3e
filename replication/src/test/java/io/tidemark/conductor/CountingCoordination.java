package io.tidemark.conductor;

import io.tidemark.coordination.Capability;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Limits;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.Session;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import io.tidemark.coordination.Watch;
import io.tidemark.coordination.WatchListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Counts the calls of a client, and keeps writes back on request, as a slow service would. */
final class CountingCoordination implements Coordination {
    private final Coordination client;
    private final List<Runnable> held = new ArrayList<>();
    private boolean isHolding;
    int reads;
    int writes;
    int watches;

    CountingCoordination(Coordination client) {
        this.client = client;
    }

    /** From now on nothing is written before {@link #release}. */
    void hold() {
        isHolding = true;
    }

    /** How many writes wait. */
    int held() {
        return held.size();
    }

    /** Sends what waits, the last one first. */
    void release() {
        isHolding = false;
        Collections.reverse(held);
        held.forEach(Runnable::run);
        held.clear();
    }

    @Override
    public CompletionStage<TxnResult> commit(Txn txn) {
        writes++;
        if (!isHolding) {
            return client.commit(txn);
        }
        CompletableFuture<TxnResult> result = new CompletableFuture<>();
        held.add(() -> {
            var unused = client.commit(txn).whenComplete((done, failure) -> {
                if (failure == null) {
                    result.complete(done);
                } else {
                    result.completeExceptionally(failure);
                }
            });
        });
        return result;
    }

    @Override
    public CompletionStage<Optional<Entry>> get(Key key, ReadMode mode) {
        reads++;
        return client.get(key, mode);
    }

    @Override
    public CompletionStage<Listing> list(Key dir, ReadMode mode) {
        reads++;
        return client.list(dir, mode);
    }

    @Override
    public Watch watch(Key dir, WatchListener listener) {
        watches++;
        return client.watch(dir, listener);
    }

    @Override
    public CompletionStage<Session> openSession(Duration ttl) {
        return client.openSession(ttl);
    }

    @Override
    public Limits limits() {
        return client.limits();
    }

    @Override
    public Set<Capability> capabilities() {
        return client.capabilities();
    }

    @Override
    public void close() {
        client.close();
    }
}

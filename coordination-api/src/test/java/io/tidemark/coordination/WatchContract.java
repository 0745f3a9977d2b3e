package io.tidemark.coordination;

import static io.tidemark.coordination.ContractCase.bytes;
import static io.tidemark.coordination.ContractCase.committed;
import static io.tidemark.coordination.ContractCase.createKey;
import static io.tidemark.coordination.ContractCase.delete;
import static io.tidemark.coordination.ContractCase.read;
import static io.tidemark.coordination.ContractCase.update;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Cases 33 to 39, 42, 43 and 44: watches. */
interface WatchContract extends ContractCase {
    // Cases 33 and 34.
    @Test
    default void shouldGiveASnapshotFirstAndThenChangesOfTheSubtreeOnly() {
        Coordination client = openClient();
        Coordination writer = openClient();
        Version a = createKey(writer, "/w/a", "1");
        Version deep = createKey(writer, "/w/x/y/z", "1");
        Version beside = createKey(writer, "/wx/a", "1");
        WatchView view = new WatchView();
        Await.done(client.watch(Key.of("/w"), view).ready());
        assertEquals(Map.of("/w/a", "1", "/w/x/y/z", "1"), view.values());
        assertEquals(1, view.snapshots());

        update(writer, "/w/a", "2", a);
        update(writer, "/wx/a", "2", beside);
        delete(writer, "/w/x/y/z", deep);
        createKey(writer, "/w/b", "new");
        createKey(writer, "/other", "o");
        await(view, Map.of("/w/a", "2", "/w/b", "new"));
        assertEquals(1, view.snapshots());
    }

    // Case 34: the top itself is watched too, and the root means everything.
    @Test
    default void shouldWatchTheTopItselfAndTheRoot() {
        Coordination client = openClient();
        Version version = createKey(client, "/top", "1");
        WatchView top = new WatchView();
        WatchView root = new WatchView();
        Await.done(client.watch(Key.of("/top"), top).ready());
        Await.done(client.watch(Key.ROOT, root).ready());
        version = update(client, "/top", "2", version);
        await(top, Map.of("/top", "2"));
        await(root, Map.of("/top", "2"));
        delete(client, "/top", version);
        createKey(client, "/a/b", "3");
        await(top, Map.of());
        await(root, Map.of("/a/b", "3"));
    }

    // Case 34: a key that is deleted and created again ends up with its new state.
    @Test
    default void shouldFollowAKeyThroughDeletionAndRecreation() {
        Coordination client = openClient();
        WatchView view = new WatchView();
        Await.done(client.watch(Key.of("/w"), view).ready());
        for (int round = 0; round < 20; round++) {
            Version version = createKey(client, "/w/k", "a" + round);
            version = update(client, "/w/k", "b" + round, version);
            await(view, Map.of("/w/k", "b" + round));
            delete(client, "/w/k", version);
        }
        await(view, Map.of());
    }

    // Case 35 and 37: the view equals the store in the end, whatever was written in which order.
    @Test
    default void shouldEqualTheStoreAfterRandomLoad() {
        long seed = Long.getLong("tidemark.seed", System.nanoTime());
        String replay = "seed=" + seed + "; replay with -Dtest=" + getClass().getSimpleName()
                + "#shouldEqualTheStoreAfterRandomLoad -Dtidemark.seed=" + seed;
        System.out.println(replay);
        Coordination writer = openClient();
        Coordination other = openClient();
        WatchView early = new WatchView();
        Await.done(openClient().watch(Key.of("/load"), early).ready());
        WatchView late = new WatchView();
        CompletableFuture<Void> first = CompletableFuture.runAsync(() -> load(writer, new SplittableRandom(seed), 150));
        load(other, new SplittableRandom(seed + 1), 75);
        Watch watch = openClient().watch(Key.of("/load"), late);
        load(other, new SplittableRandom(seed + 2), 75);
        Await.done(first);
        Await.done(watch.ready());
        Map<String, String> stored = new TreeMap<>();
        for (int dir = 0; dir < 4; dir++) {
            Await.value(other.list(Key.of("/load/" + dir), ReadMode.LINEARIZABLE))
                    .entries()
                    .forEach(entry -> stored.put(entry.key().path(), entry.valueText()));
        }
        until(() -> replay + "; early=" + early.values(), () -> early.values().equals(stored));
        until(() -> replay + "; late=" + late.values(), () -> late.values().equals(stored));
    }

    private static void load(Coordination client, SplittableRandom random, int writes) {
        for (int i = 0; i < writes; i++) {
            Key key = Key.of("/load/" + random.nextInt(4) + "/" + random.nextInt(4));
            Optional<Entry> entry = Await.value(client.get(key, ReadMode.LINEARIZABLE));
            byte[] value = bytes("v" + random.nextInt());
            Txn.Builder txn = Txn.builder();
            if (entry.isEmpty()) {
                txn.create(key, value);
            } else if (random.nextInt(3) == 0) {
                txn.delete(key, entry.get().version());
            } else {
                txn.update(key, value, entry.get().version());
            }
            // A conflict with the other writer is as good a step as any.
            Await.value(client.commit(txn.build()));
        }
    }

    // Case 36.
    @Test
    default void shouldCatchUpWithANewSnapshotAfterADisconnect() {
        Coordination watcher = openClient();
        Coordination writer = openClient();
        Version updated = createKey(writer, "/w/updated", "1");
        Version deleted = createKey(writer, "/w/deleted", "1");
        Version recreated = createKey(writer, "/w/recreated", "1");
        createKey(writer, "/w/same", "1");
        WatchView view = new WatchView();
        Await.done(watcher.watch(Key.of("/w"), view).ready());
        fixture().cutOff(watcher);
        update(writer, "/w/updated", "2", updated);
        delete(writer, "/w/deleted", deleted);
        delete(writer, "/w/recreated", recreated);
        Version again = createKey(writer, "/w/recreated", "2");
        createKey(writer, "/w/new", "2");
        fixture().heal(watcher);
        await(view, Map.of("/w/updated", "2", "/w/recreated", "2", "/w/same", "1", "/w/new", "2"));
        assertTrue(view.snapshots() >= 2, "a gap ends with a snapshot");
        assertTrue(view.entries().stream().anyMatch(entry -> entry.version().equals(again)));
        // The watch goes on after the gap.
        createKey(writer, "/w/later", "3");
        until(() -> "a later change: " + view.values(), () -> view.values().containsKey("/w/later"));
    }

    // Case 38: one listener throws, one is stuck; the third one follows, and what waits for the stuck one is merged.
    @Test
    default void shouldLetAThrowingOrStuckListenerHarmNobody() throws InterruptedException {
        ExecutorService callbacks = Executors.newFixedThreadPool(3);
        AtomicInteger reported = new AtomicInteger();
        CountDownLatch release = new CountDownLatch(1);
        try {
            Coordination client = fixture()
                    .openClient(config().callbackExecutor(callbacks)
                            .callbackErrorHandler(thrown -> reported.incrementAndGet()));
            Throwing throwing = new Throwing();
            Stuck stuck = new Stuck(release);
            WatchView good = new WatchView();
            for (WatchListener listener : List.of(throwing, stuck, good)) {
                Await.done(client.watch(Key.of("/w"), listener).ready());
            }
            Coordination writer = openClient();
            Version version = createKey(writer, "/w/key", "0");
            for (int i = 1; i <= 60; i++) {
                version = update(writer, "/w/key", Integer.toString(i), version);
                delete(writer, "/w/passing-" + i, createKey(writer, "/w/passing-" + i, "p"));
            }
            await(good, Map.of("/w/key", "60"));
            until(() -> "reports", () -> reported.get() >= 2);
            assertTrue(throwing.calls.get() >= 2, "a listener that threw is called again");
            release.countDown();
            await(stuck, Map.of("/w/key", "60"));
            long delivered = stuck.batches().stream().mapToLong(List::size).sum();
            assertTrue(delivered <= 4, () -> "what waits must be merged: " + stuck.batches());
        } finally {
            release.countDown();
            callbacks.shutdown();
        }
    }

    /** Throws at each call. */
    final class Throwing implements WatchListener {
        private final AtomicInteger calls = new AtomicInteger();

        @Override
        public void onSnapshot(Listing state) {
            calls.incrementAndGet();
            throw new IllegalStateException("thrown by a test");
        }

        @Override
        public void onChanges(List<Change> changes, long revision) {
            calls.incrementAndGet();
            throw new IllegalStateException("thrown by a test");
        }
    }

    /** Stays in its first change until it is released. */
    final class Stuck extends WatchView {
        private final CountDownLatch release;

        Stuck(CountDownLatch release) {
            this.release = release;
        }

        @Override
        public void onChanges(List<Change> changes, long revision) {
            try {
                release.await();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            super.onChanges(changes, revision);
        }
    }

    // Case 39.
    @Test
    default void shouldCallNobodyAfterClose() {
        Coordination client = openClient();
        WatchView closed = new WatchView();
        WatchView open = new WatchView();
        Watch watch = client.watch(Key.of("/w"), closed);
        Await.done(watch.ready());
        Await.done(client.watch(Key.of("/w"), open).ready());
        watch.close();
        watch.close();
        createKey(client, "/w/a", "1");
        await(open, Map.of("/w/a", "1"));
        assertEquals(Map.of(), closed.values());
        assertEquals(1, closed.snapshots());
    }

    // Case 39: a listener may close its own watch.
    @Test
    default void shouldLetAListenerCloseItsWatch() {
        Coordination client = openClient();
        CompletableFuture<Watch> itself = new CompletableFuture<>();
        AtomicInteger calls = new AtomicInteger();
        Watch watch = client.watch(Key.of("/w"), new WatchView() {
            @Override
            public void onChanges(List<Change> changes, long revision) {
                calls.incrementAndGet();
                Await.value(itself).close();
            }
        });
        itself.complete(watch);
        Await.done(watch.ready());
        createKey(client, "/w/a", "1");
        until(() -> "the first call", () -> calls.get() == 1);
        WatchView fence = new WatchView();
        createKey(client, "/w/b", "1");
        Await.done(client.watch(Key.of("/w"), fence).ready());
        createKey(client, "/w/c", "1");
        await(fence, Map.of("/w/a", "1", "/w/b", "1", "/w/c", "1"));
        assertEquals(1, calls.get());
    }

    // Case 42.
    @Test
    default void shouldDeliverATransactionInOneBatch() {
        Coordination client = openClient();
        WatchView view = new WatchView();
        Await.done(client.watch(Key.of("/w"), view).ready());
        committed(client.commit(Txn.builder()
                .create(Key.of("/w/a"), bytes("1"))
                .create(Key.of("/w/b"), bytes("1"))
                .create(Key.of("/x"), bytes("1"))
                .build()));
        await(view, Map.of("/w/a", "1", "/w/b", "1"));
        if (client.capabilities().contains(Capability.ATOMIC_WATCH)) {
            assertEquals(1, view.batches().size(), () -> "batches=" + view.batches());
        }
    }

    // Case 43.
    @Test
    default void shouldWatchADirectoryBeforeItExists() {
        Coordination client = openClient();
        WatchView view = new WatchView();
        Await.done(client.watch(Key.of("/not/there/yet"), view).ready());
        assertEquals(Map.of(), view.values());
        createKey(client, "/not/there/yet/a", "1");
        await(view, Map.of("/not/there/yet/a", "1"));
    }

    // Case 44: the callback runs on the only callback thread, and waits there for a call.
    @Test
    default void shouldLetACallbackWaitForACall() {
        Coordination client = openClient();
        createKey(client, "/w/a", "1");
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        Watch watch = client.watch(Key.of("/w"), new WatchView() {
            @Override
            public void onSnapshot(Listing state) {
                answer.complete(read(client, "/w/a").isPresent());
            }
        });
        assertTrue(Await.value(answer));
        watch.close();
    }

    private void await(WatchView view, Map<String, String> expected) {
        until(
                () -> "expected=" + expected + ", seen=" + view.values(),
                () -> view.values().equals(expected));
    }
}

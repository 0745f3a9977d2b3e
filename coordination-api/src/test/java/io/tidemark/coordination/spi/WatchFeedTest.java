package io.tidemark.coordination.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.coordination.Await;
import io.tidemark.coordination.Change;
import io.tidemark.coordination.ConnectionLostException;
import io.tidemark.coordination.CoordinationClosedException;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.Version;
import io.tidemark.coordination.WatchListener;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** How a feed merges what its listener has not taken yet; the listener runs when the test says so. */
final class WatchFeedTest {
    private static final Key DIR = Key.of("/w");

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final List<Throwable> thrown = new ArrayList<>();
    private final CoordinationConfig config = CoordinationConfig.builder()
            .callbackExecutor(tasks::add)
            .callbackErrorHandler(thrown::add)
            .operationTimeout(Duration.ofSeconds(30))
            .build();

    private final WatchListener telling = new WatchListener() {
        @Override
        public void onSnapshot(Listing state) {
            told.add("snapshot "
                    + state.entries().stream().map(WatchFeedTest::text).toList());
        }

        @Override
        public void onChanges(List<Change> changes, long revision) {
            told.add("changes " + changes.stream().map(WatchFeedTest::text).toList() + " at " + revision);
        }

        @Override
        public void onDegraded(Throwable cause) {
            told.add("degraded " + cause.getMessage());
        }
    };

    private WatchFeed feed(WatchListener listener) {
        return new WatchFeed(DIR, listener, config, new CallbackExecutor(config), closed -> told.add("closed"));
    }

    private void runAll() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    private static Entry entry(String name, long createRevision, long modRevision) {
        Version version = new Version(createRevision, modRevision, modRevision);
        return new Entry(DIR.child(name), new byte[0], version, OptionalLong.empty());
    }

    private static Change put(String name, long createRevision, long modRevision) {
        return new Change.Put(entry(name, createRevision, modRevision));
    }

    private static Change deleted(String name, long revision) {
        return new Change.Deleted(DIR.child(name), revision);
    }

    private static String text(Entry entry) {
        return entry.key().name() + "=" + entry.version().modRevision();
    }

    private static String text(Change change) {
        return change instanceof Change.Put put
                ? text(put.entry())
                : change.key().name() + "-";
    }

    @Test
    void shouldMergeChangesPerKeyInTheOrderOfTheirLastRevision() {
        WatchFeed feed = feed(telling);
        feed.snapshot(new Listing(2, List.of(entry("a", 1, 1), entry("b", 2, 2))));
        runAll();
        feed.changes(List.of(put("a", 1, 3)), 3);
        feed.changes(List.of(put("b", 2, 4)), 4);
        feed.changes(List.of(put("a", 1, 5), deleted("b", 5)), 5);
        feed.changes(List.of(put("c", 6, 6)), 6);
        runAll();
        assertEquals(List.of("snapshot [a=1, b=2]", "changes [a=5, b-, c=6] at 6"), told);
        assertTrue(feed.ready().toCompletableFuture().isDone());
    }

    @Test
    void shouldForgetAKeyThatCameAndWent() {
        WatchFeed feed = feed(telling);
        feed.snapshot(new Listing(0, List.of()));
        runAll();
        feed.changes(List.of(put("a", 1, 1)), 1);
        feed.changes(List.of(deleted("a", 2)), 2);
        runAll();
        assertEquals(List.of("snapshot []"), told);
    }

    @Test
    void shouldDropDuplicatesAndWhatIsOlder() {
        WatchFeed feed = feed(telling);
        feed.snapshot(new Listing(5, List.of(entry("a", 1, 5))));
        feed.changes(List.of(put("a", 1, 4)), 4);
        feed.changes(List.of(put("a", 1, 5)), 5);
        feed.changes(List.of(deleted("a", 3)), 3);
        feed.changes(List.of(deleted("never", 6)), 6);
        feed.changes(
                List.of(new Change.Put(
                        new Entry(Key.of("/elsewhere"), new byte[0], new Version(7, 7, 7), OptionalLong.empty()))),
                7);
        runAll();
        assertEquals(List.of("snapshot [a=5]"), told);
    }

    @Test
    void shouldReplaceEverythingWithANewSnapshot() {
        WatchFeed feed = feed(telling);
        feed.snapshot(new Listing(1, List.of(entry("a", 1, 1))));
        runAll();
        feed.changes(List.of(put("a", 1, 2)), 2);
        feed.degraded(new ConnectionLostException("planned"));
        feed.snapshot(new Listing(9, List.of(entry("b", 8, 8))));
        runAll();
        assertEquals(List.of("snapshot [a=1]", "snapshot [b=8]"), told);
    }

    @Test
    void shouldTellThatTheStateIsStaleAfterWhatItKnows() {
        WatchFeed feed = feed(telling);
        feed.snapshot(new Listing(1, List.of()));
        feed.changes(List.of(put("a", 2, 2)), 2);
        feed.degraded(new ConnectionLostException("planned"));
        runAll();
        assertEquals(List.of("snapshot []", "changes [a=2] at 2", "degraded planned"), told);
    }

    @Test
    void shouldRefuseChangesBeforeTheFirstSnapshot() {
        WatchFeed feed = feed(telling);
        List<Change> early = List.of(put("a", 1, 1));
        assertThrows(IllegalStateException.class, () -> feed.changes(early, 1));
    }

    @Test
    void shouldReportWhatAListenerThrowsAndGoOn() {
        WatchFeed feed = feed(new WatchListener() {
            @Override
            public void onSnapshot(Listing state) {
                throw new IllegalStateException("planned");
            }

            @Override
            public void onChanges(List<Change> changes, long revision) {
                telling.onChanges(changes, revision);
            }
        });
        feed.snapshot(new Listing(1, List.of()));
        feed.changes(List.of(put("a", 2, 2)), 2);
        runAll();
        assertEquals(
                List.of("planned"), thrown.stream().map(Throwable::getMessage).toList());
        assertEquals(List.of("changes [a=2] at 2"), told);
    }

    @Test
    void shouldFallSilentWithClose() {
        WatchFeed feed = feed(telling);
        feed.snapshot(new Listing(1, List.of()));
        feed.close();
        feed.close();
        feed.snapshot(new Listing(2, List.of()));
        feed.changes(List.of(put("a", 3, 3)), 3);
        feed.degraded(new ConnectionLostException("planned"));
        runAll();
        assertEquals(List.of("closed"), told);
        Await.failure(CoordinationClosedException.class, feed.ready());
    }

    // close() waits for a callback that another thread is in, so that none ends up after its return.
    @Test
    void shouldWaitForARunningCallback() throws InterruptedException {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        WatchFeed feed = feed(new WatchListener() {
            @Override
            public void onSnapshot(Listing state) {
                entered.countDown();
                try {
                    release.await();
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                }
                told.add("left");
            }

            @Override
            public void onChanges(List<Change> changes, long revision) {
                told.add("changes");
            }
        });
        feed.snapshot(new Listing(1, List.of()));
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            CompletableFuture<Void> callback = CompletableFuture.runAsync(this::runAll, threads);
            entered.await();
            CompletableFuture<Void> closing = CompletableFuture.runAsync(feed::close, threads);
            Await.until(() -> "the beginning of close", () -> told.contains("closed"));
            assertFalse(closing.isDone());
            release.countDown();
            Await.done(closing);
            assertEquals(List.of("closed", "left"), told);
            Await.done(callback);
        } finally {
            release.countDown();
            threads.shutdown();
        }
    }

    // Whatever changes come and however they are merged, the listener ends up with the state of the store.
    @Property(tries = 300)
    void shouldConvergeToTheStore(@ForAll @Size(max = 60) List<@IntRange(min = 0, max = 23) Integer> steps) {
        Map<Key, Entry> store = new TreeMap<>();
        Map<Key, Entry> view = new TreeMap<>();
        WatchFeed feed = feed(new WatchListener() {
            @Override
            public void onSnapshot(Listing state) {
                view.clear();
                state.entries().forEach(entry -> view.put(entry.key(), entry));
            }

            @Override
            public void onChanges(List<Change> changes, long revision) {
                for (Change change : changes) {
                    if (change instanceof Change.Put put) {
                        view.put(put.key(), put.entry());
                    } else {
                        view.remove(change.key());
                    }
                }
            }
        });
        feed.snapshot(new Listing(0, List.of()));
        long revision = 0;
        for (int step : steps) {
            revision++;
            Key key = DIR.child("k" + step % 4);
            switch (step / 4) {
                case 0, 1 -> {
                    Entry old = store.get(key);
                    long created = old == null ? revision : old.version().createRevision();
                    Entry entry = entry(key.name(), created, revision);
                    store.put(key, entry);
                    feed.changes(List.of(new Change.Put(entry)), revision);
                }
                case 2 -> {
                    store.remove(key);
                    feed.changes(List.of(new Change.Deleted(key, revision)), revision);
                }
                case 3 -> feed.snapshot(new Listing(revision, List.copyOf(store.values())));
                default -> {
                    Runnable task = tasks.poll();
                    if (task != null) {
                        task.run();
                    }
                }
            }
        }
        runAll();
        assertEquals(store, view);
    }
}

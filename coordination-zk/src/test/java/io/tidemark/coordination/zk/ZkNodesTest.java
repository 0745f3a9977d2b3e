package io.tidemark.coordination.zk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.coordination.Await;
import io.tidemark.coordination.Change;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Coordinations;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.Session;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import io.tidemark.coordination.Version;
import io.tidemark.coordination.WatchListener;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the entries look like to ZooKeeper's own tools, and what those can do to them. */
class ZkNodesTest {
    private static final Duration TTL = Duration.ofSeconds(5);
    private static final byte[] VALUE = "v".getBytes(StandardCharsets.UTF_8);

    @TempDir
    Path folder;

    private EmbeddedZooKeeper server;
    private Coordination client;
    private ZooKeeper raw;

    @BeforeEach
    void open() throws Exception {
        server = EmbeddedZooKeeper.start(folder);
        client = Coordinations.open(server.uri("/x/y"), CoordinationConfig.defaults());
        CountDownLatch connected = new CountDownLatch(1);
        raw = new ZooKeeper(server.servers(), 10_000, event -> {
            if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                connected.countDown();
            }
        });
        connected.await();
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        raw.close();
        server.close();
    }

    private static Txn create(String path) {
        return Txn.builder().create(Key.of(path), VALUE).build();
    }

    private TxnResult.Committed committed(Txn txn) {
        return assertInstanceOf(TxnResult.Committed.class, Await.value(client.commit(txn)));
    }

    // Entries hold the bytes as they are; directories and the chroot hold none.
    @Test
    void shouldKeepValuesReadableForOtherTools() throws Exception {
        committed(create("/a/b"));
        Stat stat = new Stat();
        assertArrayEquals(VALUE, raw.getData("/x/y/a/b", false, stat));
        assertEquals(1, stat.getVersion());
        assertNull(raw.getData("/x/y/a", false, stat));
        assertNull(raw.getData("/x/y", false, stat));
        assertNull(raw.getData("/x", false, stat));
    }

    // The access lists hold for other tools too: no child below an entry, no data in a directory.
    @Test
    void shouldKeepOtherToolsFromMixingEntriesAndDirectories() {
        committed(create("/a/b"));
        assertThrows(
                KeeperException.NoAuthException.class,
                () -> raw.create("/x/y/a/b/c", VALUE, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
        assertThrows(KeeperException.NoAuthException.class, () -> raw.setData("/x/y/a", VALUE, -1));
    }

    // An operator may write a value by hand; it counts as an update like any other.
    @Test
    void shouldTakeAnUpdateByAnotherToolForAnUpdate() throws Exception {
        Version version = committed(create("/a/b")).versions().get(0);
        raw.setData("/x/y/a/b", VALUE, -1);
        Txn stale = Txn.builder().update(Key.of("/a/b"), VALUE, version).build();
        assertEquals(new TxnResult.Conflict(0, TxnResult.Kind.VERSION), Await.value(client.commit(stale)));
    }

    // A directory that became empty was removed between two calls, as ZooKeeper does by itself after a while.
    @Test
    void shouldMakeDirectoriesAgainWhenTheyAreRemoved() throws Exception {
        Version version = committed(create("/a/b/c")).versions().get(0);
        committed(Txn.builder().delete(Key.of("/a/b/c"), version).build());
        raw.delete("/x/y/a/b", -1);
        raw.delete("/x/y/a", -1);
        committed(create("/a/b/d"));
        assertTrue(Await.value(client.get(Key.of("/a/b/d"), ReadMode.LOCAL)).isPresent());
    }

    // The version of a deleted entry holds for no directory in its place: neither to check, to delete nor to update.
    @Test
    void shouldNotTakeADirectoryForTheEntryThatWasThere() {
        Key key = Key.of("/a");
        Version gone = committed(create("/a")).versions().get(0);
        committed(Txn.builder().delete(key, gone).build());
        committed(create("/a/b"));
        for (Txn txn : List.of(
                Txn.builder().check(key, gone).build(),
                Txn.builder().delete(key, gone).build(),
                Txn.builder().update(key, VALUE, gone).build())) {
            assertEquals(new TxnResult.Conflict(0, TxnResult.Kind.ABSENT), Await.value(client.commit(txn)));
        }
    }

    // Sessions have connections of their own; what was written on one shows in the next read on another.
    @Test
    void shouldReadItsOwnWritesLocally() {
        Session session = Await.value(client.openSession(TTL));
        for (int i = 0; i < 50; i++) {
            Key key = Key.of("/e/" + i);
            committed(Txn.builder().createEphemeral(key, VALUE, session).build());
            assertTrue(Await.value(client.get(key, ReadMode.LOCAL)).isPresent(), key.path());
        }
        session.close();
        assertEquals(
                List.of(),
                Await.value(client.list(Key.of("/e"), ReadMode.LOCAL)).entries());
    }

    // Without a chroot, ZooKeeper's own nodes are no entries.
    @Test
    void shouldHideZooKeepersOwnNodes() {
        try (Coordination top = Coordinations.open(server.uri(""), CoordinationConfig.defaults())) {
            assertEquals(
                    List.of(),
                    Await.value(top.list(Key.ROOT, ReadMode.LINEARIZABLE)).entries());
            CompletableFuture<Listing> snapshot = new CompletableFuture<>();
            Await.done(top.watch(Key.ROOT, snapshotOnly(snapshot)).ready());
            assertEquals(List.of(), Await.value(snapshot).entries());
            committed(create("/a"));
            List<Entry> all =
                    Await.value(top.list(Key.of("/x/y"), ReadMode.LINEARIZABLE)).entries();
            assertEquals(List.of(Key.of("/x/y/a")), all.stream().map(Entry::key).toList());
        }
    }

    private static WatchListener snapshotOnly(CompletableFuture<Listing> snapshot) {
        return new WatchListener() {
            @Override
            public void onSnapshot(Listing state) {
                snapshot.complete(state);
            }

            @Override
            public void onChanges(List<Change> changes, long revision) {
                // Only the snapshot is asked for.
            }
        };
    }

    // ZooKeeper has an ephemeral node made by its owner's connection, so one transaction can serve one session.
    @Test
    void shouldRefuseTwoSessionsInOneTransaction() {
        Session one = Await.value(client.openSession(TTL));
        Session two = Await.value(client.openSession(TTL));
        Txn txn = Txn.builder()
                .createEphemeral(Key.of("/one"), VALUE, one)
                .createEphemeral(Key.of("/two"), VALUE, two)
                .build();
        assertThrows(IllegalArgumentException.class, () -> client.commit(txn));
    }

    // More entries than are read at a time, and more than one megabyte of values.
    @Test
    void shouldListManyAndLargeEntries() {
        byte[] large = new byte[7_000];
        for (int batch = 0; batch < 5; batch++) {
            Txn.Builder txn = Txn.builder();
            for (int i = 0; i < 100; i++) {
                txn.create(Key.of("/many/" + batch + "-" + i), large);
            }
            committed(txn.build());
        }
        assertEquals(
                500,
                Await.value(client.list(Key.of("/many"), ReadMode.LINEARIZABLE))
                        .entries()
                        .size());
    }
}

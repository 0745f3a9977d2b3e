package io.tidemark.coordination;

import static io.tidemark.coordination.ContractCase.bytes;
import static io.tidemark.coordination.ContractCase.committed;
import static io.tidemark.coordination.ContractCase.conflict;
import static io.tidemark.coordination.ContractCase.createKey;
import static io.tidemark.coordination.ContractCase.delete;
import static io.tidemark.coordination.ContractCase.entry;
import static io.tidemark.coordination.ContractCase.read;
import static io.tidemark.coordination.ContractCase.update;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** Cases 8 to 20: versions and transactions. */
interface VersionContract extends ContractCase {
    // Case 8.
    @Test
    default void shouldRaiseTheRevisionWithEachWriteOfAnyKey() {
        Coordination one = openClient();
        Coordination two = openClient();
        Version first = createKey(one, "/a", "1");
        Version second = createKey(two, "/b", "1");
        Version third = update(one, "/b", "2", second);
        Version fourth = update(two, "/a", "2", first);
        List<Long> revisions =
                List.of(first.modRevision(), second.modRevision(), third.modRevision(), fourth.modRevision());
        assertEquals(revisions.stream().sorted().distinct().toList(), revisions);
    }

    // Case 9.
    @Test
    default void shouldKeepTheCreateRevisionUnderUpdates() {
        Coordination client = openClient();
        Version created = createKey(client, "/a", "1");
        Version updated = update(client, "/a", "2", created);
        assertEquals(created.createRevision(), updated.createRevision());
        assertNotEquals(created, updated);
        assertEquals(updated, entry(client, "/a").version());
        assertEquals("2", entry(client, "/a").valueText());
    }

    // Case 10.
    @Test
    default void shouldRefuseAStaleVersion() {
        Coordination client = openClient();
        Key key = Key.of("/a");
        Version stale = createKey(client, "/a", "1");
        Version current = update(client, "/a", "2", stale);
        TxnResult.Conflict version = new TxnResult.Conflict(0, TxnResult.Kind.VERSION);
        assertEquals(
                version,
                conflict(client.commit(
                        Txn.builder().update(key, bytes("3"), stale).build())));
        assertEquals(
                version, conflict(client.commit(Txn.builder().delete(key, stale).build())));
        assertEquals(
                version, conflict(client.commit(Txn.builder().check(key, stale).build())));
        assertEquals(current, entry(client, "/a").version());
    }

    // Case 11.
    @Test
    default void shouldTellThatAKeyIsAbsent() {
        Coordination client = openClient();
        Key key = Key.of("/a");
        Version gone = createKey(client, "/a", "1");
        delete(client, "/a", gone);
        TxnResult.Conflict absent = new TxnResult.Conflict(0, TxnResult.Kind.ABSENT);
        assertEquals(
                absent,
                conflict(client.commit(
                        Txn.builder().update(key, bytes("2"), gone).build())));
        assertEquals(
                absent, conflict(client.commit(Txn.builder().delete(key, gone).build())));
        assertEquals(
                absent, conflict(client.commit(Txn.builder().check(key, gone).build())));
        // An implied parent holds no value either.
        createKey(client, "/p/c", "child");
        assertEquals(
                absent,
                conflict(client.commit(Txn.builder().check(Key.of("/p"), gone).build())));
    }

    // Case 12.
    @Test
    default void shouldTellARecreatedKeyFromTheOldOne() {
        Coordination client = openClient();
        Version old = createKey(client, "/a", "old");
        delete(client, "/a", old);
        Version recreated = createKey(client, "/a", "new");
        assertTrue(recreated.createRevision() > old.modRevision());
        if (client.capabilities().contains(Capability.STRICT_CAS)) {
            Txn txn = Txn.builder().update(Key.of("/a"), bytes("wrong"), old).build();
            assertEquals(new TxnResult.Conflict(0, TxnResult.Kind.VERSION), conflict(client.commit(txn)));
            assertEquals("new", entry(client, "/a").valueText());
        }
    }

    // Case 13: threads that read, add one and write back conditionally lose no update.
    @Test
    default void shouldLoseNoUpdate() {
        int threads = 4;
        int updates = 25;
        List<Coordination> clients = List.of(openClient(), openClient());
        createKey(clients.get(0), "/counter", "0");
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<CompletableFuture<Void>> adders = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Coordination client = clients.get(i % clients.size());
                adders.add(CompletableFuture.runAsync(() -> add(client, updates), pool));
            }
            adders.forEach(Await::done);
        } finally {
            pool.shutdownNow();
        }
        assertEquals(
                Integer.toString(threads * updates),
                entry(clients.get(0), "/counter").valueText());
    }

    private static void add(Coordination client, int updates) {
        for (int done = 0; done < updates; ) {
            Entry entry = entry(client, "/counter");
            String next = Integer.toString(Integer.parseInt(entry.valueText()) + 1);
            Txn txn = Txn.builder()
                    .update(entry.key(), bytes(next), entry.version())
                    .build();
            if (Await.value(client.commit(txn)).isCommitted()) {
                done++;
            }
        }
    }

    // Cases 14 and 17.
    @Test
    default void shouldApplyAllOperationsAtOneRevision() {
        Coordination client = openClient();
        Version updated = createKey(client, "/t/updated", "1");
        Version deleted = createKey(client, "/t/deleted", "1");
        Version checked = createKey(client, "/t/checked", "1");
        TxnResult.Committed result = committed(client.commit(Txn.builder()
                .create(Key.of("/t/new/one"), bytes("n"))
                .update(Key.of("/t/updated"), bytes("2"), updated)
                .delete(Key.of("/t/deleted"), deleted)
                .check(Key.of("/t/checked"), checked)
                .createEphemeral(Key.of("/t/mine"), bytes("m"), openSession(client))
                .build()));
        assertEquals(5, result.versions().size());
        for (int op : List.of(0, 1, 4)) {
            assertEquals(result.revision(), result.versions().get(op).modRevision(), "operation " + op);
        }
        assertEquals(result.versions().get(0), entry(client, "/t/new/one").version());
        assertEquals(result.versions().get(1), entry(client, "/t/updated").version());
        assertEquals(checked, entry(client, "/t/checked").version());
        assertEquals(result.versions().get(4), entry(client, "/t/mine").version());
        assertTrue(read(client, "/t/deleted").isEmpty());
    }

    // Case 15.
    @Test
    default void shouldCheckWithoutWriting() {
        Coordination client = openClient();
        Version a = createKey(client, "/a", "1");
        Version b = createKey(client, "/b", "1");
        TxnResult.Committed result = committed(client.commit(
                Txn.builder().check(Key.of("/a"), a).check(Key.of("/b"), b).build()));
        assertEquals(List.of(a, b), result.versions());
        assertEquals(a, entry(client, "/a").version());
        assertEquals(b, entry(client, "/b").version());
    }

    // Case 16.
    @Test
    default void shouldNameTheFirstConflictAndApplyNothing() {
        Coordination client = openClient();
        Version a = createKey(client, "/a", "1");
        Version b = createKey(client, "/b", "1");
        Version stale = b;
        update(client, "/b", "2", b);
        Txn exists = Txn.builder()
                .update(Key.of("/a"), bytes("no"), a)
                .create(Key.of("/new"), bytes("no"))
                .create(Key.of("/b"), bytes("no"))
                .check(Key.of("/absent"), stale)
                .build();
        assertEquals(new TxnResult.Conflict(2, TxnResult.Kind.EXISTS), conflict(client.commit(exists)));
        Txn version =
                Txn.builder().delete(Key.of("/a"), a).check(Key.of("/b"), stale).build();
        assertEquals(new TxnResult.Conflict(1, TxnResult.Kind.VERSION), conflict(client.commit(version)));
        Txn absent = Txn.builder()
                .create(Key.of("/new"), bytes("no"))
                .delete(Key.of("/absent"), stale)
                .build();
        assertEquals(new TxnResult.Conflict(1, TxnResult.Kind.ABSENT), conflict(client.commit(absent)));
        assertEquals(a, entry(client, "/a").version());
        assertEquals("2", entry(client, "/b").valueText());
        assertTrue(read(client, "/new").isEmpty());
    }

    // Case 18.
    @Test
    default void shouldRefuseATransactionThatIsNone() {
        Version version = new Version(1, 1, 1);
        assertThrows(IllegalArgumentException.class, () -> Txn.builder().build());
        Txn.Builder twice = Txn.builder().create(Key.of("/a"), bytes("1")).check(Key.of("/a"), version);
        assertThrows(IllegalArgumentException.class, twice::build);
        Txn.Builder nested = Txn.builder().delete(Key.of("/a"), version).create(Key.of("/a/b"), bytes("1"));
        assertThrows(IllegalArgumentException.class, nested::build);
    }

    // Case 19: of two that raise one term at the same time, exactly one commits; the other's guard holds it off.
    @Test
    default void shouldLetExactlyOneOfTwoLeadersCommit() {
        Coordination one = openClient();
        Coordination two = openClient();
        Version term = createKey(one, "/term", "0");
        for (int round = 1; round <= 20; round++) {
            CompletionStage<TxnResult> first = one.commit(raise(term, round, "one"));
            CompletionStage<TxnResult> second = two.commit(raise(term, round, "two"));
            boolean firstWon = Await.value(first).isCommitted();
            assertNotEquals(firstWon, Await.value(second).isCommitted(), "round " + round);
            assertEquals(firstWon, read(one, "/leaders/one-" + round).isPresent());
            assertNotEquals(firstWon, read(one, "/leaders/two-" + round).isPresent());
            Coordination loser = firstWon ? two : one;
            Txn late = Txn.builder()
                    .check(Key.of("/term"), term)
                    .create(Key.of("/late/" + round), bytes("no"))
                    .build();
            assertEquals(new TxnResult.Conflict(0, TxnResult.Kind.VERSION), conflict(loser.commit(late)));
            term = entry(one, "/term").version();
        }
    }

    private static Txn raise(Version term, int round, String name) {
        return Txn.builder()
                .update(Key.of("/term"), bytes(name + round), term)
                .create(Key.of("/leaders/" + name + "-" + round), bytes(name))
                .build();
    }

    // Case 20.
    @Test
    default void shouldTakeTheMostOperationsAndNoMore() {
        Coordination client = openClient();
        Txn.Builder most = Txn.builder();
        for (int i = 0; i < Limits.PORTABLE.maxTxnOps(); i++) {
            most.create(Key.of("/many/" + i), bytes("v" + i));
        }
        assertEquals(
                Limits.PORTABLE.maxTxnOps(),
                committed(client.commit(most.build())).versions().size());
        assertEquals(
                Limits.PORTABLE.maxTxnOps(),
                Await.value(client.list(Key.of("/many"), ReadMode.LINEARIZABLE))
                        .entries()
                        .size());
        most.create(Key.of("/one/more"), bytes("v"));
        assertThrows(TooLargeException.class, most::build);
    }
}

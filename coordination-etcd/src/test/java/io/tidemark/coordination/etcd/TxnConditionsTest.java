package io.tidemark.coordination.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tidemark.coordination.Await;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Coordinations;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Limits;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.TooLargeException;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Transactions that need more conditions than etcd takes, with a real server. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TxnConditionsTest {
    private static final byte[] VALUE = "v".getBytes(StandardCharsets.UTF_8);
    private static final int MANY = Limits.PORTABLE.maxTxnOps();

    private EtcdServer server;
    private Coordination client;

    @BeforeAll
    void open(@TempDir Path folder) {
        server = EtcdServer.start(folder);
        client = Coordinations.open(server.uri("/conditions"), CoordinationConfig.defaults());
    }

    @AfterAll
    void close() {
        client.close();
        server.close();
    }

    private TxnResult commit(Txn.Builder txn) {
        return Await.value(client.commit(txn.build()));
    }

    private void create(String path) {
        assertInstanceOf(TxnResult.Committed.class, commit(Txn.builder().create(Key.of(path), VALUE)));
    }

    private static Txn.Builder directories(String top) {
        Txn.Builder txn = Txn.builder();
        for (int i = 0; i < MANY; i++) {
            txn.create(Key.of(top + "/" + i + "/state"), VALUE);
        }
        return txn;
    }

    // A topic is created like this: 100 keys, each in a directory of its own.
    @Test
    void shouldCreateKeysInManyDirectoriesAtOnce() {
        assertInstanceOf(TxnResult.Committed.class, commit(directories("/topics/new")));
        assertEquals(new TxnResult.Conflict(0, TxnResult.Kind.EXISTS), commit(directories("/topics/new")));
    }

    // Keys beside the new ones lie where the conditions are joined: the transaction goes through all the same.
    @Test
    void shouldNotTakeNeighboursForConflicts() {
        create("/beside/5/stale");
        create("/beside/5/state-old");
        create("/beside/50-old");
        create("/beside/7.x/y");
        assertInstanceOf(TxnResult.Committed.class, commit(directories("/beside")));
        assertEquals(
                3,
                Await.value(client.list(Key.of("/beside/5"), ReadMode.LINEARIZABLE))
                        .entries()
                        .size());
    }

    // A true conflict among many joined conditions is found, at its place, and nothing is applied.
    @Test
    void shouldFindTheConflictAmongJoinedConditions() {
        create("/found/42-old");
        create("/found/42");
        create("/found/77/state/below");
        assertEquals(new TxnResult.Conflict(42, TxnResult.Kind.NOT_A_LEAF), commit(directories("/found")));
        assertTrue(Await.value(client.get(Key.of("/found/0/state"), ReadMode.LINEARIZABLE))
                .isEmpty());
    }

    // Where so many neighbours are that the conditions cannot be joined, the caller is told before anything is sent.
    @Test
    void shouldSayWhenConditionsCannotBeJoined() {
        Set<KeyRange> ranges = new LinkedHashSet<>();
        Set<ByteString> between = new LinkedHashSet<>();
        for (int i = 0; i < 10; i++) {
            ranges.add(KeyRange.ofKey(ByteString.copyFromUtf8("/k" + i)));
            between.add(ByteString.copyFromUtf8("/k" + i + "-beside"));
        }
        Absences absences = new Absences(ranges);
        assertEquals(4, absences.atMost(4).size());
        assertEquals(1, absences.atMost(1).size());
        absences.learn(between);
        assertEquals(10, absences.atMost(4).size());
        assertEquals(List.copyOf(ranges), absences.atMost(10));
    }

    // The same, seen by the caller.
    @Test
    void shouldRefuseATransactionWithTooManyConditions() {
        for (int i = 0; i < MANY; i++) {
            create("/crowd/" + i + "/tail");
            create("/crowd/" + i + "/stale");
        }
        Await.failure(
                TooLargeException.class, client.commit(directories("/crowd").build()));
        assertTrue(Await.value(client.get(Key.of("/crowd/0/state"), ReadMode.LINEARIZABLE))
                .isEmpty());
    }
}

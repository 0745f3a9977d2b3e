package io.tidemark.coordination;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** One of several clients that do by chance what a {@link History} checks. Owned by one thread. */
final class HistoryClient {
    private static final List<Key> KEYS = List.of(Key.of("/h/0"), Key.of("/h/1"), Key.of("/h/2"));

    private final Coordination client;
    private final History history;
    private final SplittableRandom random;
    private final String name;
    /** What this client has seen last of each key, which may be stale. */
    private final Map<Key, Version> seen = new HashMap<>();

    private int values;

    /** Makes a client that has done nothing. */
    HistoryClient(Coordination client, History history, SplittableRandom random, String name) {
        this.client = client;
        this.history = history;
        this.random = random;
        this.name = name;
    }

    /** Does so many calls, one after the other. */
    void call(int count) {
        for (int i = 0; i < count; i++) {
            Key key = KEYS.get(random.nextInt(KEYS.size()));
            Version version = seen.get(key);
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> get(key);
                case 3 -> commit(Txn.builder().create(key, value()));
                case 4 -> deleteIfSeen(key, version);
                case 5 -> transact(key, version);
                default -> updateIfSeen(key, version);
            }
        }
    }

    private byte[] value() {
        values++;
        return (name + "/" + values).getBytes(StandardCharsets.UTF_8);
    }

    private void get(Key key) {
        long invoked = history.tick();
        Optional<Entry> result = Await.value(client.get(key, ReadMode.LINEARIZABLE));
        history.add(new History.Read(invoked, history.tick(), key, result.map(Entry::version)));
        result.ifPresent(entry -> seen.put(key, entry.version()));
    }

    private void updateIfSeen(Key key, @Nullable Version version) {
        if (version == null) {
            commit(Txn.builder().create(key, value()));
        } else {
            commit(Txn.builder().update(key, value(), version));
        }
    }

    private void deleteIfSeen(Key key, @Nullable Version version) {
        if (version == null) {
            get(key);
        } else {
            commit(Txn.builder().delete(key, version));
        }
    }

    /** Checks one key and writes another. */
    private void transact(Key key, @Nullable Version version) {
        Key other = KEYS.get((KEYS.indexOf(key) + 1) % KEYS.size());
        Version otherVersion = seen.get(other);
        if (version == null || otherVersion == null) {
            get(other);
        } else {
            commit(Txn.builder().check(key, version).update(other, value(), otherVersion));
        }
    }

    private void commit(Txn.Builder builder) {
        Txn txn = builder.build();
        long invoked = history.tick();
        TxnResult result = Await.value(client.commit(txn));
        history.add(new History.Write(invoked, history.tick(), txn, result));
        if (result instanceof TxnResult.Committed committed) {
            for (int i = 0; i < txn.ops().size(); i++) {
                TxnOp op = txn.ops().get(i);
                if (op.kind() == TxnOp.Kind.DELETE) {
                    seen.remove(op.key());
                } else {
                    seen.put(op.key(), committed.versions().get(i));
                }
            }
        }
    }
}

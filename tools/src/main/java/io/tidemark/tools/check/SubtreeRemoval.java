package io.tidemark.tools.check;

import io.tidemark.coordination.Change;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import io.tidemark.coordination.Watch;
import io.tidemark.coordination.WatchListener;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * Removes all keys below one, on any back end. Directories, which the interface does not show, are removed as well
 * where a service has them: an entry is put in the place of each empty one, and deleted. Stateless.
 */
public final class SubtreeRemoval {
    private static final int ROUNDS_MAX = 5;
    private static final int OPS_MAX = 50;

    private SubtreeRemoval() {}

    /**
     * Removes what is there. Whoever writes meanwhile may leave something behind.
     *
     * @param client a client
     * @param top the key; it and all below it go
     * @param emptyDirectories directories below it that may have no keys any more
     * @return how many keys could not be removed; 0 if all is gone
     * @throws java.util.concurrent.CompletionException if the service does not answer or denies access
     */
    public static int remove(Coordination client, Key top, Collection<Key> emptyDirectories) {
        TreeSet<Key> directories = new TreeSet<>(
                Comparator.comparingInt(SubtreeRemoval::depth).reversed().thenComparing(Key::path));
        directories.addAll(emptyDirectories);
        directories.add(top);
        List<Entry> left = entries(client, top);
        for (int round = 0; round < ROUNDS_MAX && !left.isEmpty(); round++) {
            left.forEach(entry -> addParents(entry.key(), top, directories));
            delete(client, left);
            left = entries(client, top);
        }
        if (left.isEmpty()) {
            directories.forEach(directory -> removeDirectory(client, directory));
        }
        return left.size();
    }

    private static int depth(Key key) {
        return (int) key.path().chars().filter(character -> character == '/').count();
    }

    private static void addParents(Key key, Key top, Set<Key> directories) {
        for (Key parent = key.parent(); depth(parent) > depth(top); parent = parent.parent()) {
            directories.add(parent);
        }
    }

    private static List<Entry> entries(Coordination client, Key top) {
        CompletableFuture<Listing> snapshot = new CompletableFuture<>();
        WatchListener first = new WatchListener() {
            @Override
            public void onSnapshot(Listing state) {
                snapshot.complete(state);
            }

            @Override
            public void onChanges(List<Change> changes, long revision) {
                // The first snapshot is enough.
            }
        };
        try (Watch watch = client.watch(top, first)) {
            watch.ready().toCompletableFuture().join();
            return snapshot.join().entries();
        }
    }

    private static void delete(Coordination client, List<Entry> entries) {
        for (int from = 0; from < entries.size(); from += OPS_MAX) {
            Txn.Builder builder = Txn.builder();
            for (Entry entry : entries.subList(from, Math.min(entries.size(), from + OPS_MAX))) {
                builder.delete(entry.key(), entry.version());
            }
            // A conflict says that somebody else changed a key meanwhile: the next round sees what is left.
            client.commit(builder.build()).toCompletableFuture().join();
        }
    }

    private static void removeDirectory(Coordination client, Key directory) {
        TxnResult put = client.commit(
                        Txn.builder().create(directory, new byte[0]).build())
                .toCompletableFuture()
                .join();
        if (put instanceof TxnResult.Committed committed) {
            client.commit(Txn.builder()
                            .delete(directory, committed.versions().get(0))
                            .build())
                    .toCompletableFuture()
                    .join();
        }
    }
}

package io.tidemark.tools.check;

import io.tidemark.coordination.Change;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.WatchListener;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Notes how far a watch has come. Any thread. */
final class WatchProbe implements WatchListener {
    private final Set<Key> present = new HashSet<>();
    private long revision;

    /** Begins with nothing seen. */
    WatchProbe() {}

    @Override
    public synchronized void onSnapshot(Listing state) {
        present.clear();
        state.entries().forEach(entry -> {
            present.add(entry.key());
            revision = Math.max(revision, entry.version().modRevision());
        });
    }

    @Override
    public synchronized void onChanges(List<Change> changes, long atRevision) {
        for (Change change : changes) {
            revision = Math.max(revision, change.revision());
            if (change instanceof Change.Put) {
                present.add(change.key());
            } else {
                present.remove(change.key());
            }
        }
    }

    /** {@return the youngest revision of a change that was seen} */
    synchronized long revision() {
        return revision;
    }

    /**
     * Tells whether the watch knows that a key is not there.
     *
     * @param key the key
     * @return true if so
     */
    synchronized boolean isDeleted(Key key) {
        return !present.contains(key);
    }
}

package io.tidemark.coordination;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the state that a watch delivers, and checks what every watch promises: the snapshot comes first, calls do not
 * overlap, no key's revision falls and nothing is delivered twice. Any thread.
 */
public class WatchView implements WatchListener {
    private final Map<Key, Entry> entries = new TreeMap<>();
    private final Map<Key, Long> revisions = new HashMap<>();
    private final List<List<Change>> batches = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();
    private final Set<Thread> inside = new HashSet<>();
    private int snapshots;
    private int degradations;

    @Override
    public void onSnapshot(Listing state) {
        enter();
        synchronized (this) {
            snapshots++;
            entries.clear();
            revisions.clear();
            @Nullable Key last = null;
            for (Entry entry : state.entries()) {
                check(last == null || last.compareTo(entry.key()) < 0, "snapshot is not sorted: " + state);
                last = entry.key();
                entries.put(entry.key(), entry);
                revisions.put(entry.key(), entry.version().modRevision());
            }
        }
        leave();
    }

    @Override
    public void onChanges(List<Change> changes, long revision) {
        enter();
        synchronized (this) {
            check(snapshots > 0, "changes came before the snapshot: " + changes);
            check(!changes.isEmpty(), "an empty batch came");
            check(changes.stream().map(Change::key).distinct().count() == changes.size(), "twice: " + changes);
            batches.add(changes);
            changes.forEach(this::apply);
        }
        leave();
    }

    private void apply(Change change) {
        Long seen = revisions.put(change.key(), change.revision());
        check(seen == null || change.revision() > seen, "revision did not rise: seen=" + seen + ", change=" + change);
        if (change instanceof Change.Put put) {
            entries.put(put.key(), put.entry());
        } else {
            check(entries.remove(change.key()) != null, "deletion of a key that was not there: " + change);
        }
    }

    @Override
    public synchronized void onDegraded(Throwable cause) {
        degradations++;
    }

    private synchronized void enter() {
        check(inside.add(Thread.currentThread()) && inside.size() == 1, "calls overlap: " + inside);
    }

    private synchronized void leave() {
        inside.remove(Thread.currentThread());
    }

    private void check(boolean holds, String fault) {
        if (!holds) {
            faults.add(fault);
        }
    }

    /** What is known now, by path. Throws if a promise was broken. */
    public synchronized Map<String, String> values() {
        if (!faults.isEmpty()) {
            throw new AssertionError("the watch broke a promise: " + faults);
        }
        Map<String, String> values = new TreeMap<>();
        entries.forEach((key, entry) -> values.put(key.path(), entry.valueText()));
        return values;
    }

    /** The entries known now. */
    synchronized List<Entry> entries() {
        return List.copyOf(entries.values());
    }

    /** The batches of changes so far. */
    synchronized List<List<Change>> batches() {
        return List.copyOf(batches);
    }

    /** How many snapshots came so far. */
    synchronized int snapshots() {
        return snapshots;
    }

    /** How often the watch was said to be stale. */
    synchronized int degradations() {
        return degradations;
    }
}

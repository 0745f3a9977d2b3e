package io.tidemark.coordination.local;

import io.tidemark.coordination.Change;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnOp;
import io.tidemark.coordination.TxnResult;
import io.tidemark.coordination.Version;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a store and its one revision. A plain class without clock or thread; guarded by the lock of
 * {@link LocalStore}.
 */
final class StoreState {
    /**
     * By path; all paths below a directory lie between its path with '/' and its path with the character after '/'.
     */
    private final NavigableMap<String, Entry> entries = new TreeMap<>();

    private long revision;
    private long sizeBytes;

    /**
     * What a transaction did.
     *
     * @param result the answer to the client
     * @param changes what watches are told, empty if nothing was written
     */
    record Outcome(TxnResult result, List<Change> changes) {}

    /**
     * The revision of the last write.
     *
     * @return the revision, 0 for a new store
     */
    long revision() {
        return revision;
    }

    /**
     * Begins with what a journal held.
     *
     * @param found the entries, of keys that stay
     * @param foundRevision the revision of the store
     */
    void restore(Collection<Entry> found, long foundRevision) {
        for (Entry entry : found) {
            place(entry);
        }
        revision = foundRevision;
    }

    /**
     * All entries.
     *
     * @return a copy, sorted by key
     */
    List<Entry> entries() {
        return List.copyOf(entries.values());
    }

    /**
     * How much the entries hold.
     *
     * @return the bytes of all keys and values
     */
    long sizeBytes() {
        return sizeBytes;
    }

    /**
     * The entry of a key, if it holds a value.
     *
     * @param key the key
     * @return the entry, if there is one
     */
    Optional<Entry> get(Key key) {
        return Optional.ofNullable(entries.get(key.path()));
    }

    /**
     * The entries directly below a directory. Skips deeper ones, so the cost is that of the children.
     *
     * @param dir the directory
     * @return the entries, sorted by key
     */
    Listing list(Key dir) {
        List<Entry> children = new ArrayList<>();
        NavigableMap<String, Entry> below = below(dir);
        int prefixLength = prefix(dir).length();
        @Nullable String path = below.isEmpty() ? null : below.firstKey();
        while (path != null) {
            int slash = path.indexOf('/', prefixLength);
            if (slash < 0) {
                children.add(require(path));
                path = below.higherKey(path);
            } else {
                path = below.ceilingKey(path.substring(0, slash) + afterSlash());
            }
        }
        return new Listing(revision, children);
    }

    /**
     * The entries of a key and of everything below it.
     *
     * @param dir the directory
     * @return the entries, sorted by key
     */
    Listing subtree(Key dir) {
        List<Entry> all = new ArrayList<>();
        get(dir).ifPresent(all::add);
        all.addAll(below(dir).values());
        return new Listing(revision, all);
    }

    /**
     * Applies a transaction, all of it or nothing.
     *
     * @param txn the transaction
     * @return the answer and the changes
     */
    Outcome apply(Txn txn) {
        List<TxnOp> ops = txn.ops();
        for (int i = 0; i < ops.size(); i++) {
            TxnResult.@Nullable Kind conflict = conflict(ops.get(i));
            if (conflict != null) {
                return new Outcome(new TxnResult.Conflict(i, conflict), List.of());
            }
        }
        long next = revision + 1;
        List<Change> changes = new ArrayList<>();
        List<Version> versions = new ArrayList<>();
        for (TxnOp op : ops) {
            versions.add(write(op, next, changes));
        }
        if (!changes.isEmpty()) {
            revision = next;
        }
        return new Outcome(new TxnResult.Committed(revision, versions), List.copyOf(changes));
    }

    /**
     * Removes the keys that a session owns, at one revision.
     *
     * @param sessionId the id of the session
     * @return the deletions
     */
    List<Change> removeOwnedBy(long sessionId) {
        List<Change> changes = new ArrayList<>();
        OptionalLong owner = OptionalLong.of(sessionId);
        for (Entry entry : entries.values()) {
            if (entry.ownerSessionId().equals(owner)) {
                changes.add(new Change.Deleted(entry.key(), revision + 1));
            }
        }
        if (!changes.isEmpty()) {
            revision++;
            changes.forEach(change -> displace(change.key()));
        }
        return changes;
    }

    private TxnResult.@Nullable Kind conflict(TxnOp op) {
        Entry entry = entries.get(op.key().path());
        return switch (op.kind()) {
            case CREATE, CREATE_EPHEMERAL -> {
                if (entry != null) {
                    yield TxnResult.Kind.EXISTS;
                }
                yield hasRelative(op.key()) ? TxnResult.Kind.NOT_A_LEAF : null;
            }
            case UPDATE, DELETE, CHECK -> {
                if (entry == null) {
                    yield TxnResult.Kind.ABSENT;
                }
                yield entry.version().equals(op.expected()) ? null : TxnResult.Kind.VERSION;
            }
        };
    }

    private boolean hasRelative(Key key) {
        if (!below(key).isEmpty()) {
            return true;
        }
        for (Key above = key.parent(); !above.isRoot(); above = above.parent()) {
            if (entries.containsKey(above.path())) {
                return true;
            }
        }
        return false;
    }

    private Version write(TxnOp op, long next, List<Change> changes) {
        Key key = op.key();
        return switch (op.kind()) {
            case CREATE -> put(key, op.value(), new Version(next, next, next), OptionalLong.empty(), changes);
            case CREATE_EPHEMERAL ->
                put(
                        key,
                        op.value(),
                        new Version(next, next, next),
                        OptionalLong.of(op.session().id()),
                        changes);
            case UPDATE -> {
                Entry old = require(key.path());
                Version version = new Version(old.version().createRevision(), next, next);
                yield put(key, op.value(), version, old.ownerSessionId(), changes);
            }
            case DELETE -> {
                displace(key);
                changes.add(new Change.Deleted(key, next));
                yield op.expected();
            }
            case CHECK -> op.expected();
        };
    }

    private Version put(Key key, byte[] value, Version version, OptionalLong owner, List<Change> changes) {
        Entry entry = new Entry(key, value, version, owner);
        place(entry);
        changes.add(new Change.Put(entry));
        return version;
    }

    private void place(Entry entry) {
        sizeBytes += sizeBytes(entry);
        Entry old = entries.put(entry.key().path(), entry);
        sizeBytes -= old == null ? 0 : sizeBytes(old);
    }

    private void displace(Key key) {
        Entry old = entries.remove(key.path());
        sizeBytes -= old == null ? 0 : sizeBytes(old);
    }

    private static long sizeBytes(Entry entry) {
        return (long) entry.key().sizeBytes() + entry.valueSizeBytes();
    }

    private Entry require(String path) {
        Entry entry = entries.get(path);
        if (entry == null) {
            throw new IllegalStateException("the store lost a key while it held its lock: path=" + path);
        }
        return entry;
    }

    private NavigableMap<String, Entry> below(Key dir) {
        String prefix = prefix(dir);
        return entries.subMap(prefix, true, prefix.substring(0, prefix.length() - 1) + afterSlash(), false);
    }

    private static String prefix(Key dir) {
        return dir.isRoot() ? "/" : dir.path() + "/";
    }

    private static char afterSlash() {
        return '/' + 1;
    }
}

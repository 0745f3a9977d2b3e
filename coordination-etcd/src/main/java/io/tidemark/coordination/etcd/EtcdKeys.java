package io.tidemark.coordination.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KeyValue;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Version;
import java.util.Optional;
import java.util.OptionalLong;

/** Turns keys into etcd's and back: the prefix and the path, in UTF-8. Immutable. */
final class EtcdKeys {
    /** Comes right after '/': the end of what begins with a path and '/'. */
    private static final String AFTER_SLASH = "0";

    private final String prefix;

    /**
     * Sets the prefix.
     *
     * @param prefix stands before each path; empty for none
     */
    EtcdKeys(String prefix) {
        this.prefix = prefix;
    }

    /**
     * The key in etcd.
     *
     * @param key the key, not the root
     * @return its bytes
     */
    ByteString bytes(Key key) {
        return ByteString.copyFromUtf8(prefix + key.path());
    }

    /**
     * The key alone.
     *
     * @param key the key
     * @return a range that holds nothing else
     */
    KeyRange only(Key key) {
        return KeyRange.ofKey(bytes(key));
    }

    /**
     * What lies below a directory at any depth.
     *
     * @param dir the directory
     * @return the range
     */
    KeyRange below(Key dir) {
        String path = dir.isRoot() ? prefix : prefix + dir.path();
        return new KeyRange(ByteString.copyFromUtf8(path + "/"), ByteString.copyFromUtf8(path + AFTER_SLASH));
    }

    /**
     * A key and what lies below it, and perhaps some neighbours: those whose names begin with its name and go on with
     * a character before '/'.
     *
     * @param top the key
     * @return the range
     */
    KeyRange subtree(Key top) {
        KeyRange below = below(top);
        return top.isRoot() ? below : new KeyRange(bytes(top), below.to());
    }

    /**
     * Where a listing goes on after a key: behind the whole child of the directory below which the key lies.
     *
     * @param dir the directory
     * @param last the key in etcd
     * @return the next key of etcd that may be a child of the directory
     */
    ByteString afterChild(Key dir, ByteString last) {
        String start = below(dir).from().toStringUtf8();
        String text = last.toStringUtf8();
        int slash = text.indexOf('/', start.length());
        return slash < 0 ? KeyRange.justAfter(last) : ByteString.copyFromUtf8(text.substring(0, slash) + AFTER_SLASH);
    }

    /**
     * The key of a name in etcd.
     *
     * @param bytes the name
     * @return the key, or empty if someone else wrote what is no key of this interface
     */
    Optional<Key> key(ByteString bytes) {
        String text = bytes.toStringUtf8();
        if (!bytes.isValidUtf8() || !text.startsWith(prefix + "/") || text.length() == prefix.length() + 1) {
            return Optional.empty();
        }
        try {
            return Optional.of(Key.of(text.substring(prefix.length())));
        } catch (IllegalArgumentException foreign) {
            return Optional.empty();
        }
    }

    /**
     * The entry that etcd shows.
     *
     * @param shown a key with its value
     * @return the entry, or empty if someone else wrote what is no key of this interface
     */
    Optional<Entry> entry(KeyValue shown) {
        return key(shown.getKey())
                .map(key -> new Entry(key, shown.getValue().toByteArray(), version(shown), owner(shown)));
    }

    private static Version version(KeyValue shown) {
        return new Version(shown.getCreateRevision(), shown.getModRevision(), shown.getModRevision());
    }

    private static OptionalLong owner(KeyValue shown) {
        return shown.getLease() == 0 ? OptionalLong.empty() : OptionalLong.of(shown.getLease());
    }
}

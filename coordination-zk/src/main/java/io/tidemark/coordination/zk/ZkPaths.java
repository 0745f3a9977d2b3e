package io.tidemark.coordination.zk;

import io.tidemark.coordination.Key;
import java.util.ArrayList;
import java.util.List;

/** Turns keys into node paths below the chroot, and back. Immutable. */
final class ZkPaths {
    /** ZooKeeper keeps its own nodes here; they are no entries. */
    private static final String RESERVED = "/zookeeper";

    private final String chroot;

    /**
     * Makes the translation.
     *
     * @param chroot the node above all keys; empty for the top
     */
    ZkPaths(String chroot) {
        this.chroot = chroot;
    }

    /**
     * The node of a key.
     *
     * @param key the key
     * @return its path in the ensemble
     */
    String path(Key key) {
        if (key.isRoot()) {
            return chroot.isEmpty() ? "/" : chroot;
        }
        return chroot + key.path();
    }

    /**
     * The key of a node.
     *
     * @param path a path below or at the chroot
     * @return the key
     */
    Key key(String path) {
        String rest = path.substring(chroot.length());
        return rest.isEmpty() ? Key.ROOT : Key.of(rest);
    }

    /**
     * Tells whether a node may hold an entry.
     *
     * @param path its path
     * @return false for the chroot itself, nodes outside of it, and ZooKeeper's own nodes
     */
    boolean mayHoldEntry(String path) {
        if (path.length() < 2 || isReserved(path)) {
            return false;
        }
        return chroot.isEmpty() || (path.startsWith(chroot) && path.startsWith("/", chroot.length()));
    }

    /**
     * Tells whether a node is ZooKeeper's own.
     *
     * @param path its path
     * @return true for {@code /zookeeper} and all below it
     */
    static boolean isReserved(String path) {
        return path.equals(RESERVED) || path.startsWith(RESERVED + "/");
    }

    /**
     * The path of a child.
     *
     * @param parent the path of the parent
     * @param name the name of the child
     * @return the path
     */
    static String child(String parent, String name) {
        return parent.length() == 1 ? "/" + name : parent + "/" + name;
    }

    /**
     * The directories above a key, from the top, those of the chroot first.
     *
     * @param key the key
     * @return paths in the order in which they must be created
     */
    List<String> directoriesAbove(Key key) {
        List<String> paths = new ArrayList<>();
        String path = path(key);
        for (int slash = path.indexOf('/', 1); slash > 0; slash = path.indexOf('/', slash + 1)) {
            paths.add(path.substring(0, slash));
        }
        return paths;
    }

    /**
     * Tells whether a node is the chroot or lies above it. Such nodes stay when they are empty.
     *
     * @param path the path
     * @return true if so
     */
    boolean isChroot(String path) {
        return path.length() <= chroot.length();
    }

    /**
     * Tells whether a node lies above the chroot, where others may have nodes as well.
     *
     * @param path the path of the chroot, of a node above it or of one below it
     * @return true if so
     */
    boolean isAboveChroot(String path) {
        return path.length() < chroot.length();
    }
}

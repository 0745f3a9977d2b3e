package io.tidemark.coordination.zk;

import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Version;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Reads many nodes over one connection, a bounded number at a time, and gives the entries among them. Used once. Owned
 * by the loop. The result is not one moment of the store: each node is as it was at {@link Result#fromRevision} or
 * later.
 */
final class NodeReader {
    private static final int IN_FLIGHT_MAX = 128;

    /** How far down to read. */
    enum Depth {
        /** Only the nodes asked for. */
        NODES,
        /** Only the children of the nodes asked for. */
        CHILDREN,
        /** The nodes asked for and all below them. */
        SUBTREE
    }

    /** Takes the result, on the loop. */
    interface Receiver {
        /**
         * All was read.
         *
         * @param result the entries
         */
        void onRead(Result result);

        /**
         * The connection broke, or a server refused a request.
         *
         * @param code the verdict
         * @param answered whether a server gave it
         */
        void onFailed(Code code, boolean answered);
    }

    /**
     * What was read.
     *
     * @param fromRevision the last transaction before the reading began; all its effects show
     * @param toRevision the last transaction of which an effect may show
     * @param entries the entries, sorted by key
     * @param absent the nodes that were read and hold no entry, each with the revision of the store that showed it
     */
    record Result(long fromRevision, long toRevision, List<Entry> entries, Map<String, Long> absent) {}

    private final RevisionClient client;
    private final ZkPaths paths;
    private final Depth depth;
    private final Receiver receiver;
    private final Queue<Runnable> todo = new ArrayDeque<>();
    private final List<Entry> entries = new ArrayList<>();
    private final Map<String, Long> absent = new HashMap<>();
    private long fromRevision;
    private long toRevision;
    private int inFlight;
    private boolean over;

    /**
     * Prepares to read.
     *
     * @param client the connection
     * @param paths turns paths into keys
     * @param depth how far down to read
     * @param receiver takes the result
     */
    NodeReader(RevisionClient client, ZkPaths paths, Depth depth, Receiver receiver) {
        this.client = client;
        this.paths = paths;
        this.depth = depth;
        this.receiver = receiver;
    }

    /**
     * Begins to read; the receiver is called once.
     *
     * @param tops the paths of the nodes
     */
    void read(Iterable<String> tops) {
        for (String top : tops) {
            todo.add(depth == Depth.CHILDREN ? () -> listChildren(top) : () -> readNode(top));
        }
        next();
    }

    private void next() {
        while (!over && inFlight < IN_FLIGHT_MAX && !todo.isEmpty()) {
            inFlight++;
            todo.remove().run();
        }
        if (!over && inFlight == 0) {
            over = true;
            entries.sort(Comparator.comparing(Entry::key));
            receiver.onRead(new Result(fromRevision, toRevision, entries, absent));
        }
    }

    private void readNode(String path) {
        client.read(path, reply -> {
            if (arrived(reply)) {
                ZkNode node = reply.value();
                byte[] data = node == null ? null : node.data();
                if (node != null && data != null && paths.mayHoldEntry(path)) {
                    entries.add(entry(paths.key(path), data, node.stat()));
                } else {
                    absent.put(path, reply.revision());
                    listBelow(path, node);
                }
                next();
            }
        });
    }

    private void listBelow(String path, @Nullable ZkNode node) {
        if (depth == Depth.SUBTREE && node != null && node.stat().getNumChildren() > 0 && !ZkPaths.isReserved(path)) {
            todo.add(() -> listChildren(path));
        }
    }

    private void listChildren(String path) {
        client.children(path, reply -> {
            if (arrived(reply)) {
                List<String> names = reply.value();
                if (names != null) {
                    for (String name : names) {
                        String child = ZkPaths.child(path, name);
                        todo.add(() -> readNode(child));
                    }
                }
                next();
            }
        });
    }

    /** Counts a reply; true if the reading goes on. */
    private boolean arrived(Reply<?> reply) {
        inFlight--;
        if (over) {
            return false;
        }
        if (reply.code() != Code.OK && reply.code() != Code.NONODE) {
            over = true;
            receiver.onFailed(reply.code(), reply.isAnswered());
            return false;
        }
        if (fromRevision == 0) {
            fromRevision = reply.revision();
        }
        toRevision = Math.max(toRevision, reply.revision());
        return true;
    }

    /**
     * Makes an entry of a node.
     *
     * @param key its key
     * @param data its data
     * @param stat its versions
     * @return the entry
     */
    static Entry entry(Key key, byte[] data, Stat stat) {
        long owner = stat.getEphemeralOwner();
        return new Entry(key, data, version(stat), owner == 0 ? OptionalLong.empty() : OptionalLong.of(owner));
    }

    /**
     * Makes the version of an entry.
     *
     * @param stat those of its node
     * @return the version
     */
    static Version version(Stat stat) {
        return new Version(stat.getCzxid(), stat.getMzxid(), stat.getVersion());
    }
}

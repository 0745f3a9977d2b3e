package io.tidemark.coordination.zk;

import io.tidemark.coordination.Change;
import io.tidemark.coordination.ConnectionLostException;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.spi.WatchFeed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.jspecify.annotations.Nullable;

/**
 * Follows one subtree. ZooKeeper's recursive watch only names the node that changed, and loses what happens while the
 * connection is down. So: set the watch, read the whole subtree, read again each node that an event names; and all anew
 * when the connection is back. Owned by the loop.
 *
 * <p><b>Revisions.</b> A server sends the events of a transaction before any reply that shows it. When all nodes named
 * by events have been read and no further event came meanwhile, the state is that of the store at the highest revision
 * of these replies; a transaction then shows as a whole. Under steady writes that moment may not come: after
 * {@link #ROUNDS_MAX} rounds what was read is given, with the highest revision before the first event that was not
 * followed yet.
 */
final class ZkWatch {
    private static final int ROUNDS_MAX = 3;
    private static final int ROUND_NODES_MAX = 256;

    private final ZkContext context;
    private final WatchFeed feed;
    private final String top;
    /** Nodes named by events and not read since, the one that waits longest first. */
    private final Map<String, NodeEvents> dirty = new LinkedHashMap<>();
    /** Nodes read in this round. */
    private final Map<String, NodeEvents> reading = new HashMap<>();
    /** What was read since the feed was given something. */
    private final Map<Key, Change> gathered = new HashMap<>();

    private @Nullable RevisionClient client;
    /** Counts connections, so that replies on an old one are known. */
    private long generation;

    private boolean snapshotGiven;
    private boolean busy;
    private boolean closed;
    private int rounds;
    private long revision;

    /**
     * Prepares to follow.
     *
     * @param context what the parts of a client share
     * @param feed is given what is seen
     */
    ZkWatch(ZkContext context, WatchFeed feed) {
        this.context = context;
        this.feed = feed;
        this.top = context.paths().path(feed.dir());
    }

    /** {@return the path of the top of the subtree} */
    String top() {
        return top;
    }

    /**
     * Tells whether this watch follows a node.
     *
     * @param path its path
     * @return true if so
     */
    boolean covers(String path) {
        return top.length() == 1 || path.equals(top) || (path.startsWith(top) && path.startsWith("/", top.length()));
    }

    /**
     * The connection is there, or there again.
     *
     * @param connected takes requests
     */
    void onUp(RevisionClient connected) {
        client = connected;
        generation++;
        long mine = generation;
        busy = true;
        dirty.clear();
        reading.clear();
        gathered.clear();
        connected.watchBelow(top, code -> {
            if (mine == generation && !closed) {
                onWatchSet(connected, mine, code);
            }
        });
    }

    private void onWatchSet(RevisionClient connected, long mine, Code code) {
        if (code == Code.OK) {
            readAll(connected, mine);
        } else if (code != Code.CONNECTIONLOSS && code != Code.SESSIONEXPIRED) {
            refuse(code);
        }
    }

    private void readAll(RevisionClient connected, long mine) {
        new NodeReader(connected, context.paths(), NodeReader.Depth.SUBTREE, new NodeReader.Receiver() {
                    @Override
                    public void onRead(NodeReader.Result result) {
                        if (mine == generation && !closed) {
                            snapshotGiven = true;
                            revision = Math.max(revision, result.fromRevision());
                            feed.snapshot(new Listing(result.fromRevision(), result.entries()));
                            nextRound();
                        }
                    }

                    @Override
                    public void onFailed(Code code, boolean answered) {
                        failed(mine, code, answered);
                    }
                })
                .read(List.of(top));
    }

    private void failed(long mine, Code code, boolean answered) {
        if (mine == generation && !closed && answered) {
            refuse(code);
        }
        // Without an answer the connection is lost, and the next one reads all anew.
    }

    private void refuse(Code code) {
        feed.refuse(ZkErrors.refused(
                code, "watch dir=" + feed.dir(), context.address().servers()));
    }

    /** The connection is lost. */
    void onDown() {
        generation++;
        client = null;
        busy = false;
        if (snapshotGiven && !closed) {
            feed.degraded(new ConnectionLostException(
                    "connection to ZooKeeper lost, the watch reads all anew when it is" + " back: dir=" + feed.dir()
                            + ", servers=" + context.address().servers()));
        }
    }

    /**
     * A node below the top changed.
     *
     * @param event what happened where
     */
    void onEvent(WatchedEvent event) {
        if (closed || client == null || !context.paths().mayHoldEntry(event.getPath())) {
            return;
        }
        switch (event.getType()) {
            case NodeCreated, NodeDeleted, NodeDataChanged -> {
                dirty.merge(event.getPath(), NodeEvents.of(event.getType(), event.getZxid()), NodeEvents::and);
                if (!busy) {
                    rounds = 0;
                    nextRound();
                }
            }
            default -> {
                // Children are reported by their own events.
            }
        }
    }

    private void nextRound() {
        RevisionClient connected = client;
        if (dirty.isEmpty() || connected == null) {
            busy = false;
            return;
        }
        busy = true;
        rounds++;
        reading.clear();
        Iterator<Map.Entry<String, NodeEvents>> waiting = dirty.entrySet().iterator();
        while (waiting.hasNext() && reading.size() < ROUND_NODES_MAX) {
            Map.Entry<String, NodeEvents> next = waiting.next();
            reading.put(next.getKey(), next.getValue());
            waiting.remove();
        }
        long mine = generation;
        new NodeReader(connected, context.paths(), NodeReader.Depth.NODES, new NodeReader.Receiver() {
                    @Override
                    public void onRead(NodeReader.Result result) {
                        if (mine == generation && !closed) {
                            gather(result);
                        }
                    }

                    @Override
                    public void onFailed(Code code, boolean answered) {
                        failed(mine, code, answered);
                    }
                })
                .read(List.copyOf(reading.keySet()));
    }

    private void gather(NodeReader.Result result) {
        for (Entry entry : result.entries()) {
            gathered.put(entry.key(), new Change.Put(entry));
        }
        result.absent().forEach((path, readRevision) -> {
            Key key = context.paths().key(path);
            NodeEvents events =
                    reading.getOrDefault(path, NodeEvents.NONE).and(dirty.getOrDefault(path, NodeEvents.NONE));
            gathered.put(key, new Change.Deleted(key, events.deletedAt(readRevision)));
        });
        if (dirty.isEmpty() || rounds >= ROUNDS_MAX) {
            give(result.toRevision());
        }
        nextRound();
    }

    private void give(long readRevision) {
        long reached = readRevision;
        for (NodeEvents pending : dirty.values()) {
            reached = Math.min(reached, pending.first() - 1);
        }
        revision = Math.max(revision, reached);
        List<Change> changes = new ArrayList<>(gathered.values());
        changes.sort(Comparator.comparingLong(Change::revision));
        gathered.clear();
        rounds = 0;
        feed.changes(changes, revision);
    }

    /** Stops to follow. */
    void close() {
        closed = true;
        generation++;
        client = null;
    }
}

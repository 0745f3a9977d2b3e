package io.tidemark.coordination.zk;

import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.spi.WatchFeed;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The watches of a client, all on its shared connection. Owned by the loop. */
final class ZkWatches {
    private static final Logger LOG = LoggerFactory.getLogger(ZkWatches.class);

    private final ZkContext context;
    private final List<Open> open = new ArrayList<>();
    private @Nullable RevisionClient client;

    /**
     * A watch with what it feeds.
     *
     * @param watch follows the subtree
     * @param feed merges and delivers
     */
    private record Open(ZkWatch watch, WatchFeed feed) {}

    /**
     * Begins without a watch.
     *
     * @param context what the parts of a client share
     */
    ZkWatches(ZkContext context) {
        this.context = context;
    }

    /**
     * Adds a watch.
     *
     * @param feed what it feeds
     */
    void add(WatchFeed feed) {
        ZkWatch watch = new ZkWatch(context, feed);
        open.add(new Open(watch, feed));
        RevisionClient connected = client;
        if (connected != null) {
            watch.onUp(connected);
        }
    }

    /**
     * Removes a watch; the server forgets it with the last one on the same node.
     *
     * @param feed what it feeds
     */
    void remove(WatchFeed feed) {
        for (Open candidate : List.copyOf(open)) {
            if (candidate.feed() == feed) {
                open.remove(candidate);
                candidate.watch().close();
                forget(candidate.watch().top());
            }
        }
    }

    private void forget(String top) {
        RevisionClient connected = client;
        if (connected == null
                || open.stream().anyMatch(other -> other.watch().top().equals(top))) {
            return;
        }
        connected.unwatch(top, code -> {
            if (code != Code.OK && code != Code.NOWATCHER) {
                LOG.debug("ZooKeeper did not confirm the end of a watch: path={}, code={}", top, code);
            }
        });
    }

    /**
     * The connection is there, or there again.
     *
     * @param connected takes requests
     */
    void onUp(RevisionClient connected) {
        client = connected;
        for (Open each : List.copyOf(open)) {
            each.watch().onUp(connected);
        }
    }

    /** The connection is lost. */
    void onDown() {
        client = null;
        for (Open each : List.copyOf(open)) {
            each.watch().onDown();
        }
    }

    /**
     * The servers refuse the client.
     *
     * @param cause why
     */
    void onRefused(CoordinationException cause) {
        for (Open each : List.copyOf(open)) {
            each.feed().refuse(cause);
        }
    }

    /** {@return whether nobody watches} */
    boolean isEmpty() {
        return open.isEmpty();
    }

    /**
     * A node changed.
     *
     * @param event what happened where
     */
    void onEvent(WatchedEvent event) {
        for (Open each : List.copyOf(open)) {
            if (each.watch().covers(event.getPath())) {
                each.watch().onEvent(event);
            }
        }
    }
}

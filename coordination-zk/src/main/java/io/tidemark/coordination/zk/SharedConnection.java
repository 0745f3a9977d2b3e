package io.tidemark.coordination.zk;

import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.ReadMode;
import java.time.Duration;
import org.apache.zookeeper.WatchedEvent;
import org.jspecify.annotations.Nullable;

/**
 * The connection for all that belongs to no session: reads, watches and transactions without ephemeral keys. When its
 * ZooKeeper session is over it makes itself anew. Owned by the loop.
 */
final class SharedConnection implements ZkHandle.Listener {
    private static final int TIMEOUT_MS_MIN = 4_000;
    private static final int TIMEOUT_MS_MAX = 40_000;
    /** So long a refusal holds; then somebody may have set it right, and the next call or an open watch tries again. */
    private static final Duration REFUSED_PAUSE = Duration.ofSeconds(5);

    private final ZkContext context;
    private final ZkWatches watches;
    private @Nullable ZkHandle handle;
    private @Nullable RevisionClient lastClient;
    private boolean closed;
    /** No read may show a state older than this: something younger was seen on another connection. */
    private long revisionFloor;

    /**
     * Prepares the connection; it is made by the first use.
     *
     * @param context what the parts of a client share
     * @param watches live on this connection
     */
    SharedConnection(ZkContext context, ZkWatches watches) {
        this.context = context;
        this.watches = watches;
    }

    /**
     * Runs something with the connection: at once if it is up, else when it is.
     *
     * @param next what waits
     */
    void whenUp(ZkHandle.Waiting next) {
        if (closed) {
            next.refuse(context.calls().closedException("connect"));
        } else {
            current().whenUp(next);
        }
    }

    private ZkHandle current() {
        ZkHandle open = handle;
        if (open == null) {
            // ZooKeeper's client gives an attempt its session timeout divided by the number of servers.
            long wishMs = context.config().connectTimeout().toMillis()
                    * context.address().serverCount();
            open = new ZkHandle(context, (int) Math.max(TIMEOUT_MS_MIN, Math.min(TIMEOUT_MS_MAX, wishMs)), this);
            handle = open;
            open.connect();
        }
        return open;
    }

    /** Makes the connection, if it is not being made, for a watch that waits for {@link #onUp}. */
    void demand() {
        if (!closed) {
            current();
        }
    }

    /**
     * A request came back without a server's answer.
     *
     * @param asked the client that was asked
     */
    void unanswered(RevisionClient asked) {
        ZkHandle open = handle;
        if (open != null) {
            open.unanswered(asked);
        }
    }

    /**
     * Something was seen that reads on this connection must not fall behind.
     *
     * @param revision its revision
     */
    void raiseFloor(long revision) {
        revisionFloor = Math.max(revisionFloor, revision);
    }

    /**
     * Tells whether the server must catch up before a read.
     *
     * @param client the connection
     * @param mode how fresh the read must be
     * @return true if so
     */
    boolean mustCatchUp(RevisionClient client, ReadMode mode) {
        return mode == ReadMode.LINEARIZABLE || client.lastRevision() < revisionFloor;
    }

    @Override
    public void onUp(RevisionClient client) {
        lastClient = client;
        watches.onUp(client);
    }

    @Override
    public void onDown() {
        watches.onDown();
    }

    @Override
    public void onExpired() {
        RevisionClient ended = lastClient;
        if (ended != null) {
            raiseFloor(ended.lastRevision());
        }
        ZkHandle old = handle;
        handle = null;
        if (old != null && !closed) {
            ZkHandle next = current();
            old.moveWaitingTo(next);
        }
    }

    @Override
    public void onRefused(CoordinationException cause) {
        ZkHandle refused = handle;
        watches.onRefused(cause);
        context.loop().schedule(REFUSED_PAUSE, () -> forget(refused));
    }

    private void forget(@Nullable ZkHandle refused) {
        if (!closed && handle == refused) {
            handle = null;
            if (!watches.isEmpty()) {
                current();
            }
        }
    }

    @Override
    public void onWatched(WatchedEvent event) {
        watches.onEvent(event);
    }

    /** Closes the connection for good. */
    void close() {
        closed = true;
        ZkHandle open = handle;
        handle = null;
        if (open != null) {
            open.close(outcome -> {});
        }
    }
}

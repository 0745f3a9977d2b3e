package io.tidemark.coordination.zk;

import io.tidemark.coordination.Capability;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Limits;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.Session;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnOp;
import io.tidemark.coordination.TxnResult;
import io.tidemark.coordination.Watch;
import io.tidemark.coordination.WatchListener;
import io.tidemark.coordination.spi.SystemSeam;
import io.tidemark.coordination.spi.WatchFeed;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A client of ZooKeeper. Any thread; what it does is done on its loop. */
final class ZkCoordination implements Coordination {
    private static final Logger LOG = LoggerFactory.getLogger(ZkCoordination.class);

    private final ZkContext context;
    private final ZkWatches watches;
    private final SharedConnection shared;
    private final ZkReads reads;
    private final ZkTransactions transactions;
    private final ZkSession.Owner sessionOwner;
    /** Sessions that are open or being opened; owned by the loop. */
    private final Set<SessionOpening> sessions = new HashSet<>();

    private final Set<WatchFeed> feeds = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * Makes a client; it connects with the first call.
     *
     * @param address where the ensemble is
     * @param config how to use it
     */
    ZkCoordination(ZkAddress address, CoordinationConfig config) {
        this.context = new ZkContext(address, config, this::onFault);
        this.watches = new ZkWatches(context);
        this.shared = new SharedConnection(context, watches);
        this.reads = new ZkReads(context, shared);
        this.transactions = new ZkTransactions(context, shared);
        this.sessionOwner = new ZkSession.Owner(context, shared::raiseFloor);
    }

    @Override
    public CompletionStage<Session> openSession(Duration ttl) {
        Duration wish = limits().clampTtl(ttl);
        AtomicReference<@Nullable SessionOpening> begun = new AtomicReference<>();
        Runnable onEnd = () -> context.loop().execute(() -> endOpening(begun.get()));
        ZkCall<Session> call = context.calls().begin("open session ttl=" + wish, onEnd);
        context.loop().execute(() -> {
            if (!call.isOver()) {
                SessionOpening opening = new SessionOpening(sessionOwner, call, wish, sessions::remove);
                begun.set(opening);
                sessions.add(opening);
                opening.start();
            }
        });
        return call.stage();
    }

    private static void endOpening(@Nullable SessionOpening opening) {
        if (opening != null) {
            opening.callEnded();
        }
    }

    @Override
    public CompletionStage<Optional<Entry>> get(Key key, ReadMode mode) {
        limits().check(key);
        ZkCall<Optional<Entry>> call = context.calls().begin("get key=" + key);
        context.loop().execute(() -> reads.get(call, key, mode));
        return call.stage();
    }

    @Override
    public CompletionStage<Listing> list(Key dir, ReadMode mode) {
        limits().check(dir);
        ZkCall<Listing> call = context.calls().begin("list dir=" + dir);
        context.loop().execute(() -> reads.list(call, dir, mode));
        return call.stage();
    }

    @Override
    public CompletionStage<TxnResult> commit(Txn txn) {
        limits().check(txn);
        ZkTransactions.Route route = route(txn);
        ZkCall<TxnResult> call = context.calls().begin(txn);
        context.loop().execute(() -> {
            if (!call.isOver()) {
                transactions.commit(call, txn, route);
            }
        });
        return call.stage();
    }

    /** Ephemeral nodes can only be made on the connection of their owner. */
    private ZkTransactions.Route route(Txn txn) {
        ZkSession owner = null;
        for (TxnOp op : txn.ops()) {
            if (op.kind() != TxnOp.Kind.CREATE_EPHEMERAL) {
                continue;
            }
            if (!(op.session() instanceof ZkSession session) || !session.isOf(context)) {
                throw new IllegalArgumentException("ephemeral key names a session of another client: key=" + op.key()
                        + ", session=" + op.session());
            }
            if (owner != null && owner != session) {
                throw new IllegalArgumentException("ZooKeeper takes the ephemeral keys of one session in a transaction:"
                        + " first=" + owner + ", second=" + session + "; split it");
            }
            owner = session;
        }
        return owner == null ? transactions.sharedRoute() : owner;
    }

    @Override
    public Watch watch(Key dir, WatchListener listener) {
        limits().check(dir);
        WatchFeed feed = new WatchFeed(dir, listener, context.config(), context.callbacks(), this::onWatchClosed);
        feeds.add(feed);
        if (closed.get()) {
            feed.close();
        } else {
            context.loop().execute(() -> {
                watches.add(feed);
                shared.demand();
            });
        }
        return feed;
    }

    private void onWatchClosed(WatchFeed feed) {
        feeds.remove(feed);
        context.loop().execute(() -> watches.remove(feed));
    }

    @Override
    public Limits limits() {
        return Limits.PORTABLE;
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of();
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        Duration timeout = context.config().operationTimeout();
        for (WatchFeed feed : feeds) {
            feed.close();
        }
        context.calls().close();
        context.loop().execute(this::closeOnLoop);
        if (!context.awaitHandlesClosed(timeout)) {
            LOG.warn(
                    "ZooKeeper's client did not end in time: servers={}, waited={}",
                    context.address().servers(),
                    timeout);
        }
        context.loop().shutDown(timeout);
        context.callbacks().close();
    }

    private void closeOnLoop() {
        for (SessionOpening session : List.copyOf(sessions)) {
            session.close();
        }
        shared.close();
    }

    /** A task of the loop threw: what it left behind cannot be trusted, so this client ends here and now. */
    private void onFault(Throwable fault) {
        if (closed.get()) {
            LOG.warn(
                    "coordination client failed while it was closed: servers={}",
                    context.address().servers(),
                    fault);
            return;
        }
        LOG.error(
                "coordination client has a broken invariant and ends; open a new one: servers={}",
                context.address().servers(),
                fault);
        for (SessionOpening session : List.copyOf(sessions)) {
            session.fence();
        }
        SystemSeam.newDaemonThread(context.config().clientName() + "-zk-fault", this::close)
                .start();
    }
}

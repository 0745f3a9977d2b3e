package io.tidemark.coordination.etcd;

import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrpc;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A client of etcd. Any thread; what it does is done on its loop. */
final class EtcdCoordination implements Coordination {
    private static final Logger LOG = LoggerFactory.getLogger(EtcdCoordination.class);
    private static final Set<Capability> CAPABILITIES =
            Set.of(Capability.STRICT_CAS, Capability.ATOMIC_LIST, Capability.ATOMIC_WATCH);

    private final EtcdContext context;
    private final EtcdNetwork network;
    private final EtcdConnection connection;
    private final EtcdCalls calls;
    private final EtcdRequests requests;
    private final EtcdReads reads;
    private final EtcdTransactions transactions;
    /** Sessions whose leases were not given back yet; owned by the loop. */
    private final Set<EtcdSession> sessions = new HashSet<>();
    /** Owned by the loop. */
    private final Map<WatchFeed, EtcdWatch> watches = new HashMap<>();

    private final Set<WatchFeed> feeds = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final CountDownLatch sessionsGone = new CountDownLatch(1);

    /**
     * Makes a client; it connects with the first call.
     *
     * @param address where the members are
     * @param config how to use them
     */
    EtcdCoordination(EtcdAddress address, CoordinationConfig config) {
        this.context = new EtcdContext(address, config, this::onFault);
        this.network = new EtcdNetwork(config);
        this.connection = new EtcdConnection(context, network);
        this.calls =
                new EtcdCalls(context.loop(), context.callbacks(), config, address.servers(), connection::unanswered);
        this.requests = new EtcdRequests(context, connection);
        this.reads = new EtcdReads(context, requests);
        this.transactions = new EtcdTransactions(context, requests);
    }

    private void onLoop(EtcdCall<?> call, Runnable task) {
        context.loop().execute(() -> {
            if (!call.isOver()) {
                task.run();
            }
        });
    }

    @Override
    public CompletionStage<Session> openSession(Duration ttl) {
        Duration wish = limits().clampTtl(ttl);
        long seconds = wish.plusNanos(999_999_999).toSeconds();
        EtcdCall<Session> call = calls.write("open session ttl=" + wish);
        LeaseGrantRequest request =
                LeaseGrantRequest.newBuilder().setTTL(seconds).build();
        onLoop(
                call,
                () -> requests.send(call, LeaseGrpc.getLeaseGrantMethod(), request, (answer, sentNs) -> {
                    Duration granted = Duration.ofSeconds(answer.getTTL());
                    beginSession(call, answer.getID(), granted, sentNs);
                }));
        return call.stage();
    }

    private void beginSession(EtcdCall<Session> call, long id, Duration ttl, long sentNs) {
        AtomicReference<@Nullable EtcdSession> begun = new AtomicReference<>();
        EtcdSession opened = new EtcdSession(id, ttl, sentNs, context, connection, () -> sessionGone(begun.get()));
        begun.set(opened);
        sessions.add(opened);
        opened.start();
        if (!call.settle(opened)) {
            // Nobody waits any more: the lease is given back.
            opened.closeOnLoop();
        }
    }

    private void sessionGone(@Nullable EtcdSession session) {
        sessions.remove(session);
        if (closed.get() && sessions.isEmpty()) {
            sessionsGone.countDown();
        }
    }

    @Override
    public CompletionStage<Optional<Entry>> get(Key key, ReadMode mode) {
        limits().check(key);
        EtcdCall<Optional<Entry>> call = calls.read("get key=" + key);
        onLoop(call, () -> reads.get(call, key, mode));
        return call.stage();
    }

    @Override
    public CompletionStage<Listing> list(Key dir, ReadMode mode) {
        limits().check(dir);
        EtcdCall<Listing> call = calls.read("list dir=" + dir);
        onLoop(call, () -> reads.list(call, dir, mode));
        return call.stage();
    }

    @Override
    public CompletionStage<TxnResult> commit(Txn txn) {
        limits().check(txn);
        List<EtcdSession> owners = owners(txn);
        EtcdCall<TxnResult> call = calls.write(txn);
        onLoop(call, () -> transactions.commit(call, txn, owners));
        return call.stage();
    }

    private List<EtcdSession> owners(Txn txn) {
        List<EtcdSession> owners = new ArrayList<>();
        for (TxnOp op : txn.ops()) {
            if (op.kind() != TxnOp.Kind.CREATE_EPHEMERAL) {
                continue;
            }
            if (!(op.session() instanceof EtcdSession session) || !session.isOf(context)) {
                throw new IllegalArgumentException("ephemeral key names a session of another client: key=" + op.key()
                        + ", session=" + op.session());
            }
            if (!owners.contains(session)) {
                owners.add(session);
            }
        }
        return owners;
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
                EtcdWatch watch = new EtcdWatch(context, connection, feed);
                watches.put(feed, watch);
                connection.add(watch);
            });
        }
        return feed;
    }

    private void onWatchClosed(WatchFeed feed) {
        feeds.remove(feed);
        context.loop().execute(() -> {
            EtcdWatch watch = watches.remove(feed);
            if (watch != null) {
                watch.close();
            }
        });
    }

    @Override
    public Limits limits() {
        return Limits.PORTABLE;
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
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
        calls.close();
        context.loop().execute(this::closeSessions);
        awaitSessionsGone(timeout);
        context.loop().execute(connection::close);
        context.loop().shutDown(timeout);
        if (!network.shutDown(timeout)) {
            LOG.warn(
                    "network thread of an etcd client did not end in time: servers={}, waited={}",
                    context.address().servers(),
                    timeout);
        }
        context.callbacks().close();
    }

    private void closeSessions() {
        connection.giveUpWaiting();
        for (EtcdSession session : List.copyOf(sessions)) {
            session.closeOnLoop();
        }
        if (sessions.isEmpty()) {
            sessionsGone.countDown();
        }
    }

    private void awaitSessionsGone(Duration timeout) {
        try {
            if (!sessionsGone.await(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                LOG.warn(
                        "leases of an etcd client were not given back in time and end by themselves: servers={},"
                                + " waited={}",
                        context.address().servers(),
                        timeout);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
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
        for (EtcdSession session : List.copyOf(sessions)) {
            session.expired();
        }
        SystemSeam.newDaemonThread(context.config().clientName() + "-etcd-fault", this::close)
                .start();
    }
}

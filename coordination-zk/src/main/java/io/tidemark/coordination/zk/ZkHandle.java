package io.tidemark.coordination.zk;

import io.tidemark.coordination.AccessDeniedException;
import io.tidemark.coordination.ConnectionLostException;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Credentials;
import io.tidemark.coordination.OutcomeUnknownException;
import io.tidemark.coordination.spi.TlsMaterial;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.jspecify.annotations.Nullable;

/**
 * One connection, which is one ZooKeeper session. What cannot be sent waits here, outside of ZooKeeper's client, so
 * that it is known for sure that it was not sent. Owned by the loop.
 *
 * <table>
 * <caption>Transitions</caption>
 * <tr><th>from</th><th>to</th><th>when</th></tr>
 * <tr><td>DOWN</td><td>UP</td><td>connected, in the same ZooKeeper session</td></tr>
 * <tr><td>UP</td><td>DOWN</td><td>connection lost, or a request went unanswered</td></tr>
 * <tr><td>DOWN, UP</td><td>EXPIRED</td><td>ZooKeeper or its client ended the session</td></tr>
 * <tr><td>DOWN, UP</td><td>REFUSED</td><td>the credentials were refused</td></tr>
 * <tr><td>any</td><td>CLOSED</td><td>closed by us</td></tr>
 * </table>
 */
final class ZkHandle {
    private static final int WAITING_MAX = 10_000;
    /** How often in a row a connection may break while the client proves who it is. */
    private static final int BROKEN_EXCHANGES_MAX = 3;
    /** A first connection takes less, so that it is not probed. */
    private static final Duration PROBE_DELAY = Duration.ofMillis(500);

    private static final Duration PROBE_PAUSE = Duration.ofSeconds(5);

    /** Where a connection stands. */
    private enum Link {
        DOWN,
        UP,
        EXPIRED,
        REFUSED,
        CLOSED
    }

    /** Is told what happens to a connection, on the loop. */
    interface Listener {
        /**
         * Connected, for the first time or again.
         *
         * @param client takes requests
         */
        void onUp(RevisionClient client);

        /** The connection is lost; the client tries again by itself. */
        void onDown();

        /** The ZooKeeper session is over; this connection will never be up again. */
        void onExpired();

        /**
         * The servers refused the client, or it cannot be made; this connection will never be up again.
         *
         * @param cause why
         */
        default void onRefused(CoordinationException cause) {}

        /**
         * A watched node changed.
         *
         * @param event what happened where
         */
        default void onWatched(WatchedEvent event) {
            throw new IllegalStateException("no watch was set on this connection: event=" + event);
        }
    }

    /** Waits for a connection. */
    interface Waiting {
        /** {@return whether it is not wanted any more} */
        boolean isOver();

        /**
         * Goes on.
         *
         * @param client takes requests, at once
         */
        void go(RevisionClient client);

        /**
         * Cannot go on; nothing was sent.
         *
         * @param cause why
         */
        void refuse(CoordinationException cause);
    }

    private final ZkContext context;
    private final int timeoutMs;
    private final Listener listener;
    private final Queue<Waiting> waiting = new ArrayDeque<>();
    private @Nullable RevisionClient client;
    private Link link = Link.DOWN;
    private @Nullable CoordinationException refusal;
    private @Nullable SaslExchange exchange;
    private int brokenExchanges;
    private @Nullable TlsMaterial material;
    private @Nullable TlsProbe probe;
    private ZkLoop.@Nullable Timer probeTimer;
    private long endRevision;

    /**
     * Prepares a connection.
     *
     * @param context what the parts of a client share
     * @param timeoutMs the ZooKeeper session timeout to ask for
     * @param listener is told what happens
     */
    ZkHandle(ZkContext context, int timeoutMs, Listener listener) {
        this.context = context;
        this.timeoutMs = timeoutMs;
        this.listener = listener;
    }

    /** Begins to connect. The threads of ZooKeeper's client are named after the loop's, which makes it. */
    void connect() {
        ZkSecurity security = context.security();
        try {
            material = security.material().orElse(null);
            byte[] digest = security.digest();
            RevisionClient made = new RevisionClient(
                    context.address(),
                    timeoutMs,
                    event -> context.loop().execute(() -> onEvent(event)),
                    security.settings(),
                    context.loop());
            client = made;
            context.handleOpened();
            security.introduce(made, digest);
            probeIfStillDown(PROBE_DELAY);
        } catch (CoordinationException unusable) {
            refused(unusable);
        } catch (IOException | IllegalArgumentException failed) {
            refused(new ConnectionLostException(
                    "ZooKeeper's client cannot be made: servers="
                            + context.address().servers(),
                    failed));
        }
    }

    private void onEvent(WatchedEvent event) {
        if (link != Link.DOWN && link != Link.UP) {
            return;
        }
        if (event.getType() != EventType.None) {
            listener.onWatched(event);
            return;
        }
        switch (event.getState()) {
            case SyncConnected -> connected();
            case Disconnected -> disconnected();
            case Expired, Closed -> expired();
            case AuthFailed ->
                refused(new AccessDeniedException("ZooKeeper refused the credentials: servers="
                        + context.address().servers() + "; check user, password and keys"));
            default -> {
                // Read-only servers are not asked for, and SASL is done below.
            }
        }
    }

    private void connected() {
        RevisionClient now = client;
        Optional<Credentials> sasl = context.security().sasl();
        if (now == null || sasl.isEmpty()) {
            up();
            return;
        }
        AtomicReference<@Nullable SaslExchange> begun = new AtomicReference<>();
        SaslExchange next = new SaslExchange(
                sasl.get(), now, context.address().servers(), failure -> exchanged(begun.get(), failure));
        begun.set(next);
        exchange = next;
        next.start();
    }

    private void exchanged(@Nullable SaslExchange ended, @Nullable CoordinationException failure) {
        if (ended == null || ended != exchange || link != Link.DOWN) {
            return;
        }
        exchange = null;
        brokenExchanges = 0;
        if (failure == null) {
            up();
        } else {
            refused(failure);
        }
    }

    private void disconnected() {
        boolean broken = exchange != null;
        exchange = null;
        down();
        if (broken) {
            brokenExchanges++;
            if (brokenExchanges >= BROKEN_EXCHANGES_MAX) {
                refused(new AccessDeniedException("ZooKeeper breaks the connection whenever the client proves who it"
                        + " is: servers=" + context.address().servers() + ", attempts=" + brokenExchanges
                        + "; check that the servers offer SASL with DIGEST-MD5"));
                return;
            }
        }
        probeIfStillDown(PROBE_DELAY);
    }

    /** Looks after a pause why there is no encrypted connection, as ZooKeeper's client does not tell. */
    private void probeIfStillDown(Duration delay) {
        if (material != null && probeTimer == null && link == Link.DOWN) {
            probeTimer = context.loop().schedule(delay, this::startProbe);
        }
    }

    private void startProbe() {
        probeTimer = null;
        TlsMaterial used = material;
        if (used == null || link != Link.DOWN || probe != null) {
            return;
        }
        TlsProbe next = new TlsProbe(
                used.context(), context.address().servers(), context.config().connectTimeout());
        probe = next;
        context.runBlocking("tls-probe", () -> {
            Optional<String> verdict = next.refusal();
            context.loop().execute(() -> probed(next, verdict));
        });
    }

    private void probed(TlsProbe ended, Optional<String> verdict) {
        if (ended != probe) {
            return;
        }
        probe = null;
        if (link != Link.DOWN) {
            return;
        }
        if (verdict.isPresent()) {
            refused(new AccessDeniedException("ZooKeeper and this client do not accept each other's certificates: "
                    + verdict.get() + ", servers=" + context.address().servers()
                    + "; check the trust store, the host name in the server's certificate, and the client's own"
                    + " certificate"));
        } else {
            probeIfStillDown(PROBE_PAUSE);
        }
    }

    private void endProbe() {
        ZkLoop.Timer timer = probeTimer;
        probeTimer = null;
        if (timer != null) {
            timer.cancel();
        }
        TlsProbe running = probe;
        probe = null;
        if (running != null) {
            running.cancel();
        }
    }

    private void up() {
        RevisionClient connected = client;
        if (connected == null) {
            return;
        }
        link = Link.UP;
        endProbe();
        listener.onUp(connected);
        for (int i = waiting.size(); i > 0 && link == Link.UP; i--) {
            Waiting next = waiting.remove();
            if (!next.isOver()) {
                next.go(connected);
            }
        }
    }

    private void down() {
        if (link == Link.UP) {
            link = Link.DOWN;
            listener.onDown();
        }
    }

    private void expired() {
        down();
        link = Link.EXPIRED;
        exchange = null;
        endThreads();
        listener.onExpired();
    }

    private void refused(CoordinationException cause) {
        down();
        link = Link.REFUSED;
        refusal = cause;
        exchange = null;
        endThreads();
        refuseAll(cause);
        listener.onRefused(cause);
    }

    /**
     * A request came back without a server's answer. The client's own event may come later, and until then whatever is
     * sent would only fail in the same way.
     *
     * @param asked the client that was asked; one that is no longer ours says nothing about the connection
     */
    void unanswered(RevisionClient asked) {
        if (asked == client) {
            down();
        }
    }

    /**
     * Runs something with the connection if it is up.
     *
     * @param now is given the client
     */
    void ifUp(Consumer<RevisionClient> now) {
        RevisionClient connected = client;
        if (link == Link.UP && connected != null) {
            now.accept(connected);
        }
    }

    /**
     * Runs something with the connection: at once if it is up, else when it is.
     *
     * @param next what waits
     */
    void whenUp(Waiting next) {
        RevisionClient connected = client;
        CoordinationException refused = refusal;
        if (link == Link.UP && connected != null) {
            next.go(connected);
        } else if (refused != null) {
            next.refuse(refused);
        } else if (link == Link.CLOSED) {
            next.refuse(context.calls().closedException("wait for ZooKeeper"));
        } else {
            await(next);
        }
    }

    private void await(Waiting next) {
        if (waiting.size() >= WAITING_MAX) {
            waiting.removeIf(Waiting::isOver);
        }
        if (waiting.size() < WAITING_MAX) {
            waiting.add(next);
        } else {
            next.refuse(new ConnectionLostException("too many calls wait for ZooKeeper: waiting=" + waiting.size()
                    + ", max=" + WAITING_MAX + ", servers="
                    + context.address().servers()));
        }
    }

    /**
     * Hands over what waits to the connection that takes this one's place.
     *
     * @param other the new connection
     */
    void moveWaitingTo(ZkHandle other) {
        for (Waiting next = waiting.poll(); next != null; next = waiting.poll()) {
            if (!next.isOver()) {
                other.whenUp(next);
            }
        }
    }

    /**
     * Refuses all that waits.
     *
     * @param cause why
     */
    void refuseAll(CoordinationException cause) {
        for (Waiting next = waiting.poll(); next != null; next = waiting.poll()) {
            if (!next.isOver()) {
                next.refuse(cause);
            }
        }
    }

    /**
     * Ends the ZooKeeper session and the threads of the client. What waits is refused.
     *
     * @param confirmed is told once: null if a server confirmed the end or nothing was open, else why not
     */
    void close(Consumer<@Nullable CoordinationException> confirmed) {
        Link before = link;
        RevisionClient open = client;
        if (before == Link.CLOSED) {
            confirmed.accept(null);
            return;
        }
        link = Link.CLOSED;
        refuseAll(context.calls().closedException("wait for ZooKeeper"));
        if (open == null || before == Link.EXPIRED || before == Link.REFUSED) {
            confirmed.accept(null);
        } else if (before == Link.DOWN) {
            endThreads();
            confirmed.accept(new ConnectionLostException("ZooKeeper is out of reach, the session ends with its time to"
                    + " live: servers=" + context.address().servers()));
        } else {
            endSession(open, confirmed);
        }
    }

    private void endSession(RevisionClient open, Consumer<@Nullable CoordinationException> confirmed) {
        // Half of the deadline of a call is left for the end of the threads.
        Duration timeout = context.config().operationTimeout().dividedBy(2);
        Once once = new Once(failure -> {
            endThreads();
            confirmed.accept(failure);
        });
        ZkLoop.Timer timer = context.loop()
                .schedule(
                        timeout,
                        () -> once.end(new OutcomeUnknownException("ZooKeeper did not confirm the end of a"
                                + " session: servers=" + context.address().servers() + ", waited=" + timeout)));
        open.endSession(reply -> {
            timer.cancel();
            endRevision = reply.revision();
            once.end(
                    reply.isAnswered()
                            ? null
                            : new OutcomeUnknownException("connection to ZooKeeper broke while a session was ended:"
                                    + " servers=" + context.address().servers()));
        });
    }

    /** {@return the revision at which the ZooKeeper session was ended, 0 if that is not known} */
    long endRevision() {
        return endRevision;
    }

    private void endThreads() {
        endProbe();
        RevisionClient ended = client;
        client = null;
        if (ended != null) {
            context.endThreadsOf(ended);
        }
    }

    /** Takes the first of several possible ends. */
    private static final class Once {
        private final Consumer<@Nullable CoordinationException> end;
        private boolean ended;

        Once(Consumer<@Nullable CoordinationException> end) {
            this.end = end;
        }

        void end(@Nullable CoordinationException failure) {
            if (!ended) {
                ended = true;
                end.accept(failure);
            }
        }
    }
}

package io.tidemark.coordination.etcd;

import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthenticateRequest;
import io.etcd.jetcd.api.AuthenticateResponse;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.netty.handler.ssl.SslContext;
import io.tidemark.coordination.ConnectionLostException;
import io.tidemark.coordination.CoordinationException;
import io.tidemark.coordination.Credentials;
import io.tidemark.coordination.Key;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a client to one member of the cluster, and to the next when that one fails. It is up when the
 * member has taken the password, if there is one, and has answered a read for which it needs the quorum. gRPC would
 * wait up to two minutes between attempts, so each attempt here is a channel of its own. Owned by the loop.
 *
 * <table>
 * <caption>Transitions</caption>
 * <tr><th>from</th><th>to</th><th>when</th></tr>
 * <tr><td>IDLE</td><td>TRYING</td><td>somebody needs the connection</td></tr>
 * <tr><td>TRYING</td><td>UP</td><td>the member answered</td></tr>
 * <tr><td>TRYING</td><td>TRYING</td><td>it did not; with the next member, after a pause that doubles</td></tr>
 * <tr><td>TRYING</td><td>IDLE</td><td>access was denied; who waits is told so</td></tr>
 * <tr><td>UP</td><td>TRYING</td><td>the connection broke, or the member has no quorum or owes an answer</td></tr>
 * <tr><td>any</td><td>CLOSED</td><td>the client is closed</td></tr>
 * </table>
 */
final class EtcdConnection {
    private static final long PAUSE_NS_MIN = 20_000_000L;
    private static final long PAUSE_NS_MAX = 500_000_000L;
    /** A connection that lived this long is no sign of a member that accepts and drops connections. */
    private static final long LASTING_NS = 5_000_000_000L;

    private final EtcdContext context;
    private final EtcdNetwork network;
    private final EtcdTls tls;
    private final Queue<Waiting> waiting = new ArrayDeque<>();
    private final Set<Listener> listeners = new LinkedHashSet<>();
    private State state = State.IDLE;
    private @Nullable EtcdChannel channel;
    private EtcdLoop.@Nullable Timer timer;
    private int nextMember;
    private long pauseNs;
    private long upSinceNs;

    private enum State {
        IDLE,
        TRYING,
        UP,
        CLOSED
    }

    /** Something that needs the connection. */
    interface Waiting {
        /** {@return whether it does not need it any more} */
        boolean isOver();

        /**
         * The connection is up.
         *
         * @param channel takes requests
         */
        void go(EtcdChannel channel);

        /**
         * There will be no connection.
         *
         * @param cause why
         */
        void refuse(CoordinationException cause);
    }

    /** Is told what happens to the connection. */
    interface Listener {
        /**
         * It is up, or up again.
         *
         * @param channel takes requests
         */
        void onUp(EtcdChannel channel);

        /**
         * It is lost.
         *
         * @param cause why
         */
        void onDown(ConnectionLostException cause);

        /**
         * The cluster denies access; there is no further attempt until somebody needs the connection.
         *
         * @param cause why
         */
        void onDenied(CoordinationException cause);
    }

    /**
     * Prepares the connection; it is made by the first use.
     *
     * @param context what the parts of a client share
     * @param network makes channels
     */
    EtcdConnection(EtcdContext context, EtcdNetwork network) {
        this.context = context;
        this.network = network;
        this.tls = new EtcdTls(context.config().tls());
    }

    /**
     * Has a listener told what happens; at once if the connection is up. Makes the connection if nobody has yet.
     *
     * @param listener the listener
     */
    void add(Listener listener) {
        listeners.add(listener);
        EtcdChannel open = channel;
        if (state == State.UP && open != null) {
            listener.onUp(open);
        } else {
            demand();
        }
    }

    /**
     * Forgets a listener.
     *
     * @param listener the listener
     */
    void remove(Listener listener) {
        listeners.remove(listener);
    }

    /** Makes the connection, if it is not being made. */
    void demand() {
        if (state == State.IDLE) {
            state = State.TRYING;
            attempt();
        }
    }

    /**
     * Runs something with the connection: at once if it is up, else when it is.
     *
     * @param next what waits
     */
    void whenUp(Waiting next) {
        EtcdChannel open = channel;
        if (state == State.CLOSED) {
            next.refuse(closedException());
        } else if (state == State.UP && open != null) {
            next.go(open);
        } else {
            waiting.removeIf(Waiting::isOver);
            waiting.add(next);
            demand();
        }
    }

    private CoordinationException closedException() {
        return new ConnectionLostException("the connection to etcd is closed: servers=" + servers());
    }

    private String servers() {
        return context.address().servers();
    }

    private void attempt() {
        List<EtcdAddress.Member> members = context.address().members();
        EtcdAddress.Member member = members.get(nextMember % members.size());
        nextMember = (nextMember + 1) % members.size();
        Optional<SslContext> encryption;
        try {
            encryption = tls.context();
        } catch (CoordinationException unusable) {
            denied(unusable);
            return;
        }
        EtcdChannel tried = new EtcdChannel(network.channel(member, encryption.orElse(null)), context.loop(), member);
        channel = tried;
        authenticate(tried);
    }

    private void authenticate(EtcdChannel tried) {
        Optional<Credentials> credentials = context.config().credentials();
        if (credentials.isEmpty()) {
            probe(tried);
            return;
        }
        AuthenticateRequest request;
        try {
            request = EtcdTls.authentication(credentials.get());
        } catch (CoordinationException unusable) {
            denied(unusable);
            return;
        }
        ask(tried, AuthGrpc.getAuthenticateMethod(), request, reply -> {
            AuthenticateResponse answer = reply.value();
            if (reply.outcome() == EtcdReply.Outcome.OK && answer != null) {
                tried.token(answer.getToken());
                probe(tried);
            } else if (EtcdErrors.isAuthOff(reply.status())) {
                probe(tried);
            } else {
                failed(reply.status(), "authenticate");
            }
        });
    }

    private void probe(EtcdChannel tried) {
        KeyRange all = context.keys().below(Key.ROOT);
        RangeRequest request =
                RangeRequest.newBuilder().setKey(all.from()).setCountOnly(true).build();
        ask(tried, KVGrpc.getRangeMethod(), request, reply -> {
            RangeResponse answer = reply.value();
            if (reply.outcome() == EtcdReply.Outcome.OK && answer != null) {
                context.saw(answer.getHeader().getRevision());
                up(tried);
            } else if (reply.status().getCode() == Status.Code.PERMISSION_DENIED) {
                // The user may have a part of the keys only; each call learns for itself what it may do.
                up(tried);
            } else {
                failed(reply.status(), "connect");
            }
        });
    }

    /** Asks during an attempt, and hears nothing when the attempt is over. */
    private <Q, R> void ask(
            EtcdChannel tried, MethodDescriptor<Q, R> method, Q request, Consumer<EtcdReply<R>> onReply) {
        long timeoutNs = context.config().connectTimeout().toNanos();
        tried.ask(method, request, timeoutNs, reply -> {
            if (channel == tried && state == State.TRYING) {
                onReply.accept(reply);
            }
        });
    }

    private void failed(Status status, String what) {
        if (EtcdErrors.isDenied(status)) {
            denied(EtcdErrors.denied(status, what, servers()));
        } else {
            dropChannel();
            retry();
        }
    }

    private void retry() {
        pauseNs = Math.max(PAUSE_NS_MIN, Math.min(PAUSE_NS_MAX, pauseNs * 2));
        timer = context.loop().scheduleNs(pauseNs, () -> {
            if (state == State.TRYING) {
                attempt();
            }
        });
    }

    private void denied(CoordinationException cause) {
        dropChannel();
        state = State.IDLE;
        refuseWaiting(cause);
        for (Listener listener : List.copyOf(listeners)) {
            listener.onDenied(cause);
        }
    }

    private void refuseWaiting(CoordinationException cause) {
        List<Waiting> refused = new ArrayList<>(waiting);
        waiting.clear();
        for (Waiting each : refused) {
            each.refuse(cause);
        }
    }

    private void dropChannel() {
        EtcdChannel old = channel;
        channel = null;
        if (old != null) {
            old.close();
        }
    }

    private void up(EtcdChannel tried) {
        state = State.UP;
        upSinceNs = context.nowNs();
        tried.whenLost(() -> lost(tried, "the connection broke"));
        for (Listener listener : List.copyOf(listeners)) {
            if (channel == tried) {
                listener.onUp(tried);
            }
        }
        List<Waiting> released = new ArrayList<>(waiting);
        waiting.clear();
        for (Waiting each : released) {
            if (!each.isOver()) {
                // Waits again if the connection was lost meanwhile.
                whenUp(each);
            }
        }
    }

    /**
     * The connection is of no use any more.
     *
     * @param failed the connection that is meant; no effect if there is another by now
     * @param why what is wrong with it
     */
    void lost(EtcdChannel failed, String why) {
        if (channel != failed || state != State.UP) {
            return;
        }
        state = State.TRYING;
        dropChannel();
        if (context.nowNs() - upSinceNs > LASTING_NS) {
            pauseNs = 0;
        }
        retry();
        ConnectionLostException cause = new ConnectionLostException("etcd is out of reach: member=" + failed.member()
                + ", why=" + why + ", servers=" + servers() + "; trying again");
        for (Listener listener : List.copyOf(listeners)) {
            listener.onDown(cause);
        }
    }

    /** The member owes answers for longer than the deadline of a call. */
    void unanswered() {
        EtcdChannel silent = channel;
        if (silent != null) {
            lost(silent, "it does not answer in time");
        }
    }

    /** {@return the connection, if it is up} */
    Optional<EtcdChannel> ifUp() {
        return state == State.UP ? Optional.ofNullable(channel) : Optional.empty();
    }

    /** {@return whether there is another member to turn to} */
    boolean hasAlternative() {
        return context.address().members().size() > 1;
    }

    /** Nobody new is waited for: what waits for the connection is refused if it is not up. */
    void giveUpWaiting() {
        if (state != State.UP) {
            state = State.CLOSED;
            dropChannel();
            refuseWaiting(closedException());
        }
    }

    /** Closes the connection for good. */
    void close() {
        state = State.CLOSED;
        EtcdLoop.Timer pending = timer;
        if (pending != null) {
            pending.cancel();
        }
        dropChannel();
        refuseWaiting(closedException());
    }
}

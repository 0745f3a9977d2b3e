package io.tidemark.coordination.etcd;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connection to one member. Requests are never sent twice by it. Owned by the loop; what the network thread
 * receives is handed over to the loop in order.
 */
final class EtcdChannel {
    private static final Metadata.Key<String> TOKEN = Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> HAS_LEADER =
            Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);

    private final ManagedChannel channel;
    private final EtcdLoop loop;
    private final EtcdAddress.Member member;
    private @Nullable String token;

    /**
     * Wraps a channel that connects with its first request.
     *
     * @param channel to one member
     * @param loop receives what comes back
     * @param member named in messages
     */
    EtcdChannel(ManagedChannel channel, EtcdLoop loop, EtcdAddress.Member member) {
        this.channel = channel;
        this.loop = loop;
        this.member = member;
    }

    /** {@return the member} */
    EtcdAddress.Member member() {
        return member;
    }

    /**
     * Sets what proves who the client is.
     *
     * @param given the token that the member gave for the password
     */
    void token(String given) {
        token = given;
    }

    /**
     * Receives what comes back on a stream, on the loop.
     *
     * @param <R> the type of an answer
     */
    interface Receiver<R> {
        /**
         * An answer came.
         *
         * @param answer the answer
         */
        void onAnswer(R answer);

        /**
         * Nothing more comes.
         *
         * @param status why
         */
        void onEnd(Status status);
    }

    /**
     * Sends one request that has one answer.
     *
     * @param method what to call
     * @param request what to send
     * @param timeoutNs how long to wait for the answer
     * @param onReply is given the end, on the loop
     * @param <Q> the type of the request
     * @param <R> the type of the answer
     * @return the request under way
     */
    <Q, R> EtcdRequest ask(MethodDescriptor<Q, R> method, Q request, long timeoutNs, Consumer<EtcdReply<R>> onReply) {
        CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(timeoutNs, TimeUnit.NANOSECONDS);
        return new Single<>(method, options, onReply).send(request);
    }

    /**
     * Opens a stream with one request and many answers. The requesting side stays open until it is cancelled.
     *
     * @param method what to call
     * @param request what to send
     * @param receiver is given the answers, on the loop
     * @param <Q> the type of the request
     * @param <R> the type of an answer
     * @return the stream
     */
    <Q, R> EtcdRequest open(MethodDescriptor<Q, R> method, Q request, Receiver<R> receiver) {
        return new Stream<>(method, receiver).send(request);
    }

    private Metadata headers() {
        Metadata headers = new Metadata();
        // A member that is cut off from the others answers so at once, and ends streams that would be silent for ever.
        headers.put(HAS_LEADER, "true");
        String proof = token;
        if (proof != null) {
            headers.put(TOKEN, proof);
        }
        return headers;
    }

    /**
     * Runs something once when the connection, which must have answered, is there no more.
     *
     * @param task runs on the loop
     */
    void whenLost(Runnable task) {
        channel.notifyWhenStateChanged(ConnectivityState.READY, () -> loop.execute(task));
    }

    /** Ends the connection and fails what is under way. */
    void close() {
        channel.shutdownNow();
    }

    /** What all requests have in common. */
    private abstract class Request<Q, R> extends ClientCall.Listener<R> implements EtcdRequest {
        private final ClientCall<Q, R> call;
        private volatile boolean handedOver;

        Request(MethodDescriptor<Q, R> method, CallOptions options) {
            this.call = channel.newCall(method, options.withStreamTracerFactory(new ClientStreamTracer.Factory() {
                @Override
                public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
                    return new ClientStreamTracer() {
                        @Override
                        public void streamCreated(Attributes transport, Metadata sent) {
                            handedOver = true;
                        }
                    };
                }
            }));
        }

        /** Begins to send, with room for some answers. */
        void start(Q request, int answers, boolean more) {
            call.start(this, headers());
            call.request(answers);
            call.sendMessage(request);
            if (!more) {
                call.halfClose();
            }
        }

        void nextAnswer() {
            call.request(1);
        }

        @Override
        public void cancel() {
            call.cancel("given up by the client", null);
        }

        @Override
        public boolean maybeSent() {
            return handedOver;
        }
    }

    /** One request, one answer. */
    private final class Single<Q, R> extends Request<Q, R> {
        private final Consumer<EtcdReply<R>> onReply;
        private volatile @Nullable R answer;

        Single(MethodDescriptor<Q, R> method, CallOptions options, Consumer<EtcdReply<R>> onReply) {
            super(method, options);
            this.onReply = onReply;
        }

        Single<Q, R> send(Q request) {
            start(request, 2, false);
            return this;
        }

        @Override
        public void onMessage(R message) {
            answer = message;
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            EtcdReply<R> reply = new EtcdReply<>(status, answer, maybeSent());
            loop.execute(() -> onReply.accept(reply));
        }
    }

    /** One request, many answers. */
    private final class Stream<Q, R> extends Request<Q, R> {
        private final Receiver<R> receiver;

        Stream(MethodDescriptor<Q, R> method, Receiver<R> receiver) {
            super(method, CallOptions.DEFAULT);
            this.receiver = receiver;
        }

        Stream<Q, R> send(Q request) {
            start(request, 1, true);
            return this;
        }

        @Override
        public void onMessage(R message) {
            loop.execute(() -> {
                receiver.onAnswer(message);
                // One at a time: what the loop has not taken yet is held back at the member.
                nextAnswer();
            });
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            loop.execute(() -> receiver.onEnd(status));
        }
    }
}

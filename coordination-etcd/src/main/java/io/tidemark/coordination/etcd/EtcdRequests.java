package io.tidemark.coordination.etcd;

import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.tidemark.coordination.CoordinationException;
import java.util.Objects;

/**
 * Sends the requests of calls. A request that surely was not applied, and a read in any case, is sent again on the next
 * connection until the deadline of its call; a write that may have been applied never is. Owned by the loop.
 */
final class EtcdRequests {
    private final EtcdContext context;
    private final EtcdConnection connection;

    /**
     * Prepares to send.
     *
     * @param context what the parts of a client share
     * @param connection where to send
     */
    EtcdRequests(EtcdContext context, EtcdConnection connection) {
        this.context = context;
        this.connection = connection;
    }

    /**
     * Receives how a request ended, on the loop.
     *
     * @param <R> the type of the answer
     */
    interface Receiver<R> {
        /**
         * A member answered; the call may be over already.
         *
         * @param answer the answer
         * @param sentNs when the request was sent
         */
        void onAnswer(R answer, long sentNs);

        /**
         * A member refused the request and applied nothing.
         *
         * @param status the verdict
         * @return true if the receiver sees to the rest; false to have the call fail with the verdict
         */
        default boolean onRefused(Status status) {
            return false;
        }
    }

    /**
     * Sends a request for a call.
     *
     * @param call the call
     * @param method what to call
     * @param request what to send
     * @param receiver is given the answer
     * @param <Q> the type of the request
     * @param <R> the type of the answer
     */
    <Q, R> void send(EtcdCall<?> call, MethodDescriptor<Q, R> method, Q request, Receiver<R> receiver) {
        connection.whenUp(new Sending<>(call, method, request, receiver));
    }

    /** One request until its end. */
    private final class Sending<Q, R> implements EtcdConnection.Waiting {
        private final EtcdCall<?> call;
        private final MethodDescriptor<Q, R> method;
        private final Q request;
        private final Receiver<R> receiver;

        Sending(EtcdCall<?> call, MethodDescriptor<Q, R> method, Q request, Receiver<R> receiver) {
            this.call = call;
            this.method = method;
            this.request = request;
            this.receiver = receiver;
        }

        @Override
        public boolean isOver() {
            return call.isOver();
        }

        @Override
        public void refuse(CoordinationException cause) {
            call.fail(cause);
        }

        @Override
        public void go(EtcdChannel channel) {
            long sentNs = context.nowNs();
            call.request(channel.ask(method, request, context.timeoutNs(), reply -> ended(channel, reply, sentNs)));
        }

        private void ended(EtcdChannel channel, EtcdReply<R> reply, long sentNs) {
            call.request(null);
            switch (reply.outcome()) {
                case OK -> receiver.onAnswer(Objects.requireNonNull(reply.value()), sentNs);
                case NOT_APPLIED -> again(channel, reply.status());
                case REFUSED -> {
                    if (!receiver.onRefused(reply.status())) {
                        call.failRefused(reply.status());
                    }
                }
                case UNKNOWN -> {
                    if (call.isWrite()) {
                        call.failUnanswered(reply.status());
                        connection.lost(channel, EtcdErrors.verdict(reply.status()));
                    } else {
                        again(channel, reply.status());
                    }
                }
            }
        }

        private void again(EtcdChannel channel, Status status) {
            if (!call.isOver()) {
                connection.lost(channel, EtcdErrors.verdict(status));
                connection.whenUp(this);
            }
        }
    }
}

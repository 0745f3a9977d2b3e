package io.tidemark.coordination.etcd;

/**
 * A request that is under way. Any thread.
 *
 * <p>To learn whether an unanswered request can have an effect: cancel it first, then ask {@link #maybeSent}. A request
 * that waits for a connection when it is cancelled never gets one; asked the other way round, it could get one in
 * between.
 */
interface EtcdRequest {
    /** Gives up waiting for the answer; a request that has not been sent is not sent any more. */
    void cancel();

    /** {@return whether the request was handed to a connection} */
    boolean maybeSent();
}

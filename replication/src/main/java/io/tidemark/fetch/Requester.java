package io.tidemark.fetch;

import io.tidemark.transport.Connection;

/** Who sent a request that may be parked: the connection, and what must be done when its reply has been written. */
public interface Requester {
    /**
     * Connection that the reply goes to.
     *
     * @return the connection; it may be closed by now
     */
    Connection connection();

    /** A request of this connection is parked: it counts as unanswered. */
    void onParked();

    /** A parked request was answered or dropped: it does not count any more. */
    void onUnparked();

    /** Something was sent on the connection, to be flushed at the end of the batch of events. */
    void onSent();
}

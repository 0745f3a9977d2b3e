package io.tidemark.transport;

import org.jspecify.annotations.Nullable;

/**
 * What the owner of a transport does about the events of one connection. Called on the owner's thread only.
 *
 * <p>A {@link io.tidemark.wire.WireFormatException} that a method throws closes this connection with it as the cause.
 * Any other exception is taken as a broken invariant of the owner: it comes out of {@link Transport#poll()} or
 * {@link Transport#park(long)}.
 */
public interface ConnectionHandler {
    /**
     * The connection is open: frames can be sent from now on. First of all calls, unless connecting fails.
     *
     * @param connection that opened
     */
    void onOpen(Connection connection);

    /**
     * A whole frame came.
     *
     * @param connection it came on
     * @param frame valid during this call only; copy what must be kept
     */
    void onFrame(Connection connection, Frame frame);

    /**
     * All frames of one read from the network have been handed over; the place to {@link Connection#flush()} replies
     * that were collected meanwhile.
     *
     * @param connection that was read
     */
    void onReadComplete(Connection connection);

    /**
     * {@link Connection#isWritable()} changed.
     *
     * @param connection to ask
     */
    void onWritable(Connection connection);

    /**
     * The connection is closed, or could not be opened. Called exactly once for every connection, and last.
     *
     * @param connection that is closed
     * @param cause null if this side closed it or the peer ended it in order; {@link ConnectionRefusedException} if
     *     nobody listened
     */
    void onClosed(Connection connection, @Nullable Throwable cause);
}

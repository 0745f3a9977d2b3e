package io.tidemark.pipeline;

import io.tidemark.fetch.FetchSession;
import io.tidemark.fetch.Requester;
import io.tidemark.transport.Connection;
import io.tidemark.transport.ConnectionHandler;
import io.tidemark.transport.Frame;
import io.tidemark.wire.Role;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A connection that the lane accepted: who is at its other end, how much it waits for, and whether it is read. Owned
 * by the lane.
 *
 * <p>It is read while the other end takes what is sent, and fewer requests than the limit are unanswered; reading
 * starts again when half of them are answered.
 */
final class InboundConnection implements ConnectionHandler, Requester {
    private final Lane lane;
    private final Connection connection;
    private final int pendingMax;
    private @Nullable Role role;
    private int broker = -1;
    private long incarnation = -1;
    private @Nullable FetchSession session;
    private int pending;
    private boolean reading = true;
    private boolean flushQueued;
    private boolean closed;

    /**
     * Creates the lane's side of a connection that was not greeted yet.
     *
     * @param lane that owns it
     * @param connection of the transport
     * @param pendingMax unanswered requests at which it is not read
     */
    InboundConnection(Lane lane, Connection connection, int pendingMax) {
        this.lane = lane;
        this.connection = connection;
        this.pendingMax = pendingMax;
    }

    @Override
    public Connection connection() {
        return connection;
    }

    /**
     * Role said in the Hello.
     *
     * @return null before it
     */
    @Nullable
    Role role() {
        return role;
    }

    /**
     * Broker at the other end.
     *
     * @return its id, -1 for clients
     */
    int broker() {
        return broker;
    }

    /**
     * Incarnation of that broker.
     *
     * @return -1 for clients
     */
    long incarnation() {
        return incarnation;
    }

    /**
     * Session of a follower.
     *
     * @return null for all others
     */
    @Nullable
    FetchSession session() {
        return session;
    }

    /**
     * Takes what the Hello said.
     *
     * @param newRole of the other end
     * @param newBroker its id
     * @param newIncarnation its incarnation
     * @param newSession of a follower, null for all others
     */
    void greet(Role newRole, int newBroker, long newIncarnation, @Nullable FetchSession newSession) {
        role = newRole;
        broker = newBroker;
        incarnation = newIncarnation;
        session = newSession;
    }

    /**
     * Whether nothing can be sent any more.
     *
     * @return true after the close
     */
    boolean isClosed() {
        return closed;
    }

    /**
     * Whether even what was read before reading stopped is too much.
     *
     * @return true at twice the limit
     */
    boolean isOverfull() {
        return pending >= 2 * pendingMax;
    }

    /**
     * Number of unanswered requests.
     *
     * @return 0 or more
     */
    int pending() {
        return pending;
    }

    /**
     * Whether the connection is read.
     *
     * @return false at the limit and while the other end takes nothing
     */
    boolean isReading() {
        return reading;
    }

    /**
     * Sends a frame without payload, to be flushed at the end of the batch.
     *
     * @param header holds the message
     * @param index where it starts
     * @param length of the message
     */
    void send(DirectBuffer header, int index, int length) {
        if (!closed) {
            connection.send(header, index, length);
            onSent();
        }
    }

    @Override
    public void onParked() {
        pending++;
        if (pending >= pendingMax && reading) {
            setReading(false);
        }
    }

    @Override
    public void onUnparked() {
        pending--;
        if (!reading) {
            resume();
        }
    }

    @Override
    public void onSent() {
        if (!flushQueued) {
            flushQueued = true;
            lane.flushLater(this);
        }
    }

    /** End of the batch of events: hands over what was sent, and stops reading if the other end does not take it. */
    void flush() {
        flushQueued = false;
        if (!closed) {
            connection.flush();
            if (reading && !connection.isWritable()) {
                setReading(false);
            }
        }
    }

    /** Hands over what was sent, then closes. */
    void closeAfterReply() {
        if (!closed) {
            connection.flush();
            connection.close();
        }
    }

    @Override
    public void onOpen(Connection opened) {
        lane.onAccepted(this);
    }

    @Override
    public void onFrame(Connection from, Frame frame) {
        lane.onFrame(this, frame);
    }

    @Override
    public void onReadComplete(Connection from) {
        lane.onBatchEnd();
    }

    @Override
    public void onWritable(Connection from) {
        if (!reading) {
            resume();
        }
    }

    @Override
    public void onClosed(Connection from, @Nullable Throwable cause) {
        closed = true;
        lane.onInboundClosed(this);
    }

    private void resume() {
        if (!closed && pending <= pendingMax / 2 && connection.isWritable()) {
            setReading(true);
        }
    }

    private void setReading(boolean on) {
        reading = on;
        connection.setReading(on);
    }
}

package io.tidemark.client;

import io.tidemark.transport.Connection;
import io.tidemark.transport.ConnectionHandler;
import io.tidemark.transport.Frame;
import io.tidemark.transport.Transport;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.FrameDescriptor;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.Role;
import io.tidemark.wire.WireFormatException;
import io.tidemark.wire.sbe.HelloReplyDecoder;
import io.tidemark.wire.sbe.HelloReplyEncoder;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The way to one broker address: a connection that is made when it is needed and made again after a pause when it
 * broke, and the requests that wait for their replies on it. Owned by the client's thread.
 *
 * <table>
 * <caption>Transitions</caption>
 * <tr><th>from</th><th>event</th><th>to</th></tr>
 * <tr><td>IDLE</td><td>wanted, and the pause is over</td><td>CONNECTING</td></tr>
 * <tr><td>CONNECTING</td><td>HelloReply without error</td><td>READY</td></tr>
 * <tr><td>CONNECTING, READY</td><td>closed, refused, or a bad reply</td><td>IDLE; all requests are lost</td></tr>
 * </table>
 */
final class BrokerLink implements ConnectionHandler {
    private static final long PAUSE_MIN_NS = 20_000_000L;
    private static final long PAUSE_MAX_NS = 1_000_000_000L;
    private static final int CORRELATION_ID_INDEX = 8;

    private enum State {
        IDLE,
        CONNECTING,
        READY
    }

    private record Waiting(ReplyHandler handler, long deadlineNs) {}

    private final HostPort address;
    private final Transport transport;
    private final long connectTimeoutNs;
    private final MessageWriter writer = new MessageWriter();
    private final MessageReader reader = new MessageReader();
    private final Long2ObjectHashMap<Waiting> waiting = new Long2ObjectHashMap<>();
    private State state = State.IDLE;
    private @Nullable Connection connection;
    private long nextCorrelationId = 1;
    private long pauseNs = PAUSE_MIN_NS;
    private long nowNs;
    private long retryAtNs;
    private boolean paused;
    private boolean dirty;
    private String lastFailure = "not tried yet";

    /**
     * A link that is not connected.
     *
     * @param address of the broker
     * @param transport of the client
     * @param connectTimeoutNs longest time for connecting and the greeting together
     */
    BrokerLink(HostPort address, Transport transport, long connectTimeoutNs) {
        this.address = address;
        this.transport = transport;
        this.connectTimeoutNs = connectTimeoutNs;
    }

    /**
     * Where it leads.
     *
     * @return the address
     */
    HostPort address() {
        return address;
    }

    /**
     * Why it is not ready.
     *
     * @return the last failure
     */
    String lastFailure() {
        return lastFailure;
    }

    /**
     * Makes the connection if there is none and the pause after the last failure is over.
     *
     * @param now in nanoseconds
     * @return true if requests can be sent now
     */
    boolean readyOrConnect(long now) {
        nowNs = now;
        if (state == State.IDLE && (!paused || Deadlines.passed(now, retryAtNs))) {
            state = State.CONNECTING;
            retryAtNs = Deadlines.after(now, connectTimeoutNs);
            connection = transport.connect(address.host(), address.port(), connectTimeoutNs, this);
        }
        return state == State.READY;
    }

    /**
     * Whether requests can be sent and are not piling up.
     *
     * @return true if ready and below the high-water mark
     */
    boolean isWritable() {
        return state == State.READY && connection != null && connection.isWritable();
    }

    /**
     * Whether requests can be sent.
     *
     * @return true if ready
     */
    boolean isReady() {
        return state == State.READY;
    }

    /**
     * A number for the next request, to be put into it.
     *
     * @return never given twice
     */
    long nextCorrelationId() {
        return nextCorrelationId++;
    }

    /**
     * Sends a request. Copies it.
     *
     * @param correlationId that it carries
     * @param header of it
     * @param deadlineNs when it counts as lost
     * @param handler hears its end; null if no reply is wanted
     */
    void request(long correlationId, MessageWriter header, long deadlineNs, @Nullable ReplyHandler handler) {
        open().send(header.buffer(), 0, header.length());
        sent(correlationId, deadlineNs, handler);
    }

    /**
     * Sends a request with a payload. Copies both.
     *
     * @param correlationId that it carries
     * @param header of it
     * @param payload that begins at index 0
     * @param payloadLength bytes of it
     * @param deadlineNs when it counts as lost
     * @param handler hears its end; null if no reply is wanted
     */
    void request(
            long correlationId,
            MessageWriter header,
            DirectBuffer payload,
            int payloadLength,
            long deadlineNs,
            @Nullable ReplyHandler handler) {
        open().send(header.buffer(), 0, header.length(), payload, 0, payloadLength);
        sent(correlationId, deadlineNs, handler);
    }

    private Connection open() {
        final Connection current = connection;
        if (state != State.READY || current == null) {
            throw new IllegalStateException("link is not ready: address=" + address + ", state=" + state);
        }
        return current;
    }

    private void sent(long correlationId, long deadlineNs, @Nullable ReplyHandler handler) {
        dirty = true;
        if (handler != null) {
            waiting.put(correlationId, new Waiting(handler, deadlineNs));
        }
    }

    /** Writes what was sent since the last call. */
    void flush() {
        if (dirty && connection != null) {
            dirty = false;
            connection.flush();
        }
    }

    /**
     * Drops the connection if a request, or the greeting, waits beyond its deadline: later replies cannot be trusted to
     * come either, and a new connection may find a broker that answers.
     *
     * @param now in nanoseconds
     */
    void checkDeadlines(long now) {
        nowNs = now;
        if (state == State.CONNECTING && Deadlines.passed(now, retryAtNs)) {
            drop("no greeting in time");
            return;
        }
        for (Waiting request : waiting.values()) {
            if (Deadlines.passed(now, request.deadlineNs)) {
                drop("no reply in time");
                return;
            }
        }
    }

    /**
     * Closes the connection; requests are lost.
     *
     * @param why for messages
     */
    void drop(String why) {
        final Connection current = connection;
        lost(why);
        if (current != null) {
            current.close();
        }
    }

    private void lost(String why) {
        connection = null;
        state = State.IDLE;
        dirty = false;
        lastFailure = why;
        paused = true;
        retryAtNs = Deadlines.after(nowNs, pauseNs);
        pauseNs = Math.min(PAUSE_MAX_NS, 2 * pauseNs);
        final List<Waiting> orphans = new ArrayList<>(waiting.values());
        waiting.clear();
        orphans.forEach(orphan -> orphan.handler.onLost(why + ": broker=" + address));
    }

    @Override
    public void onOpen(Connection opened) {
        if (opened != connection) {
            return;
        }
        writer.hello()
                .protocolVersion(FrameDescriptor.PROTOCOL_VERSION)
                .role((short) Role.CLIENT.code())
                .lane(0)
                .brokerId(-1)
                .incarnation(-1)
                .controllerEpoch(-1)
                .clusterId("");
        opened.send(writer.buffer(), 0, writer.length());
        opened.flush();
    }

    @Override
    public void onFrame(Connection from, Frame frame) {
        if (from != connection) {
            return;
        }
        if (state == State.CONNECTING) {
            onGreeting(frame);
            return;
        }
        if (frame.headerLength() < CORRELATION_ID_INDEX + Long.BYTES) {
            throw new WireFormatException("reply without correlation id: templateId=" + frame.templateId()
                    + ", field=correlationId, headerLength=" + frame.headerLength());
        }
        final Waiting request = waiting.remove(
                frame.buffer().getLong(frame.headerIndex() + CORRELATION_ID_INDEX, FrameDescriptor.BYTE_ORDER));
        if (request != null) {
            request.handler.onReply(frame);
        }
    }

    private void onGreeting(Frame frame) {
        if (frame.templateId() != HelloReplyEncoder.TEMPLATE_ID) {
            throw new WireFormatException(
                    "first reply is no greeting: message=HelloReply, field=templateId, value=" + frame.templateId());
        }
        final HelloReplyDecoder reply = reader.helloReply(frame.buffer(), frame.headerIndex(), frame.headerLength());
        final ErrorCode code = ErrorCode.of(reply.code());
        reply.skipClusterId();
        if (code != ErrorCode.NONE) {
            drop(code + " (" + code.text() + "): " + reply.message());
            return;
        }
        state = State.READY;
        paused = false;
        pauseNs = PAUSE_MIN_NS;
    }

    @Override
    public void onReadComplete(Connection read) {
        // Replies are acted on by the duty cycle that follows.
    }

    @Override
    public void onWritable(Connection changed) {
        // The duty cycle that follows looks at isWritable().
    }

    @Override
    public void onClosed(Connection closed, @Nullable Throwable cause) {
        if (closed == connection) {
            lost(cause == null ? "connection closed by the broker" : String.valueOf(cause.getMessage()));
        }
    }
}

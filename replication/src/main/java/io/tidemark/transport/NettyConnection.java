package io.tidemark.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.tidemark.log.LogSlice;
import io.tidemark.wire.FrameDescriptor;
import io.tidemark.wire.WireFormatException;
import java.io.IOException;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A connection over a Netty channel, and the channel's only handler. Owned by the transport's thread.
 *
 * <table>
 * <caption>Transitions</caption>
 * <tr><th>from</th><th>event</th><th>to</th></tr>
 * <tr><td>CONNECTING</td><td>connected or accepted</td><td>OPEN</td></tr>
 * <tr><td>CONNECTING</td><td>refused, timed out, closed by us</td><td>CLOSED</td></tr>
 * <tr><td>OPEN</td><td>closed by us or the peer, reset, bad bytes</td><td>CLOSED</td></tr>
 * </table>
 */
final class NettyConnection implements Connection, FrameSink {
    private enum State {
        CONNECTING,
        OPEN,
        CLOSED
    }

    private final NettyTransport transport;
    private final long id;
    private final Channel channel;
    private final SendBuffer sendBuffer;
    private final FrameAssembler assembler;
    private String remoteAddress;
    private @Nullable ConnectionHandler handler;
    private State state = State.CONNECTING;
    private boolean reading = true;
    private boolean resumeDeferred;
    private boolean writableDeferred;
    private boolean closedByUs;
    private @Nullable Throwable cause;

    /**
     * A connection that is not open yet.
     *
     * @param transport that it belongs to
     * @param id number of it
     * @param channel new, not registered
     * @param remoteAddress of the peer as far as it is known
     */
    NettyConnection(NettyTransport transport, long id, Channel channel, String remoteAddress) {
        this.transport = transport;
        this.id = id;
        this.channel = channel;
        this.remoteAddress = remoteAddress;
        this.sendBuffer = new SendBuffer(channel, transport.chunks());
        this.assembler = new FrameAssembler(transport.frameLengthMax(), this);
        channel.closeFuture().addListener(done -> onChannelClosed());
    }

    /**
     * Sets who hears of the connection.
     *
     * @param value the handler
     */
    void handler(ConnectionHandler value) {
        handler = value;
    }

    private ConnectionHandler handler() {
        final ConnectionHandler known = handler;
        if (known == null) {
            throw new IllegalStateException("connection has no handler: connection=" + id);
        }
        return known;
    }

    /**
     * The channel's handler, to be put into its pipeline.
     *
     * @return a handler for this connection only
     */
    ChannelInboundHandlerAdapter events() {
        return new Events();
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public String remoteAddress() {
        return remoteAddress;
    }

    @Override
    public boolean isOpen() {
        return state == State.OPEN;
    }

    @Override
    public boolean isWritable() {
        return state == State.OPEN && channel.isWritable();
    }

    @Override
    public void send(DirectBuffer header, int index, int length) {
        if (beginSend(length, 0)) {
            sendBuffer.beginFrame(header, index, length, 0);
        }
    }

    @Override
    public void send(
            DirectBuffer header, int index, int length, DirectBuffer payload, int payloadIndex, int payloadLength) {
        if (beginSend(length, payloadLength)) {
            sendBuffer.beginFrame(header, index, length, payloadLength);
            sendBuffer.copy(payload, payloadIndex, payloadLength);
        }
    }

    @Override
    public void send(DirectBuffer header, int index, int length, LogSlice[] payloads, int count) {
        boolean sent = false;
        try {
            long payloadLength = 0;
            for (int i = 0; i < count; i++) {
                payloadLength += payloads[i].length();
            }
            if (beginSend(length, payloadLength)) {
                sendBuffer.beginFrame(header, index, length, (int) payloadLength);
                for (int i = 0; i < count; i++) {
                    sendBuffer.add(payloads[i]);
                }
                sent = true;
            }
        } finally {
            if (!sent) {
                for (int i = 0; i < count; i++) {
                    payloads[i].close();
                }
            }
        }
    }

    private boolean beginSend(int headerLength, long payloadLength) {
        transport.checkOwner();
        if (headerLength < FrameDescriptor.HEADER_LENGTH_MIN) {
            throw new IllegalArgumentException("no message header: headerLength=" + headerLength);
        }
        final long frameLength = FrameDescriptor.frameLength(headerLength, payloadLength);
        if (frameLength > transport.frameLengthMax()) {
            throw new TransportException(
                    "frame too long to be sent: frameLength=" + frameLength + ", max=" + transport.frameLengthMax()
                            + ", peer=" + remoteAddress + "; send less at once",
                    null);
        }
        return state == State.OPEN;
    }

    @Override
    public void flush() {
        if (state == State.OPEN) {
            sendBuffer.flush();
        }
    }

    @Override
    public void setReading(boolean on) {
        transport.checkOwner();
        if (reading == on || state == State.CLOSED) {
            return;
        }
        reading = on;
        channel.config().setAutoRead(on);
        if (on && assembler.hasGathered() && !resumeDeferred) {
            // Not from here: the caller may be anywhere in its own work.
            resumeDeferred = true;
            transport.defer(this::resume);
        }
    }

    private void resume() {
        resumeDeferred = false;
        if (!takesFrames()) {
            return;
        }
        try {
            assembler.resume();
            if (state == State.OPEN) {
                handler().onReadComplete(this);
            }
        } catch (WireFormatException e) {
            closeFor(e);
        }
    }

    @Override
    public void close() {
        transport.checkOwner();
        closedByUs = true;
        closeChannel();
    }

    private void closeChannel() {
        // The close future, which has a listener, tells the same as this one.
        final ChannelFuture unused = channel.close();
    }

    /**
     * Closes because of a failure, which the handler is told if it is the first one and we did not close before.
     *
     * @param failure why
     */
    void closeFor(Throwable failure) {
        // Netty may tell of the close before it tells why.
        if (!closedByUs && cause == null) {
            cause = failure;
        }
        closeChannel();
    }

    @Override
    public boolean takesFrames() {
        return reading && state == State.OPEN;
    }

    @Override
    public void onFrame(Frame frame) {
        handler().onFrame(this, frame);
    }

    private void onChannelClosed() {
        if (state == State.CLOSED) {
            return;
        }
        state = State.CLOSED;
        // Later: Netty drops what it holds after it has told of the close, and the handler must not be called from
        // inside a call of its own.
        transport.defer(() -> {
            sendBuffer.release();
            transport.onConnectionClosed(this);
            if (handler != null) {
                handler.onClosed(this, cause);
            }
        });
    }

    private void open() {
        if (state == State.CONNECTING && channel.isActive()) {
            state = State.OPEN;
            remoteAddress = NettyTransport.text(channel.remoteAddress(), remoteAddress);
            handler().onOpen(this);
        }
    }

    private void onWritabilityChanged() {
        writableDeferred = false;
        if (state == State.OPEN) {
            sendBuffer.reclaim();
            handler().onWritable(this);
        }
    }

    /** Hears Netty's events. What it throws comes back to {@link #exceptionCaught}. */
    private final class Events extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext context) {
            if (transport.isRunning()) {
                open();
            } else {
                transport.defer(NettyConnection.this::open);
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            final ByteBuf bytes = (ByteBuf) message;
            try {
                if (state == State.OPEN) {
                    assembler.onBytes(transport.received(), bytes.readerIndex(), bytes.readableBytes());
                }
            } finally {
                bytes.release();
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            if (state == State.OPEN) {
                handler().onReadComplete(NettyConnection.this);
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            if (!writableDeferred) {
                writableDeferred = true;
                transport.defer(NettyConnection.this::onWritabilityChanged);
            }
        }

        @Override
        @SuppressWarnings("deprecation") // Deprecated for outbound handlers only.
        public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
            if (!(failure instanceof IOException) && !(failure instanceof WireFormatException)) {
                transport.fail(failure);
            }
            closeFor(failure);
        }
    }
}

package io.tidemark.conductor;

import io.tidemark.log.LogSlice;
import io.tidemark.transport.Connection;
import io.tidemark.transport.ConnectionHandler;
import io.tidemark.transport.Frame;
import io.tidemark.transport.Transport;
import io.tidemark.wire.FrameDescriptor;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** A network in memory whose other ends are played by the test: nothing happens unless the test says so. */
final class FakeTransport implements Transport {
    private final List<FakeConnection> connections = new ArrayList<>();

    /** All connections that were ever begun, in order. */
    List<FakeConnection> connections() {
        return connections;
    }

    FakeConnection last() {
        return connections.get(connections.size() - 1);
    }

    @Override
    public int poll() {
        return 0;
    }

    @Override
    public void park(long timeoutNs) {
        throw new UnsupportedOperationException("nobody waits in a test");
    }

    @Override
    public void wakeUp() {
        // Nobody sleeps.
    }

    @Override
    public InetSocketAddress listen(String host, int port, Function<Connection, ConnectionHandler> acceptor) {
        throw new UnsupportedOperationException("the conductor does not listen");
    }

    @Override
    public Connection connect(String host, int port, long timeoutNs, ConnectionHandler handler) {
        FakeConnection connection = new FakeConnection(connections.size() + 1, host + ":" + port, handler);
        connections.add(connection);
        return connection;
    }

    @Override
    public void close() {
        connections.forEach(FakeConnection::close);
    }

    /** One connection; the test plays the peer. */
    static final class FakeConnection implements Connection {
        private final long id;
        private final String address;
        private final ConnectionHandler handler;
        private final List<byte[]> sent = new ArrayList<>();
        private boolean isOpen;
        private boolean isClosed;

        private FakeConnection(long id, String address, ConnectionHandler handler) {
            this.id = id;
            this.address = address;
            this.handler = handler;
        }

        /** The peer accepts. */
        void open() {
            isOpen = true;
            handler.onOpen(this);
        }

        /** The peer sends a message. */
        void receive(byte[] message) {
            handler.onFrame(this, new Frame().wrap(new UnsafeBuffer(message), 0, message.length, 0));
            handler.onReadComplete(this);
        }

        /** The peer or the network ends the connection, or refuses it. */
        void end(@Nullable Throwable cause) {
            if (!isClosed) {
                isOpen = false;
                isClosed = true;
                handler.onClosed(this, cause);
            }
        }

        /** What was sent to the peer, in order. */
        List<byte[]> sent() {
            return sent;
        }

        int templateIdOf(int index) {
            return FrameDescriptor.templateId(new UnsafeBuffer(sent.get(index)), 0);
        }

        boolean isClosed() {
            return isClosed;
        }

        @Override
        public long id() {
            return id;
        }

        @Override
        public String remoteAddress() {
            return address;
        }

        @Override
        public boolean isOpen() {
            return isOpen;
        }

        @Override
        public boolean isWritable() {
            return true;
        }

        @Override
        public void send(DirectBuffer header, int index, int length) {
            byte[] copy = new byte[length];
            header.getBytes(index, copy);
            sent.add(copy);
        }

        @Override
        public void send(
                DirectBuffer header, int index, int length, DirectBuffer payload, int payloadIndex, int payloadLength) {
            throw new UnsupportedOperationException("the conductor sends no payload");
        }

        @Override
        public void send(DirectBuffer header, int index, int length, LogSlice[] payloads, int count) {
            throw new UnsupportedOperationException("the conductor sends no payload");
        }

        @Override
        public void flush() {
            // What is sent has arrived.
        }

        @Override
        public void setReading(boolean on) {
            throw new UnsupportedOperationException("the conductor always reads");
        }

        @Override
        public void close() {
            end(null);
        }
    }
}

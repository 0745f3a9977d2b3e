package io.tidemark.pipeline;

import io.tidemark.log.LogSlice;
import io.tidemark.transport.Connection;
import io.tidemark.transport.ConnectionHandler;
import io.tidemark.transport.Frame;
import io.tidemark.transport.Transport;
import io.tidemark.transport.TransportException;
import io.tidemark.transport.TransportFactory;
import io.tidemark.wire.FrameDescriptor;
import io.tidemark.wire.WireFormatException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A network in memory, for one thread: what is flushed reaches the other end when that end's transport is polled. Tests
 * look at, change or drop frames by an interceptor, cut connections, and make connections unwritable.
 */
final class FakeNetwork implements TransportFactory {
    /** A frame on its way. */
    static final class Sent {
        private final byte[] header;
        private final byte[] payload;

        Sent(byte[] header, byte[] payload) {
            this.header = header;
            this.payload = payload;
        }

        byte[] header() {
            return header;
        }

        byte[] payload() {
            return payload;
        }

        int templateId() {
            return FrameDescriptor.templateId(new UnsafeBuffer(header), 0);
        }
    }

    /** Sees each frame before it arrives. */
    interface Interceptor {
        @Nullable
        Sent onFrame(Sent sent);
    }

    private final Map<Integer, FakeTransport> listeners = new HashMap<>();
    final List<FakeConnection> connections = new ArrayList<>();
    private int nextPort = 9000;
    private Interceptor interceptor = sent -> sent;

    void intercept(Interceptor newInterceptor) {
        interceptor = newInterceptor;
    }

    @Override
    public FakeTransport open(String name) {
        return new FakeTransport(name);
    }

    /** Breaks every open connection between two transports. */
    void cut(FakeTransport a, FakeTransport b) {
        for (FakeConnection connection : new ArrayList<>(connections)) {
            if (connection.open && connection.owner == a && connection.peer().owner == b) {
                connection.breakBoth();
            }
        }
    }

    /** One end's network. */
    final class FakeTransport implements Transport {
        final String name;
        private final ArrayDeque<Runnable> inbox = new ArrayDeque<>();
        private @Nullable Function<Connection, ConnectionHandler> acceptor;
        private int port;
        private long nextId = 1;
        private boolean closed;
        boolean frozen;
        int wakeUps;

        FakeTransport(String name) {
            this.name = name;
        }

        @Override
        public int poll() {
            if (frozen) {
                return 0;
            }
            int work = inbox.size();
            for (int i = 0; i < work && !inbox.isEmpty(); i++) {
                inbox.removeFirst().run();
            }
            return work;
        }

        @Override
        public void park(long timeoutNs) {
            poll();
        }

        @Override
        public void wakeUp() {
            wakeUps++;
        }

        @Override
        public InetSocketAddress listen(String host, int wanted, Function<Connection, ConnectionHandler> newAcceptor) {
            port = wanted == 0 ? nextPort++ : wanted;
            if (listeners.putIfAbsent(port, this) != null) {
                throw new TransportException("port in use: port=" + port, null);
            }
            acceptor = newAcceptor;
            return InetSocketAddress.createUnresolved(host, port);
        }

        @Override
        public Connection connect(String host, int toPort, long timeoutNs, ConnectionHandler handler) {
            FakeConnection mine = new FakeConnection(this, handler);
            FakeTransport target = listeners.get(toPort);
            Function<Connection, ConnectionHandler> accept = target == null ? null : target.acceptor;
            if (target == null || accept == null) {
                inbox.addLast(() -> handler.onClosed(mine, new TransportException("refused: port=" + toPort, null)));
                return mine;
            }
            target.inbox.addLast(() -> {
                FakeConnection theirs = new FakeConnection(target, null);
                theirs.handler = accept.apply(theirs);
                theirs.peer = mine;
                mine.peer = theirs;
                theirs.open = true;
                theirs.handler().onOpen(theirs);
                inbox.addLast(() -> {
                    mine.open = theirs.open;
                    if (mine.open) {
                        handler.onOpen(mine);
                    } else {
                        handler.onClosed(mine, null);
                    }
                });
            });
            return mine;
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                listeners.remove(port, this);
                for (FakeConnection connection : new ArrayList<>(connections)) {
                    if (connection.owner == this) {
                        connection.close();
                    }
                }
            }
        }

        int port() {
            return port;
        }
    }

    /** One end of a connection. */
    final class FakeConnection implements Connection {
        final FakeTransport owner;
        final long id;
        private @Nullable ConnectionHandler handler;
        private @Nullable FakeConnection peer;
        private final List<Sent> unflushed = new ArrayList<>();
        private final ArrayDeque<Sent> unread = new ArrayDeque<>();
        boolean open;
        boolean reading = true;
        boolean writable = true;

        FakeConnection(FakeTransport owner, @Nullable ConnectionHandler handler) {
            this.owner = owner;
            this.handler = handler;
            this.id = owner.nextId++;
            connections.add(this);
        }

        FakeConnection peer() {
            FakeConnection other = peer;
            if (other == null) {
                throw new IllegalStateException("not connected");
            }
            return other;
        }

        ConnectionHandler handler() {
            ConnectionHandler current = handler;
            if (current == null) {
                throw new IllegalStateException("not accepted");
            }
            return current;
        }

        @Override
        public long id() {
            return id;
        }

        @Override
        public String remoteAddress() {
            return peer == null ? "nobody" : peer.owner.name;
        }

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public boolean isWritable() {
            return writable;
        }

        @Override
        public void send(DirectBuffer header, int index, int length) {
            send(header, index, length, header, 0, 0);
        }

        @Override
        public void send(DirectBuffer header, int index, int length, DirectBuffer payload, int at, int bytes) {
            if (open) {
                byte[] h = new byte[length];
                header.getBytes(index, h);
                byte[] p = new byte[bytes];
                payload.getBytes(at, p);
                unflushed.add(new Sent(h, p));
            }
        }

        @Override
        public void send(DirectBuffer header, int index, int length, LogSlice[] payloads, int count) {
            int bytes = 0;
            for (int i = 0; i < count; i++) {
                bytes += payloads[i].length();
            }
            byte[] p = new byte[bytes];
            int at = 0;
            for (int i = 0; i < count; i++) {
                payloads[i].buffer().getBytes(payloads[i].index(), p, at, payloads[i].length());
                at += payloads[i].length();
                payloads[i].close();
            }
            send(header, index, length, new UnsafeBuffer(p), 0, p.length);
        }

        @Override
        public void flush() {
            if (!open) {
                unflushed.clear();
                return;
            }
            FakeConnection other = peer();
            for (Sent sent : unflushed) {
                Sent arriving = interceptor.onFrame(sent);
                if (arriving != null) {
                    other.unread.addLast(arriving);
                    other.owner.inbox.addLast(other::read);
                }
            }
            unflushed.clear();
        }

        /** Hands over what came; all of one poll, then the end of the read. */
        private void read() {
            if (!open || !reading || unread.isEmpty()) {
                return;
            }
            while (open && reading && !unread.isEmpty()) {
                Sent sent = unread.removeFirst();
                byte[] bytes = new byte[sent.header().length + sent.payload().length];
                System.arraycopy(sent.header(), 0, bytes, 0, sent.header().length);
                System.arraycopy(sent.payload(), 0, bytes, sent.header().length, sent.payload().length);
                Frame frame = new Frame();
                frame.wrap(new UnsafeBuffer(bytes), 0, sent.header().length, sent.payload().length);
                try {
                    handler().onFrame(this, frame);
                } catch (WireFormatException e) {
                    closeFor(e);
                    return;
                }
            }
            if (open) {
                handler().onReadComplete(this);
            }
        }

        @Override
        public void setReading(boolean on) {
            reading = on;
            if (on && !unread.isEmpty()) {
                owner.inbox.addLast(this::read);
            }
        }

        void setWritable(boolean on) {
            writable = on;
            owner.inbox.addLast(() -> handler().onWritable(this));
        }

        @Override
        public void close() {
            closeFor(null);
        }

        private void closeFor(@Nullable Throwable cause) {
            FakeConnection other = peer;
            boolean wasOpen = open;
            open = false;
            if (wasOpen) {
                if (other != null) {
                    other.owner.inbox.addLast(() -> other.lost(null));
                }
                handler().onClosed(this, cause);
            }
        }

        private void lost(@Nullable Throwable cause) {
            if (open) {
                // What came before the end is still read.
                read();
            }
            if (open) {
                open = false;
                handler().onClosed(this, cause);
            }
        }

        private void breakBoth() {
            FakeConnection other = peer();
            other.owner.inbox.addLast(() -> other.lost(new TransportException("reset", null)));
            owner.inbox.addLast(() -> lost(new TransportException("reset", null)));
        }
    }
}

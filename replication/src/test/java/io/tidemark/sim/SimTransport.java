package io.tidemark.sim;

import io.tidemark.transport.Connection;
import io.tidemark.transport.ConnectionHandler;
import io.tidemark.transport.Transport;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * One agent's network. Like the production's: handlers are called from inside {@link #poll} only, and only the agent
 * that opened it may use it, which is checked.
 */
final class SimTransport implements Transport {
    private final SimNetwork network;
    private final SimProcess process;
    private final String name;
    private final SimProcess.SimAgent owner;
    private final ArrayDeque<Runnable> inbox = new ArrayDeque<>();
    private final List<SimConnection> connections = new ArrayList<>();
    private boolean running;
    private boolean closed;

    SimTransport(SimNetwork network, SimProcess process, String name) {
        this.network = network;
        this.process = process;
        this.name = name;
        SimProcess.SimAgent opener = network.world().running();
        if (opener == null || opener.process() != process) {
            throw new IllegalStateException("a transport is opened by its agent: name=" + name);
        }
        owner = opener;
    }

    SimNetwork network() {
        return network;
    }

    SimProcess process() {
        return process;
    }

    /** Has something happen in the next poll. */
    void post(Runnable task) {
        if (!closed && !process.isDead()) {
            inbox.addLast(task);
            owner.wake();
        }
    }

    void checkOwner() {
        if (network.world().running() != owner) {
            throw new SimViolation("R-01", "transport " + name + " used by another agent than its owner");
        }
    }

    private void checkOpen() {
        checkOwner();
        if (closed) {
            throw new IllegalStateException("transport is closed: transport=" + name);
        }
    }

    @Override
    public int poll() {
        checkOpen();
        if (running) {
            throw new IllegalStateException("transport polled by one of its own handlers: transport=" + name);
        }
        running = true;
        try {
            int count = inbox.size();
            for (int i = 0; i < count && !inbox.isEmpty() && !process.isDead(); i++) {
                inbox.removeFirst().run();
            }
            return count;
        } finally {
            running = false;
        }
    }

    /** Does not wait and does nothing: the agent is stepped again when something comes, or after this time. */
    @Override
    public void park(long timeoutNs) {
        checkOpen();
        owner.parked(inbox.isEmpty() ? timeoutNs : 0);
    }

    @Override
    public void wakeUp() {
        if (!closed) {
            owner.wake();
        }
    }

    @Override
    public InetSocketAddress listen(String host, int port, Function<Connection, ConnectionHandler> acceptor) {
        checkOpen();
        return network.listen(this, host, port, acceptor);
    }

    @Override
    public Connection connect(String host, int port, long timeoutNs, ConnectionHandler handler) {
        checkOpen();
        return network.connect(this, host, port, timeoutNs, handler);
    }

    void opened(SimConnection connection) {
        connections.add(connection);
    }

    void ended(SimConnection connection) {
        connections.remove(connection);
    }

    @Override
    public void close() {
        checkOwner();
        if (closed) {
            return;
        }
        network.unlisten(this);
        List.copyOf(connections).forEach(SimConnection::close);
        while (!inbox.isEmpty()) {
            // Bytes that came are not handed over any more; what is left are the ends of connections.
            inbox.removeFirst().run();
        }
        closed = true;
    }
}

package io.tidemark.sim;

import io.tidemark.transport.Connection;
import io.tidemark.transport.ConnectionHandler;
import io.tidemark.transport.ConnectionRefusedException;
import io.tidemark.transport.TransportException;
import io.tidemark.transport.TransportFactory;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * TCP between the machines: bytes of one direction of a connection arrive in order, cut anywhere, after a delay that is
 * drawn for each piece; different connections overtake each other. A path that is cut holds bytes back, as
 * retransmission does, until it is healed or the connection is reset. A kernel without the process refuses and resets;
 * a machine without power is silent.
 */
final class SimNetwork {
    private final SimWorld world;
    private final Map<String, SimMachine> machines = new TreeMap<>();
    private final Map<String, Listener> listeners = new TreeMap<>();
    private final List<SimConnection> connections = new ArrayList<>();
    /** Paths "from>to" on which nothing arrives. */
    private final TreeSet<String> cuts = new TreeSet<>();
    /** Paths "from>to" that are slow, with nanoseconds per byte. */
    private final Map<String, Long> slow = new TreeMap<>();

    /** Paths "from>to" on which batches are damaged, with how many are still to be. */
    private final Map<String, Integer> damages = new TreeMap<>();
    /** Paths "from>to" on which a firewall answers in the name of the machine that nobody listens. */
    private final TreeSet<String> refusals = new TreeSet<>();
    /** All paths on which one ever did. */
    private final TreeSet<String> everRefused = new TreeSet<>();

    private int nextPort = 9000;
    private long lastId;
    private long framesSent;

    /** Who accepts at an address. */
    private record Listener(SimTransport transport, Function<Connection, ConnectionHandler> acceptor) {}

    SimNetwork(SimWorld world) {
        this.world = world;
    }

    SimWorld world() {
        return world;
    }

    void add(SimMachine machine) {
        machines.put(machine.host, machine);
    }

    /** The network of a process; every agent that opens it gets its own. */
    TransportFactory factory(SimProcess process) {
        return name -> new SimTransport(this, process, name);
    }

    long nextId() {
        return ++lastId;
    }

    long framesSent() {
        return framesSent;
    }

    void countFrame() {
        framesSent++;
    }

    // Faults.

    void cut(String from, String to) {
        cuts.add(from + ">" + to);
    }

    void heal(String from, String to) {
        if (cuts.remove(from + ">" + to)) {
            retransmit();
        }
    }

    void slowDown(String from, String to, long nsPerByte) {
        slow.put(from + ">" + to, nsPerByte);
    }

    void speedUp(String from, String to) {
        slow.remove(from + ">" + to);
    }

    /** The next batches on a path arrive with a bit changed; so badly do checksums of TCP protect. */
    void damage(String from, String to, int batches) {
        damages.put(from + ">" + to, batches);
    }

    /** Whether the batch that is sent now is to be damaged. */
    boolean isDamaged(String from, String to) {
        return !damages.isEmpty()
                && damages.computeIfPresent(from + ">" + to, (path, left) -> left > 0 ? left - 1 : null) != null;
    }

    /** From now on connections of a machine with another one are reset and refused, although the other one lives. */
    void refuse(String from, String to) {
        refusals.add(from + ">" + to);
        everRefused.add(from + ">" + to);
        reset(from, to);
    }

    void stopRefusing(String from, String to) {
        refusals.remove(from + ">" + to);
    }

    /** How many machines were ever refused in the name of one that may have lived. */
    long refusedBy(SimMachine machine) {
        return everRefused.stream()
                .filter(path -> path.endsWith(">" + machine.host))
                .count();
    }

    void healAll() {
        refusals.clear();
        damages.clear();
        cuts.clear();
        slow.clear();
        retransmit();
    }

    private void retransmit() {
        for (SimConnection connection : List.copyOf(connections)) {
            connection.retransmit();
        }
    }

    boolean isCut(String from, String to) {
        return cuts.contains(from + ">" + to);
    }

    /** Resets every connection between two machines, in both directions. */
    int reset(String a, String b) {
        int count = 0;
        for (SimConnection connection : List.copyOf(connections)) {
            SimConnection peer = connection.peer();
            if (peer != null && connection.isBetween(a, b) && connection.isOpen()) {
                connection.breakNow("reset by the network");
                count++;
            }
        }
        return count;
    }

    /** The kernel ends the connections and listeners of a process that died. */
    void processDied(SimProcess process) {
        listeners.values().removeIf(listener -> listener.transport().process() == process);
        boolean tells = process.machine.powered;
        for (SimConnection connection : List.copyOf(connections)) {
            if (connection.process() == process) {
                connection.ownerDied(tells);
            }
        }
    }

    /** A machine has power again: what still sends to its old connections is reset. */
    void poweredOn(SimMachine machine) {
        for (SimConnection connection : List.copyOf(connections)) {
            SimConnection peer = connection.peer();
            if (connection.isOwnerDead() && connection.process().machine == machine && peer != null) {
                peer.resetSoon();
            }
        }
    }

    // What transports ask.

    InetSocketAddress listen(
            SimTransport transport, String host, int wanted, Function<Connection, ConnectionHandler> acceptor) {
        int port = wanted == 0 ? nextPort++ : wanted;
        if (listeners.putIfAbsent(host + ":" + port, new Listener(transport, acceptor)) != null) {
            throw new TransportException("cannot listen: address=" + host + ":" + port + ", cause=in use", null);
        }
        return InetSocketAddress.createUnresolved(host, port);
    }

    void unlisten(SimTransport transport) {
        listeners.values().removeIf(listener -> listener.transport() == transport);
    }

    SimConnection connect(SimTransport from, String host, int port, long timeoutNs, ConnectionHandler handler) {
        connections.removeIf(SimConnection::isSpent);
        SimConnection mine = new SimConnection(from, host + ":" + port, handler);
        connections.add(mine);
        String local = from.process().machine.host;
        world.scheduler()
                .after(
                        timeoutNs,
                        () -> mine.failConnecting(new TransportException(
                                "cannot connect: address=" + host + ":" + port + ", timed out", null)));
        world.scheduler().after(latencyNs(local, host, 60), () -> synArrived(mine, local, host, port));
        return mine;
    }

    private void synArrived(SimConnection mine, String local, String host, int port) {
        SimMachine machine = machines.get(host);
        if (mine.isClosed() || machine == null || !machine.powered || isCut(local, host) || isCut(host, local)) {
            return;
        }
        Listener listener = listeners.get(host + ":" + port);
        if (listener == null || refusals.contains(local + ">" + host)) {
            world.scheduler()
                    .after(
                            latencyNs(host, local, 60),
                            () -> mine.failConnecting(new ConnectionRefusedException(
                                    "connection refused: address=" + host + ":" + port,
                                    new java.net.ConnectException("refused"))));
            return;
        }
        SimConnection theirs = new SimConnection(listener.transport(), local + ":" + mine.id(), null);
        connections.add(theirs);
        SimConnection.pair(mine, theirs);
        listener.transport().post(() -> {
            theirs.accept(listener.acceptor().apply(theirs));
            theirs.sendOpen();
        });
    }

    /** How long bytes need on a path. */
    long latencyNs(String from, String to, int bytes) {
        Knobs knobs = world.knobs();
        long base = from.equals(to) ? 10_000 : knobs.latencyMinNs();
        long jitter = world.random().nextLong(knobs.latencyJitterNs());
        if (world.random().nextInt(1000) < knobs.latencyTailPermille()) {
            jitter += world.random().nextLong(knobs.latencyTailNs());
        }
        @Nullable Long perByte = slow.get(from + ">" + to);
        return base + jitter + (perByte == null ? 0 : perByte * bytes);
    }
}

package io.tidemark.coordination;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stands between a client and a server on this machine, and can cut the connections, or hold back or lose what is sent
 * while the connections look alive.
 */
public final class TcpProxy implements AutoCloseable {
    private static final int CHUNK_BYTES = 64 * 1024;

    private final int targetPort;
    private final ServerSocket acceptor;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Gate requests = new Gate();
    private final Gate replies = new Gate();
    private final AtomicLong lostRequestBytes = new AtomicLong();
    private volatile boolean refusing;
    private volatile boolean losingRequests;
    private volatile boolean closed;

    private TcpProxy(int targetPort, ServerSocket acceptor) {
        this.targetPort = targetPort;
        this.acceptor = acceptor;
    }

    /** Begins to forward from a free port of the loopback address to the given one. */
    public static TcpProxy to(int targetPort) {
        try {
            TcpProxy proxy = new TcpProxy(targetPort, new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
            proxy.run("accept", proxy::accept);
            return proxy;
        } catch (IOException failed) {
            throw new UncheckedIOException("no free port for a proxy", failed);
        }
    }

    /** The port for the client. */
    public int port() {
        return acceptor.getLocalPort();
    }

    /** Cuts all connections and lets no new one live, until {@link #heal}. */
    public void cut() {
        refusing = true;
        closeAll();
    }

    /** Lets no byte through in either direction, while the connections look alive, until {@link #heal}. */
    public void partition() {
        requests.hold();
        replies.hold();
    }

    /** Lets requests through and holds back the replies, until {@link #heal} or {@link #cut}. */
    public void holdReplies() {
        replies.hold();
    }

    /** Takes requests and never passes them on, until {@link #heal}. */
    public void loseRequests() {
        losingRequests = true;
    }

    /** How many bytes of requests were lost so far. */
    public long lostRequestBytes() {
        return lostRequestBytes.get();
    }

    /** Ends all disturbances; what was held back goes through on connections that still stand. */
    public void heal() {
        refusing = false;
        losingRequests = false;
        requests.open();
        replies.open();
    }

    @Override
    public void close() {
        closed = true;
        try {
            acceptor.close();
        } catch (IOException failed) {
            throw new UncheckedIOException("proxy does not close: port=" + port(), failed);
        } finally {
            closeAll();
            heal();
        }
    }

    private void accept() throws IOException {
        while (!closed) {
            Socket client = acceptor.accept();
            if (refusing) {
                client.close();
            } else {
                sockets.add(client);
                run("connect", () -> connect(client));
            }
        }
    }

    private void connect(Socket client) throws IOException {
        Socket server;
        try {
            server = new Socket(InetAddress.getLoopbackAddress(), targetPort);
        } catch (IOException unreachable) {
            client.close();
            throw unreachable;
        }
        sockets.add(server);
        // Small messages go to and fro: without this each waits for the acknowledgement of the one before.
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        run("requests", () -> pump(client, server, requests));
        run("replies", () -> pump(server, client, replies));
    }

    private void pump(Socket from, Socket to, Gate gate) throws IOException {
        try (from;
                to) {
            byte[] chunk = new byte[CHUNK_BYTES];
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                gate.pass();
                if (losingRequests && gate == requests) {
                    lostRequestBytes.addAndGet(count);
                } else {
                    out.write(chunk, 0, count);
                }
            }
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private void closeAll() {
        for (Socket socket : sockets) {
            try {
                socket.close();
            } catch (IOException failed) {
                throw new UncheckedIOException("connection does not close: " + socket, failed);
            }
        }
    }

    /** Runs a task that ends with the first failure of its connection, which is what such tasks are for. */
    private void run(String name, Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException ended) {
                        Thread.currentThread().setName("proxy-ended");
                    }
                },
                "proxy-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Something that waits for the network. */
    private interface Task {
        void run() throws IOException;
    }

    /** Lets through or holds back. */
    private static final class Gate {
        private boolean held;

        synchronized void hold() {
            held = true;
        }

        synchronized void open() {
            held = false;
            notifyAll();
        }

        synchronized void pass() throws IOException {
            while (held) {
                try {
                    wait();
                } catch (InterruptedException interrupted) {
                    throw new IOException("proxy was interrupted", interrupted);
                }
            }
        }
    }
}

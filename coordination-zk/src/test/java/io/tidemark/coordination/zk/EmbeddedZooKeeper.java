package io.tidemark.coordination.zk;

import io.tidemark.coordination.ServiceProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.jspecify.annotations.Nullable;

/**
 * A real ZooKeeper server in this process, on a free port of the loopback address, with its data in a folder. It can be
 * stopped and started again on the same port, and end sessions as if their time had run out. For tests of any module.
 */
public final class EmbeddedZooKeeper implements AutoCloseable {
    private static final int TICK_MS = 200;
    private static final int SESSION_MS_MIN = 2_000;
    private static final int SESSION_MS_MAX = 40_000;
    private static final int CONNECTIONS_MAX = 1_000;

    private final Path folder;
    private final int port = ServiceProcess.freePort();
    private @Nullable ZooKeeperServer server;
    private @Nullable ServerCnxnFactory acceptor;

    private EmbeddedZooKeeper(Path folder) {
        this.folder = folder;
    }

    /**
     * Starts a server.
     *
     * @param folder where it keeps its data; the caller deletes it
     * @return the server, to be closed by the caller
     */
    public static EmbeddedZooKeeper start(Path folder) {
        EmbeddedZooKeeper started = new EmbeddedZooKeeper(folder);
        started.start();
        return started;
    }

    /** Starts the server again after {@link #stop}, on the same port and with the same data. */
    public void start() {
        if (server != null) {
            throw new IllegalStateException("server is running: servers=" + servers());
        }
        try {
            ZooKeeperServer next = new ZooKeeperServer(folder.toFile(), folder.toFile(), TICK_MS);
            next.setMinSessionTimeout(SESSION_MS_MIN);
            next.setMaxSessionTimeout(SESSION_MS_MAX);
            ServerCnxnFactory listener = new NIOServerCnxnFactory();
            listener.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECTIONS_MAX);
            listener.startup(next);
            server = next;
            acceptor = listener;
        } catch (IOException failed) {
            throw new UncheckedIOException(
                    "ZooKeeper server does not start: folder=" + folder + ", port=" + port, failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a ZooKeeper server started", interrupted);
        }
    }

    /** Stops the server; its clients lose their connections and are refused. The data stays. */
    public void stop() {
        ServerCnxnFactory listener = acceptor;
        ZooKeeperServer running = server;
        if (listener != null && running != null) {
            listener.shutdown();
            running.shutdown();
        }
        acceptor = null;
        server = null;
    }

    /**
     * Ends a session now, as if its time had run out: its ephemeral nodes vanish, its connection is cut.
     *
     * @param sessionId the number of the session
     */
    public void expireSession(long sessionId) {
        running().closeSession(sessionId);
    }

    /** Ends all sessions now, as {@link #expireSession} does. */
    public void expireAllSessions() {
        running().getSessionTracker().globalSessions().forEach(this::expireSession);
    }

    /** Throws if the server is stopped. */
    void requireRunning() {
        running();
    }

    private ZooKeeperServer running() {
        ZooKeeperServer running = server;
        if (running == null) {
            throw new IllegalStateException("server is stopped: port=" + port);
        }
        return running;
    }

    /**
     * The port.
     *
     * @return its number, the same for the whole life
     */
    public int port() {
        return port;
    }

    /**
     * Where the server is.
     *
     * @return host and port
     */
    public String servers() {
        return InetAddress.getLoopbackAddress().getHostAddress() + ":" + port;
    }

    /**
     * Where a client finds its keys.
     *
     * @param chroot the node above all keys, such as {@code /test}; empty for the top
     * @return the address for {@code Coordinations.open}
     */
    public URI uri(String chroot) {
        return URI.create("zk://" + servers() + chroot);
    }

    @Override
    public void close() {
        stop();
    }
}

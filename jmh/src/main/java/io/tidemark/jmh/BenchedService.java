package io.tidemark.jmh;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Coordinations;
import io.tidemark.coordination.local.LocalStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;

/**
 * A coordination service of a benchmark's own, on this machine, with its data in a temporary folder that goes with it.
 */
abstract class BenchedService implements AutoCloseable {
    private final Path folder;

    private BenchedService(Path folder) {
        this.folder = folder;
    }

    /**
     * Starts a service.
     *
     * @param backEnd {@code local}, {@code local-durable}, {@code zk} or {@code etcd}
     * @return the service
     */
    static BenchedService start(String backEnd) {
        try {
            Path folder = Files.createTempDirectory("tidemark-jmh-");
            return switch (backEnd) {
                case "local" -> new Local(folder, LocalStore.create());
                case "local-durable" -> new Local(folder, LocalStore.open(folder.resolve("store")));
                case "zk" -> new Zk(folder);
                case "etcd" -> new Etcd(folder);
                default -> throw new IllegalArgumentException("unknown back end: backEnd=" + backEnd);
            };
        } catch (IOException failed) {
            throw new UncheckedIOException("no temporary folder", failed);
        }
    }

    /**
     * Opens a client.
     *
     * @param name names it
     * @return a new client, to be closed by the caller
     */
    abstract Coordination open(String name);

    /** Ends the service. */
    abstract void stop();

    @Override
    public void close() {
        stop();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("folder cannot be removed: folder=" + folder, failed);
        }
    }

    private static CoordinationConfig config(String name) {
        return CoordinationConfig.builder().clientName(name).build();
    }

    /** The store of this process. */
    private static final class Local extends BenchedService {
        private final LocalStore store;

        Local(Path folder, LocalStore store) {
            super(folder);
            this.store = store;
        }

        @Override
        Coordination open(String name) {
            return store.connect(config(name));
        }

        @Override
        void stop() {
            store.close();
        }
    }

    /** One ZooKeeper server in this process; it forces each transaction to the disk. */
    private static final class Zk extends BenchedService {
        private final ZooKeeperServerEmbedded server;

        Zk(Path folder) {
            super(folder);
            Properties properties = new Properties();
            properties.setProperty("clientPort", "0");
            properties.setProperty("clientPortAddress", "127.0.0.1");
            properties.setProperty("tickTime", "1000");
            properties.setProperty("admin.enableServer", "false");
            try {
                server = ZooKeeperServerEmbedded.builder()
                        .baseDir(folder)
                        .configuration(properties)
                        .exitHandler(ExitHandler.LOG_ONLY)
                        .build();
                server.start(TimeUnit.SECONDS.toMillis(60));
            } catch (Exception failed) {
                throw new IllegalStateException("ZooKeeper does not start", failed);
            }
        }

        @Override
        Coordination open(String name) {
            return Coordinations.open("zk://127.0.0.1:" + server.getClientPort() + "/bench", config(name));
        }

        @Override
        void stop() {
            server.close();
        }
    }

    /** One etcd in a process of its own; it forces each transaction to the disk. */
    private static final class Etcd extends BenchedService {
        private final Process process;
        private final int port;

        Etcd(Path folder) {
            super(folder);
            port = freePort();
            String client = "http://127.0.0.1:" + port;
            String peer = "http://127.0.0.1:" + freePort();
            ProcessBuilder builder = new ProcessBuilder(List.of(
                    "etcd",
                    "--data-dir",
                    folder.resolve("data").toString(),
                    "--listen-client-urls",
                    client,
                    "--advertise-client-urls",
                    client,
                    "--listen-peer-urls",
                    peer,
                    "--initial-advertise-peer-urls",
                    peer,
                    "--initial-cluster",
                    "default=" + peer));
            builder.redirectErrorStream(true)
                    .redirectOutput(folder.resolve("etcd.log").toFile());
            try {
                process = builder.start();
            } catch (IOException failed) {
                throw new UncheckedIOException("etcd cannot be started; install Debian's etcd-server", failed);
            }
        }

        private static int freePort() {
            try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException failed) {
                throw new UncheckedIOException("no free port", failed);
            }
        }

        @Override
        Coordination open(String name) {
            return Coordinations.open("etcd://127.0.0.1:" + port + "/bench", config(name));
        }

        @Override
        void stop() {
            process.destroyForcibly();
            process.onExit().join();
        }
    }
}

package io.tidemark.coordination.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.AuthEnableRequest;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthRoleAddRequest;
import io.etcd.jetcd.api.AuthRoleGrantPermissionRequest;
import io.etcd.jetcd.api.AuthUserAddRequest;
import io.etcd.jetcd.api.AuthUserGrantRoleRequest;
import io.etcd.jetcd.api.CompactionRequest;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.Permission;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A real etcd in a process of its own, on free ports of the loopback address, with its data in a folder. It can be
 * killed and started again on the same ports. It ends with this process in any case: its guard, a shell, kills it when
 * the pipe to this process closes.
 */
final class EtcdServer implements AutoCloseable {
    private static final String BINARY = "etcd";
    private static final Duration START_DEADLINE = Duration.ofSeconds(60);
    private static final int PORTS_TRIED_MAX = 10;
    private static final String GUARD = "\"$@\" & child=$!; (cat > /dev/null; kill -9 $child) <&3 & wait $child";

    private final Path folder;
    private final Optional<TestIdentity> identity;
    private final List<String> options;
    private int clientPort;
    private int peerPort;
    private int healthPort;
    private @Nullable Process process;
    private @Nullable ManagedChannel admin;

    private EtcdServer(Path folder, Optional<TestIdentity> identity, List<String> options) {
        this.folder = folder;
        this.identity = identity;
        this.options = options;
    }

    /** Starts a server that keeps its data below a folder, which the caller deletes. */
    static EtcdServer start(Path folder) {
        return start(folder, Optional.empty(), List.of());
    }

    /** Starts a server that takes encrypted connections only. */
    static EtcdServer startTls(Path folder, TestIdentity identity, String... options) {
        return start(folder, Optional.of(identity), List.of(options));
    }

    private static EtcdServer start(Path folder, Optional<TestIdentity> identity, List<String> options) {
        EtcdServer server = new EtcdServer(folder, identity, options);
        for (int tried = 1; ; tried++) {
            server.clientPort = freePort();
            server.peerPort = freePort();
            server.healthPort = freePort();
            if (server.launch()) {
                return server;
            }
            // Somebody else took a port meanwhile.
            if (tried == PORTS_TRIED_MAX) {
                throw new AssertionError("etcd does not start: log=" + server.logText());
            }
        }
    }

    /** Starts it again after {@link #kill}, with the same ports and data. */
    void restart() {
        if (!launch()) {
            throw new AssertionError("etcd does not start again: log=" + logText());
        }
    }

    private boolean launch() {
        String clientUrl = (identity.isPresent() ? "https" : "http") + "://127.0.0.1:" + clientPort;
        String peerUrl = "http://127.0.0.1:" + peerPort;
        List<String> command = new ArrayList<>(List.of("sh", "-c", "exec 3<&0; " + GUARD, "etcd-guard", binary()));
        command.addAll(
                List.of("--name", "test", "--data-dir", folder.resolve("data").toString()));
        command.addAll(List.of("--listen-client-urls", clientUrl, "--advertise-client-urls", clientUrl));
        command.addAll(List.of("--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl));
        command.addAll(List.of("--initial-cluster", "test=" + peerUrl));
        command.addAll(List.of("--listen-metrics-urls", "http://127.0.0.1:" + healthPort));
        identity.ifPresent(own -> command.addAll(List.of(
                "--cert-file",
                own.certificatePem().toString(),
                "--key-file",
                own.keyPem().toString())));
        command.addAll(options);
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log()))
                    .start();
        } catch (IOException failed) {
            throw new UncheckedIOException("etcd cannot be started", failed);
        }
        return awaitHealthy(process);
    }

    private static String binary() {
        for (String dir : String.valueOf(System.getenv("PATH")).split(File.pathSeparator, -1)) {
            Path candidate = Path.of(dir, BINARY);
            if (Files.isExecutable(candidate)) {
                return candidate.toString();
            }
        }
        throw new AssertionError("etcd is missing, and these tests are never skipped; run:"
                + " apt-get update && apt-get install -y etcd-server");
    }

    private boolean awaitHealthy(Process started) {
        long beganNs = System.nanoTime();
        while (!isHealthy()) {
            if (!started.isAlive()) {
                return false;
            }
            if (System.nanoTime() - beganNs > START_DEADLINE.toNanos()) {
                throw new AssertionError("etcd is not healthy after " + START_DEADLINE + ": log=" + logText());
            }
            LockSupport.parkNanos(10_000_000);
        }
        return started.isAlive();
    }

    private boolean isHealthy() {
        try {
            URI health = URI.create("http://127.0.0.1:" + healthPort + "/health");
            HttpURLConnection request = (HttpURLConnection) health.toURL().openConnection();
            request.setConnectTimeout(5_000);
            request.setReadTimeout(5_000);
            return request.getResponseCode() == HttpURLConnection.HTTP_OK;
        } catch (IOException notYet) {
            return false;
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException failed) {
            throw new UncheckedIOException("no free port", failed);
        }
    }

    private File log() {
        return folder.resolve("etcd.log").toFile();
    }

    private String logText() {
        try {
            return Files.readString(log().toPath());
        } catch (IOException failed) {
            return "unreadable: " + failed;
        }
    }

    /** The port for clients, the same for the whole life. */
    int port() {
        return clientPort;
    }

    /** Where the server is, with a prefix. */
    URI uri(String prefix) {
        return URI.create("etcd://127.0.0.1:" + clientPort + prefix);
    }

    /** Starts it again if it was killed. */
    void ensureRunning() {
        if (process == null) {
            restart();
        }
    }

    /** Ends the process as SIGKILL does. The data stays. */
    void kill() {
        ManagedChannel open = admin;
        admin = null;
        if (open != null) {
            open.shutdownNow();
        }
        Process running = process;
        process = null;
        if (running == null) {
            return;
        }
        try {
            running.getOutputStream().close();
            if (!running.waitFor(30, TimeUnit.SECONDS)) {
                throw new AssertionError("etcd does not end: pid=" + running.pid());
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("etcd cannot be ended: pid=" + running.pid(), failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while etcd ended", interrupted);
        }
    }

    private ManagedChannel admin() {
        ManagedChannel open = admin;
        if (open == null) {
            open = NettyChannelBuilder.forAddress("127.0.0.1", clientPort)
                    .usePlaintext()
                    .build();
            admin = open;
        }
        return open;
    }

    /** Ends a lease now; its keys vanish, and its owner is not asked. A lease that is gone is ended already. */
    void revoke(long lease) {
        Status status = Status.OK;
        try {
            LeaseGrpc.newBlockingStub(admin())
                    .withWaitForReady()
                    .leaseRevoke(LeaseRevokeRequest.newBuilder().setID(lease).build());
        } catch (StatusRuntimeException refused) {
            status = refused.getStatus();
        }
        if (!status.isOk() && !EtcdErrors.isLeaseGone(status)) {
            throw new AssertionError("lease cannot be revoked: lease=" + lease + ", status=" + status);
        }
    }

    /** Writes a key behind the back of all clients and gives the revision. */
    long put(String key, String value) {
        return KVGrpc.newBlockingStub(admin())
                .withWaitForReady()
                .put(PutRequest.newBuilder()
                        .setKey(ByteString.copyFromUtf8(key))
                        .setValue(ByteString.copyFromUtf8(value))
                        .build())
                .getHeader()
                .getRevision();
    }

    /** Forgets all revisions before the current one. */
    void compact() {
        KVGrpc.KVBlockingStub kv = KVGrpc.newBlockingStub(admin()).withWaitForReady();
        long revision = kv.range(RangeRequest.newBuilder()
                        .setKey(ByteString.copyFromUtf8("/"))
                        .build())
                .getHeader()
                .getRevision();
        kv.compact(CompactionRequest.newBuilder()
                .setRevision(revision)
                .setPhysical(true)
                .build());
    }

    /**
     * Asks for passwords from now on. One user may read and write below a prefix.
     *
     * @param user its name
     * @param password its password
     * @param prefix such as {@code /test}
     */
    void enableUsers(String user, String password, String prefix) {
        AuthGrpc.AuthBlockingStub auth = AuthGrpc.newBlockingStub(admin()).withWaitForReady();
        auth.userAdd(AuthUserAddRequest.newBuilder()
                .setName("root")
                .setPassword("known-to-nobody")
                .build());
        auth.userGrantRole(AuthUserGrantRoleRequest.newBuilder()
                .setUser("root")
                .setRole("root")
                .build());
        auth.userAdd(AuthUserAddRequest.newBuilder()
                .setName(user)
                .setPassword(password)
                .build());
        auth.roleAdd(AuthRoleAddRequest.newBuilder().setName("part").build());
        auth.roleGrantPermission(AuthRoleGrantPermissionRequest.newBuilder()
                .setName("part")
                .setPerm(Permission.newBuilder()
                        .setPermType(Permission.Type.READWRITE)
                        .setKey(ByteString.copyFromUtf8(prefix + "/"))
                        .setRangeEnd(ByteString.copyFromUtf8(prefix + "0")))
                .build());
        auth.userGrantRole(AuthUserGrantRoleRequest.newBuilder()
                .setUser(user)
                .setRole("part")
                .build());
        auth.authEnable(AuthEnableRequest.getDefaultInstance());
    }

    @Override
    public void close() {
        kill();
    }
}

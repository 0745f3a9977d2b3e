package io.tidemark.coordination.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.AuthDisableRequest;
import io.etcd.jetcd.api.AuthEnableRequest;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthRoleAddRequest;
import io.etcd.jetcd.api.AuthRoleGrantPermissionRequest;
import io.etcd.jetcd.api.AuthUserAddRequest;
import io.etcd.jetcd.api.AuthUserGrantRoleRequest;
import io.etcd.jetcd.api.AuthenticateRequest;
import io.etcd.jetcd.api.CompactionRequest;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.Permission;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.tidemark.coordination.ServiceMember;
import io.tidemark.coordination.ServiceProcess;
import io.tidemark.coordination.TestIdentity;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A real etcd in a process of its own, on free ports of the loopback address, with its data in a folder. It can be
 * killed and started again on the same ports. It ends with this process in any case: its guard, a shell, kills it when
 * the pipe to this process closes.
 */
final class EtcdServer extends ServiceMember {
    private static final String BINARY = "etcd";
    private static final int PORTS_TRIED_MAX = 10;

    private final Path folder;
    private final String name;
    private final Optional<TestIdentity> identity;
    private final List<String> options;
    private String cluster = "";
    private int clientPort;
    private int peerPort;
    private int healthPort;
    private @Nullable ManagedChannel admin;

    private EtcdServer(Path folder, String name, Optional<TestIdentity> identity, List<String> options) {
        this.folder = folder;
        this.name = name;
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
        EtcdServer server = new EtcdServer(folder, "test", identity, options);
        for (int tried = 1; ; tried++) {
            server.choosePorts();
            server.cluster = server.peer();
            server.launch();
            if (server.servesOrEnds()) {
                return server;
            }
            // Somebody else took a port meanwhile.
            if (tried == PORTS_TRIED_MAX) {
                throw new AssertionError("etcd does not start: log=" + server.logText());
            }
        }
    }

    /** Prepares the members of a cluster, each with its data below a folder. */
    static List<EtcdServer> members(Path folder, int count) {
        List<EtcdServer> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Path own = folder.resolve("etcd-" + i);
            members.add(new EtcdServer(own, "m" + i, Optional.empty(), List.of()));
        }
        members.forEach(EtcdServer::choosePorts);
        String cluster = members.stream().map(EtcdServer::peer).collect(Collectors.joining(","));
        members.forEach(member -> member.cluster = cluster);
        return members;
    }

    private void choosePorts() {
        clientPort = ServiceProcess.freePort();
        peerPort = ServiceProcess.freePort();
        healthPort = ServiceProcess.freePort();
    }

    private String peer() {
        return name + "=http://127.0.0.1:" + peerPort;
    }

    @Override
    protected boolean serves() {
        return !read("/health").isEmpty();
    }

    @Override
    public boolean isLeader() {
        return read("/metrics").lines().anyMatch("etcd_server_is_leader 1"::equals);
    }

    @Override
    public void launch() {
        String clientUrl = (identity.isPresent() ? "https" : "http") + "://127.0.0.1:" + clientPort;
        String peerUrl = "http://127.0.0.1:" + peerPort;
        List<String> command = new ArrayList<>(List.of(binary()));
        command.addAll(
                List.of("--name", name, "--data-dir", folder.resolve("data").toString()));
        command.addAll(List.of("--listen-client-urls", clientUrl, "--advertise-client-urls", clientUrl));
        command.addAll(List.of("--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl));
        command.addAll(List.of("--initial-cluster", cluster));
        command.addAll(List.of("--listen-metrics-urls", "http://127.0.0.1:" + healthPort));
        identity.ifPresent(own -> command.addAll(List.of(
                "--cert-file",
                own.certificatePem().toString(),
                "--key-file",
                own.keyPem().toString())));
        command.addAll(options);
        try {
            Files.createDirectories(folder);
        } catch (IOException failed) {
            throw new UncheckedIOException("folder cannot be made: folder=" + folder, failed);
        }
        launch(command, folder.resolve("etcd.log"));
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

    /** What it says on the port for its health; empty if that is nothing good. */
    private String read(String path) {
        try {
            URI uri = URI.create("http://127.0.0.1:" + healthPort + path);
            HttpURLConnection request = (HttpURLConnection) uri.toURL().openConnection();
            request.setConnectTimeout(5_000);
            request.setReadTimeout(5_000);
            if (request.getResponseCode() != HttpURLConnection.HTTP_OK) {
                return "";
            }
            try (InputStream body = request.getInputStream()) {
                return new String(body.readAllBytes(), StandardCharsets.UTF_8);
            }
        } catch (IOException notYet) {
            return "";
        }
    }

    @Override
    public int port() {
        return clientPort;
    }

    /** Where the server is, with a prefix. */
    URI uri(String prefix) {
        return URI.create("etcd://127.0.0.1:" + clientPort + prefix);
    }

    @Override
    public void kill() {
        ManagedChannel open = admin;
        admin = null;
        if (open != null) {
            open.shutdownNow();
        }
        super.kill();
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

    /** Ends {@link #enableUsers}. The users stay. */
    void disableUsers() {
        AuthGrpc.AuthBlockingStub auth = AuthGrpc.newBlockingStub(admin()).withWaitForReady();
        String token = auth.authenticate(AuthenticateRequest.newBuilder()
                        .setName("root")
                        .setPassword("known-to-nobody")
                        .build())
                .getToken();
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER), token);
        auth.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                .authDisable(AuthDisableRequest.getDefaultInstance());
    }
}

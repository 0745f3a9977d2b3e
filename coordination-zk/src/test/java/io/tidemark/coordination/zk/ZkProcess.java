package io.tidemark.coordination.zk;

import io.tidemark.coordination.ServiceMember;
import io.tidemark.coordination.ServiceProcess;
import io.tidemark.coordination.TestIdentity;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A real ZooKeeper server in a process of its own, alone or a member of an ensemble, on ports of the loopback address,
 * with its data in a folder. It can be killed, started again, and stopped for a while.
 */
final class ZkProcess extends ServiceMember {
    private static final int ANSWER_MS_MAX = 5_000;

    private final Path folder;
    private final int id;
    private final Map<String, String> config = new TreeMap<>();
    private final List<String> jvmOptions = new ArrayList<>();
    private Optional<TestIdentity> identity = Optional.empty();
    private int clientPort;
    private int plainPort;

    /** Prepares a server that keeps all in a folder, which the caller deletes. */
    ZkProcess(Path folder, int id) {
        this.folder = folder;
        this.id = id;
        config.put("tickTime", "200");
        config.put("initLimit", "100");
        config.put("syncLimit", "50");
        config.put("minSessionTimeout", "2000");
        config.put("maxSessionTimeout", "40000");
        config.put("maxClientCnxns", "0");
        config.put("admin.enableServer", "false");
        config.put("4lw.commands.whitelist", "*");
        config.put("clientPortAddress", "127.0.0.1");
    }

    /** A server of its own. */
    static ZkProcess alone(Path folder) {
        return new ZkProcess(folder, 1);
    }

    /** Sets a line of the configuration. */
    ZkProcess with(String key, String value) {
        config.put(key, value);
        return this;
    }

    /** Sets a system property of the server's JVM. */
    ZkProcess withProperty(String key, String value) {
        jvmOptions.add("-D" + key + "=" + value);
        return this;
    }

    /** Serves clients on an encrypted port, whose identity this is; a plain port stays for the tests. */
    ZkProcess withTls(TestIdentity own, TestIdentity trusted, String clientAuth) {
        identity = Optional.of(own);
        with("serverCnxnFactory", "org.apache.zookeeper.server.NettyServerCnxnFactory");
        with("ssl.keyStore.location", own.bothPem().toString());
        with("ssl.keyStore.type", "PEM");
        with("ssl.trustStore.location", trusted.certificatePem().toString());
        with("ssl.trustStore.type", "PEM");
        with("ssl.clientAuth", clientAuth);
        with("ssl.hostnameVerification", "false");
        return withProperty("zookeeper.fips-mode", "true");
    }

    /** Knows users by SASL. */
    ZkProcess withSasl(Map<String, String> passwords) {
        StringBuilder jaas =
                new StringBuilder("Server {\n org.apache.zookeeper.server.auth.DigestLoginModule required");
        passwords.forEach((user, password) -> jaas.append("\n user_")
                .append(user)
                .append("=\"")
                .append(password)
                .append('"'));
        jaas.append(";\n};\n");
        Path file = write("jaas.conf", jaas.toString());
        with("authProvider.sasl", "org.apache.zookeeper.server.auth.SASLAuthenticationProvider");
        withProperty("java.security.auth.login.config", file.toString());
        return withProperty("zookeeper.fips-mode", "false");
    }

    private Path write(String name, String text) {
        try {
            Files.createDirectories(folder);
            return Files.writeString(folder.resolve(name), text);
        } catch (IOException failed) {
            throw new UncheckedIOException("file cannot be written: folder=" + folder + ", name=" + name, failed);
        }
    }

    /** Starts the server on free ports and waits until it serves. */
    ZkProcess start() {
        if (clientPort == 0) {
            clientPort = ServiceProcess.freePort();
            plainPort = identity.isPresent() ? ServiceProcess.freePort() : clientPort;
        }
        restart();
        return this;
    }

    @Override
    public void launch() {
        if (identity.isPresent()) {
            config.put("secureClientPort", Integer.toString(clientPort));
            config.put("secureClientPortAddress", "127.0.0.1");
        }
        config.put("clientPort", Integer.toString(plainPort));
        config.put("dataDir", folder.resolve("data").toString());
        try {
            Files.createDirectories(folder.resolve("data"));
        } catch (IOException failed) {
            throw new UncheckedIOException("folder cannot be made: folder=" + folder, failed);
        }
        write("data/myid", Integer.toString(id));
        StringBuilder lines = new StringBuilder();
        config.forEach(
                (key, value) -> lines.append(key).append('=').append(value).append('\n'));
        Path file = write("zoo.cfg", lines.toString());
        Path log = write(
                "logback.xml",
                "<configuration><appender name=\"c\" class=\"ch.qos.logback.core.ConsoleAppender\"><encoder>"
                        + "<pattern>%d %level %msg%n</pattern></encoder></appender>"
                        + "<root level=\"WARN\"><appender-ref ref=\"c\"/></root></configuration>");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-Dlogback.configurationFile=" + log));
        command.addAll(jvmOptions);
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                file.toString()));
        launch(command, folder.resolve("server.log"));
    }

    @Override
    protected boolean serves() {
        return !mode().isEmpty();
    }

    @Override
    public boolean isLeader() {
        return mode().equals("leader");
    }

    /** What the server says it is: standalone, leader or follower; empty if it does not serve. */
    private String mode() {
        String answer = ask("srvr");
        int at = answer.indexOf("Mode: ");
        return at < 0 ? "" : answer.substring(at + 6, answer.indexOf('\n', at)).strip();
    }

    private String ask(String word) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), plainPort), ANSWER_MS_MAX);
            socket.setSoTimeout(ANSWER_MS_MAX);
            socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException notYet) {
            return "";
        }
    }

    /** Fixes the port for clients before the start. */
    void port(int port) {
        clientPort = port;
        plainPort = port;
    }

    /** The port for clients; the encrypted one if there are two. */
    @Override
    public int port() {
        return clientPort;
    }

    /** Where a client finds its keys. */
    URI uri(String chroot) {
        return URI.create("zk://127.0.0.1:" + clientPort + chroot);
    }
}

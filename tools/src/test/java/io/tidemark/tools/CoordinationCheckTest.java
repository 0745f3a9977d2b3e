package io.tidemark.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Coordinations;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.ReadMode;
import io.tidemark.tools.system.ChildProcess;
import io.tidemark.tools.system.Ports;
import io.tidemark.tools.system.Programs;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The self-test of a coordination service, on each back end, good and bad. */
@Timeout(300)
class CoordinationCheckTest {
    private static final Duration START = Duration.ofSeconds(90);
    private static final List<String> STEPS = List.of(
            "connect",
            "permissions",
            "write",
            "read",
            "transaction",
            "watch",
            "session",
            "election",
            "limits",
            "cleanup");

    @TempDir
    Path root = Path.of("");

    private static void assertAllIsWell(CommandRun run) {
        assertEquals(0, run.exitCode(), run.describe());
        for (String step : STEPS) {
            assertTrue(
                    run.outLines().stream().anyMatch(line -> line.matches("ok +" + step + " .*")),
                    step + " in " + run.describe());
        }
        assertTrue(run.out().endsWith("result: OK" + System.lineSeparator()), run.describe());
    }

    private ChildProcess startZooKeeper() throws Exception {
        Path data = Files.createDirectories(root.resolve("zookeeper"));
        return ChildProcess.start(new ChildProcess.Command(
                "zookeeper",
                Tidemark.class,
                List.of("-Xmx128m"),
                List.of("zookeeper", "--data", data.toString()),
                root.resolve("zookeeper.log")));
    }

    @Test
    void shouldFindLocalGood() {
        assertAllIsWell(CommandRun.of("coordination", "check", "local:"));
        assertAllIsWell(CommandRun.of("coordination", "check", "local:" + root.resolve("store")));
    }

    // A user of its own, whose nodes stay its own: another one is told what it may not do, and leaves nothing.
    @Test
    void shouldCheckZooKeeperAndLeaveNothing() throws Exception {
        Path alice = Files.writeString(root.resolve("alice"), "user=alice\npassword=known-to-alice\n");
        Path bob = Files.writeString(root.resolve("bob"), "user=bob\npassword=known-to-bob\n");
        ChildProcess server = startZooKeeper();
        try {
            String address = server.awaitLine(ZooKeeperCommand.READY, START);
            String uri = "zk://" + address + "/some/where";
            assertAllIsWell(CommandRun.of("coordination", "check", uri, "--credentials-file", alice.toString()));
            ZooKeeper client = new ZooKeeper(address, 10_000, event -> {});
            try {
                client.addAuthInfo("digest", "alice:known-to-alice".getBytes(StandardCharsets.UTF_8));
                assertEquals(List.of(), client.getChildren("/some/where", false));
            } finally {
                client.close();
            }
            CommandRun denied = CommandRun.of("coordination", "check", uri, "--credentials-file", bob.toString());
            assertEquals(1, denied.exitCode(), denied.describe());
            assertTrue(denied.out().contains("FAILED   permissions  ZooKeeper denied access"), denied.describe());
            assertTrue(denied.out().contains("skipped  session"), denied.describe());
            assertFalse(denied.describe().contains("known-to"), denied.describe());
        } finally {
            server.kill();
        }
    }

    private ChildProcess startEtcd(String client) {
        String peer = "http://127.0.0.1:" + Ports.findFree(RandomGenerator.getDefault());
        return ChildProcess.start(new ChildProcess.Program(
                "etcd",
                List.of(
                        Programs.find("etcd").orElseThrow().toString(),
                        "--data-dir",
                        root.resolve("etcd").toString(),
                        "--listen-client-urls",
                        client,
                        "--advertise-client-urls",
                        client,
                        "--listen-peer-urls",
                        peer,
                        "--initial-advertise-peer-urls",
                        peer,
                        "--initial-cluster",
                        "default=" + peer),
                root.resolve("etcd.log")));
    }

    @Test
    void shouldCheckEtcdAndLeaveNothing() throws Exception {
        String client = "http://127.0.0.1:" + Ports.findFree(RandomGenerator.getDefault());
        ChildProcess server = startEtcd(client);
        try {
            String uri = "etcd://" + client.substring("http://".length()) + "/some/where";
            CommandRun run = CommandRun.of("coordination", "check", uri, "--timeout", "60");
            assertAllIsWell(run);
            try (Coordination after = Coordinations.open(uri, CoordinationConfig.defaults())) {
                assertEquals(
                        List.of(),
                        after.list(Key.ROOT, ReadMode.LINEARIZABLE)
                                .toCompletableFuture()
                                .get(30, TimeUnit.SECONDS)
                                .entries());
            }
            assertUsersAreToldApart(client, uri);
        } finally {
            server.kill();
            assertTrue(server.awaitEnd(START), server.tail());
        }
    }

    // From now on etcd asks who is there: one may do all, one nothing, one gives a wrong password, one none.
    private void assertUsersAreToldApart(String client, String uri) throws Exception {
        post(client + "/v3/auth/user/add", "{\"name\":\"root\",\"password\":\"known-to-root\"}");
        post(client + "/v3/auth/user/grant", "{\"user\":\"root\",\"role\":\"root\"}");
        post(client + "/v3/auth/user/add", "{\"name\":\"bob\",\"password\":\"known-to-bob\"}");
        post(client + "/v3/auth/enable", "{}");
        Path right = Files.writeString(root.resolve("root"), "user=root\npassword=known-to-root\n");
        assertAllIsWell(CommandRun.of("coordination", "check", uri, "--credentials-file", right.toString()));
        Path bob = Files.writeString(root.resolve("bob"), "user=bob\npassword=known-to-bob\n");
        Path wrong = Files.writeString(root.resolve("wrong"), "user=root\npassword=known-to-nobody\n");
        for (CommandRun denied : List.of(
                CommandRun.of("coordination", "check", uri, "--credentials-file", bob.toString()),
                CommandRun.of("coordination", "check", uri, "--credentials-file", wrong.toString()),
                CommandRun.of("coordination", "check", uri))) {
            assertEquals(1, denied.exitCode(), denied.describe());
            assertTrue(denied.out().contains("FAILED "), denied.describe());
            assertTrue(denied.out().contains("etcd denied access"), denied.describe());
            assertTrue(denied.out().contains("skipped  session"), denied.describe());
            assertFalse(denied.describe().contains("known-to"), denied.describe());
        }
    }

    private static void post(String address, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertEquals(200, response.statusCode(), response.body());
    }

    // Nobody is there: one line says so, the others that they were not tried.
    @Test
    void shouldSayThatNobodyAnswers() {
        for (String uri : List.of("zk://127.0.0.1:1/x", "etcd://127.0.0.1:1/x")) {
            CommandRun run = CommandRun.of("coordination", "check", uri, "--timeout", "2");
            assertEquals(1, run.exitCode(), run.describe());
            assertTrue(run.outLines().get(0).startsWith("FAILED   connect "), run.describe());
            assertTrue(run.out().contains("servers=127.0.0.1:1"), run.describe());
            assertTrue(run.out().contains("skipped  write "), run.describe());
            assertTrue(run.out().endsWith("result: FAILED, problems=1" + System.lineSeparator()), run.describe());
            assertFalse(run.err().contains("\tat "), run.describe());
        }
    }

    @Test
    void shouldRefuseWhatMakesNoSense() {
        assertEquals(2, CommandRun.of("coordination").exitCode());
        assertEquals(2, CommandRun.of("coordination", "check").exitCode());
        assertEquals(
                2,
                CommandRun.of("coordination", "check", "local:", "--timeout", "0")
                        .exitCode());
        CommandRun user = CommandRun.of("coordination", "check", "zk://alice:hush-12@127.0.0.1:1/x");
        assertEquals(1, user.exitCode(), user.describe());
        assertFalse(user.describe().contains("hush-12"), user.describe());
        CommandRun file = CommandRun.of(
                "coordination",
                "check",
                "local:",
                "--credentials-file",
                root.resolve("none").toString());
        assertEquals(1, file.exitCode(), file.describe());
        assertTrue(file.err().contains("credentials cannot be read: file=" + root.resolve("none")), file.describe());
    }
}

package io.tidemark.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.broker.Broker;
import io.tidemark.broker.BrokerConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands on a cluster of one broker, as a user types them; and their errors. */
@Timeout(120)
class ClusterCommandsTest {
    @TempDir
    Path root = Path.of("");

    private final List<Broker> brokers = new ArrayList<>();
    private String address = "";

    @BeforeEach
    void startBroker() {
        Broker broker = Broker.start(BrokerConfig.builder()
                .brokerId(1)
                .dataDirectory(root.resolve("broker-1"))
                .coordination("local:")
                .build());
        brokers.add(broker);
        address = broker.address();
    }

    @AfterEach
    void closeBrokers() {
        brokers.forEach(Broker::close);
    }

    // Create, list, describe, produce, consume: what went in comes out.
    @Test
    void shouldCarryLinesFromProduceToConsume() {
        CommandRun created = on("topic", "create", "orders", "--partitions", "2");
        assertEquals(0, created.exitCode(), created.describe());
        assertEquals(List.of("created topic=orders partitions=2 replicationFactor=1"), created.outLines());
        assertEquals(List.of("orders"), on("topic", "list").outLines());
        assertEquals(List.of("[\"orders\"]"), on("topic", "list", "--json").outLines());

        CommandRun described = on("topic", "describe", "orders");
        assertEquals(4, described.outLines().size(), described.describe());
        assertTrue(described.outLines().get(0).matches("topic=orders topicId=\\S{36} partitions=2"));
        assertTrue(described.outLines().get(2).matches(" +0 +1 +\\d+ +1 +- +1 +\\d+"), described.describe());
        CommandRun json = on("topic", "describe", "orders", "--json");
        assertTrue(json.out().contains("{\"partition\":0,\"leader\":1,"), json.describe());

        CommandRun produced = withInput("a=1\nb=2\na=3\n", "produce", "--topic", "orders", "--key-separator", "=");
        assertEquals(0, produced.exitCode(), produced.describe());
        assertEquals("sent 3, acknowledged 3" + System.lineSeparator(), produced.err());

        CommandRun consumed = on("consume", "--topic", "orders", "--max", "3");
        assertEquals(0, consumed.exitCode(), consumed.describe());
        assertEquals(
                List.of("1", "2", "3"), consumed.outLines().stream().sorted().toList());
    }

    // Offsets, partitions, positions.
    @Test
    void shouldReadFromWhereItIsTold() {
        on("topic", "create", "lines", "--partitions", "1");
        String input = String.join(
                "\n", IntStream.range(0, 1000).mapToObj(i -> "line " + i).toList());
        CommandRun produced = withInput(input, "produce", "--topic", "lines", "--partition", "0", "--acks", "leader");
        assertEquals("sent 1000, acknowledged 1000" + System.lineSeparator(), produced.err());

        CommandRun tail =
                on("consume", "--topic", "lines", "--partition", "0", "--from", "998", "--max", "2", "--with-offsets");
        assertEquals(2, tail.outLines().size(), tail.describe());
        assertTrue(tail.outLines().get(0).matches("0\t998\t\\d{13}\t\tline 998"), tail.describe());
        assertTrue(tail.outLines().get(1).matches("0\t999\t\\d{13}\t\tline 999"), tail.describe());
        CommandRun end = on("consume", "--topic", "lines", "--from", "end", "--timeout", "0.2");
        assertEquals(0, end.exitCode(), end.describe());
        assertEquals("", end.out());
    }

    // Brokers named by the user, a topic that is there already, more partitions.
    @Test
    void shouldPlaceAndGrowTopicsAsTold() {
        CommandRun created = on("topic", "create", "placed", "--assignment", "1,1", "--min-isr", "1");
        assertEquals(List.of("created topic=placed partitions=2 replicationFactor=1"), created.outLines());
        CommandRun again = on("topic", "create", "placed", "--partitions", "7", "--if-not-exists");
        assertEquals(0, again.exitCode(), again.describe());
        assertEquals(List.of("exists topic=placed partitions=2 replicationFactor=1"), again.outLines());
        CommandRun sequential = on("topic", "create", "row", "--partitions", "1", "--placement", "sequential");
        assertEquals(List.of("created topic=row partitions=1 replicationFactor=1"), sequential.outLines());

        CommandRun grown = on("topic", "add-partitions", "placed", "--total", "4");
        assertEquals(List.of("changed topic=placed partitions=4"), grown.outLines(), grown.describe());
        CommandRun json = on("topic", "add-partitions", "placed", "--total", "5", "--assignment", "1", "--json");
        assertEquals(0, json.exitCode(), json.describe());
        CommandRun produced = withInput("x\n", "produce", "--topic", "placed", "--partition", "4");
        assertEquals(0, produced.exitCode(), produced.describe());

        assertOneLine(on("topic", "add-partitions", "placed", "--total", "5"), "has so many partitions already");
        assertOneLine(on("topic", "add-partitions", "placed", "--total", "2"), "partitions cannot be removed");
        assertOneLine(on("topic", "add-partitions", "absent", "--total", "2"), "unknown topic: topic=absent");
        assertOneLine(on("topic", "create", "far", "--assignment", "1,9"), "runningBrokers=[1]");
        assertOneLine(on("topic", "create", "far", "--assignment", "1", "--partitions", "2"), "leave the number out");
        CommandRun broken = on("topic", "create", "far", "--assignment", "1:x");
        assertEquals(2, broken.exitCode(), broken.describe());
        assertTrue(broken.err().contains("'1:x' is no assignment"), broken.describe());
    }

    // The configuration of a topic is given at its creation, changed, shown, and checked.
    @Test
    void shouldConfigureTopics() {
        on("topic", "create", "kept", "--partitions", "1", "--config", "retention.ms=60000");
        CommandRun described = on("topic", "describe", "kept");
        assertTrue(described.outLines().get(0).endsWith(" config={retention.ms=60000}"), described.describe());

        CommandRun altered = on("topic", "alter", "kept", "--config", "retention.bytes=-1", "--reset", "retention.ms");
        assertEquals(
                List.of("changed topic=kept {retention.bytes=-1, retention.ms=}"),
                altered.outLines(),
                altered.describe());
        CommandRun json = on("topic", "describe", "kept", "--json");
        assertTrue(json.out().contains("\"config\":{\"retention.bytes\":-1}"), json.describe());

        assertOneLine(on("topic", "alter", "kept", "--config", "retention.bytes=-1"), "configured like that already");
        assertOneLine(on("topic", "alter", "kept", "--config", "min.isr=2"), "choose 1 to 1");
        assertOneLine(on("topic", "alter", "kept", "--config", "colour=2"), "unknown setting: topic=kept");
        assertOneLine(on("topic", "alter", "kept", "--config", "retention.ms=x"), "must be a whole number");
        assertEquals(2, on("topic", "alter", "kept").exitCode());
    }

    // A topic goes, by name or by the id that is meant, and the name can be used again.
    @Test
    void shouldDeleteTopics() {
        on("topic", "create", "doomed", "--partitions", "2");
        CommandRun produced = withInput("x\n", "produce", "--topic", "doomed", "--partition", "1");
        assertEquals(0, produced.exitCode(), produced.describe());
        assertOneLine(
                on("topic", "delete", "doomed", "--topic-id", "00000000-0000-0001-0000-000000000002"),
                "no such topic: topic=doomed");

        CommandRun deleted = on("topic", "delete", "doomed");

        assertEquals(List.of("deleted topic=doomed"), deleted.outLines(), deleted.describe());
        assertOneLine(on("topic", "delete", "doomed"), "unknown topic: topic=doomed");
        CommandRun absent = on("topic", "delete", "doomed", "--if-exists");
        assertEquals(List.of("absent topic=doomed"), absent.outLines(), absent.describe());
        CommandRun again = on("topic", "create", "doomed", "--partitions", "2");
        assertEquals(0, again.exitCode(), again.describe());
        CommandRun read = on("consume", "--topic", "doomed", "--partition", "1", "--timeout", "0.2");
        assertEquals("", read.out(), read.describe());
        on("topic", "delete", "doomed");
    }

    // Brokers, controller, and no partition that needs attention.
    @Test
    void shouldDescribeTheCluster() {
        on("topic", "create", "orders", "--partitions", "2");

        CommandRun table = on("cluster", "describe");
        assertEquals(0, table.exitCode(), table.describe());
        assertTrue(
                table.outLines().get(0).matches("cluster=\\S{36} controller=1 controllerEpoch=1 topics=1 partitions=2"),
                table.describe());
        assertTrue(table.outLines().get(2).matches(" +1  " + address + " +- +1  running *"), table.describe());
        assertEquals(
                "offline=0 belowMinIsr=0 underReplicated=0 reassigning=0",
                table.outLines().get(3),
                table.describe());
        assertEquals(4, table.outLines().size(), table.describe());
        CommandRun json = on("cluster", "describe", "--json");
        assertTrue(json.out().contains("\"controller\":1,"), json.describe());
        assertTrue(json.out().contains("\"status\":\"running\"}],\"offline\":[],"), json.describe());
    }

    // Topics that are not there, are there already, or ask for too much.
    @Test
    void shouldExplainWhatTheClusterRefuses() {
        on("topic", "create", "there", "--partitions", "1");
        assertOneLine(on("topic", "create", "there"), "there");
        assertOneLine(on("topic", "create", "many", "--replication-factor", "3"), "replication");
        assertOneLine(on("topic", "create", "bad/name"), "bad/name");
        assertOneLine(on("topic", "create", "none", "--partitions", "0"), "partitions");
        assertOneLine(on("topic", "describe", "absent"), "absent");
        assertOneLine(on("consume", "--topic", "absent", "--max", "1"), "absent");
        assertOneLine(on("consume", "--topic", "there", "--partition", "7", "--max", "1"), "7");
        CommandRun produced = withInput("x\n", "produce", "--topic", "absent");
        assertEquals(1, produced.exitCode(), produced.describe());
        assertTrue(produced.err().contains("absent"), produced.describe());
        assertFalse(produced.err().contains("\tat "), produced.describe());
        CommandRun noKey = withInput("a=1\nb\n", "produce", "--topic", "there", "--key-separator", "=");
        assertEquals(1, noKey.exitCode());
        assertTrue(noKey.err().contains("a line has no key separator: line=2, keySeparator=="), noKey.describe());
        assertEquals(List.of("there"), on("topic", "list").outLines());
    }

    // Nobody there; no address; no scheme.
    @Test
    void shouldExplainAClusterThatCannotBeReached() {
        assertOneLine(CommandRun.of("topic", "list", "--brokers", "127.0.0.1:1"), "127.0.0.1:1");
        assertOneLine(CommandRun.of("topic", "list", "--brokers", "nonsense"), "nonsense");
        assertOneLine(CommandRun.of("topic", "list", "--coordination", "carrier-pigeon://x/y"), "carrier-pigeon");
    }

    // A broker that cannot start says why, and leaves nothing half-made.
    @Test
    void shouldExplainWhyABrokerCannotStart() throws IOException {
        Path data = root.resolve("other");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CommandRun run = broker(data, "local:", "--port", Integer.toString(taken.getLocalPort()));
            assertOneLine(run, Integer.toString(taken.getLocalPort()));
        }
        assertOneLine(broker(data, "carrier-pigeon://x/y"), "carrier-pigeon");
        assertOneLine(
                broker(root.resolve("broker-1"), "local:"),
                root.resolve("broker-1").toString());
        Path file = Files.writeString(root.resolve("file"), "x");
        assertOneLine(broker(file.resolve("below"), "local:"), file.toString());
        assertOneLine(broker(data, "zk://127.0.0.1:1/x", "--set", "start.timeout.ms=2000"), "127.0.0.1:1");
    }

    // Folders belong to one broker for ever.
    @Test
    void shouldRefuseTheFolderOfAnotherBroker() {
        brokers.remove(0).close();

        CommandRun run = broker(root.resolve("broker-1"), "local:");

        assertOneLine(run, root.resolve("broker-1").toString());
        assertTrue(run.err().contains("folderBrokerId=1, brokerId=2; start broker 1 with it"), run.describe());
    }

    private static CommandRun broker(Path data, String coordination, String... more) {
        List<String> args = new ArrayList<>(
                List.of("broker", "--id", "2", "--data", data.toString(), "--coordination", coordination));
        args.addAll(List.of(more));
        return CommandRun.of(args.toArray(String[]::new));
    }

    private CommandRun on(String... args) {
        return withInput("", args);
    }

    private CommandRun withInput(String input, String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--brokers", address));
        return CommandRun.withInput(input, all.toArray(String[]::new));
    }

    // Moves of replicas and elections, as far as one broker goes: plans, refusals, and what is so already.
    @Test
    void shouldPlanAndRefuseMovesOfReplicas() throws IOException {
        on("topic", "create", "orders", "--partitions", "2");
        CommandRun plan = on("topic", "reassign", "plan", "orders", "--to", "1");
        assertEquals(List.of("{\"version\":1,\"partitions\":[]}"), plan.outLines(), plan.describe());
        assertOneLine(on("topic", "reassign", "plan", "orders", "--to", "7"), "unknown broker: broker=7");

        CommandRun same = on("topic", "reassign", "start", "orders", "--partition", "0", "--replicas", "1");
        assertEquals(List.of("partitions=1 changed=0 refused=0"), same.outLines(), same.describe());
        Path file = root.resolve("plan.json");
        Files.writeString(
                file,
                "{\"partitions\":[{\"topic\":\"orders\",\"partition\":0,\"replicas\":[9]},"
                        + "{\"topic\":\"orders\",\"partition\":1,\"replicas\":[1]}]}");
        CommandRun refused = on("topic", "reassign", "start", "--plan", file.toString(), "--wait", "5");
        assertEquals(1, refused.exitCode(), refused.describe());
        assertTrue(refused.err().startsWith("a new replica needs a running broker: partition=orders-0"), refused.err());
        assertEquals(
                List.of("partitions=2 changed=0 refused=1", "moved=2 underWay=0"),
                refused.outLines(),
                refused.describe());
        Files.writeString(file, "{\"partitions\":[17]}");
        assertOneLine(on("topic", "reassign", "start", "--plan", file.toString()), "the plan cannot be used");
        CommandRun usage = on("topic", "reassign", "start", "orders");
        assertEquals(2, usage.exitCode(), usage.describe());

        assertEquals(List.of("reassigning=0"), on("topic", "reassign", "status").outLines());
        assertEquals(
                List.of("[]"),
                on("topic", "reassign", "status", "orders", "--json").outLines());
        assertEquals(
                List.of("partitions=0 changed=0 refused=0"),
                on("topic", "reassign", "cancel").outLines());
    }

    @Test
    void shouldElectLeaders() {
        on("topic", "create", "orders", "--partitions", "2");
        CommandRun all = on("topic", "elect-preferred");
        assertEquals(List.of("partitions=0 changed=0 refused=0"), all.outLines(), all.describe());
        CommandRun one = on("topic", "elect-preferred", "orders");
        assertEquals(List.of("partitions=2 changed=0 refused=0"), one.outLines(), one.describe());
        CommandRun absent = on("topic", "elect-preferred", "absent");
        assertEquals(1, absent.exitCode(), absent.describe());

        CommandRun careless = on("topic", "elect-unclean", "orders");
        assertEquals(2, careless.exitCode(), careless.describe());
        assertTrue(careless.err().contains("say --accept-loss if that is meant"), careless.describe());
        CommandRun unclean = on("topic", "elect-unclean", "orders", "--accept-loss");
        assertEquals(List.of("partitions=2 changed=0 refused=0"), unclean.outLines(), unclean.describe());
    }

    private static void assertOneLine(CommandRun run, String mentioned) {
        assertEquals(1, run.exitCode(), run.describe());
        assertEquals(1, run.err().lines().count(), run.describe());
        assertTrue(run.err().startsWith("tidemark "), run.describe());
        assertTrue(run.err().contains(mentioned), run.describe());
        assertEquals("", run.out(), run.describe());
    }
}

package io.tidemark.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.tools.system.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.common.record.internal.FileLogInputStream;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The demo itself, with fewer records: real processes, real kills. */
@Timeout(300)
class DemoTest {
    private static final int RECORDS = 20_000;

    @TempDir
    Path root = Path.of("");

    // Three brokers in processes of their own, a ZooKeeper server, a kill: every record is accounted for.
    @ParameterizedTest
    @ValueSource(strings = {"leader", "follower", "controller", "all", "none"})
    void shouldAccountForEveryRecordWhateverIsKilled(String kill) throws IOException {
        Path json = root.resolve("result.json");

        CommandRun run = CommandRun.of(
                "demo", "--records", Integer.toString(RECORDS), "--kill", kill, "--json", json.toString());

        assertEquals(0, run.exitCode(), run.describe());
        String result = Files.readString(json);
        for (String field : List.of(
                "\"ok\" : true",
                "\"sent\" : " + RECORDS,
                "\"acked\" : " + RECORDS,
                "\"read\" : " + RECORDS,
                "\"lost\" : 0",
                "\"duplicated\" : 0",
                "\"outOfOrder\" : 0",
                "\"replicasEqual\" : true")) {
            assertTrue(result.contains(field), field + " in " + result + run.describe());
        }
        assertTrue(run.out().endsWith("result: OK" + System.lineSeparator()), run.describe());
    }

    // The same around an etcd of the run's own: nothing but the option differs.
    @Test
    void shouldRunOnEtcd() {
        CommandRun run = CommandRun.of(
                "demo", "--coordination", "etcd", "--records", Integer.toString(RECORDS), "--kill", "leader");

        assertEquals(0, run.exitCode(), run.describe());
        assertTrue(run.out().endsWith("result: OK" + System.lineSeparator()), run.describe());
    }

    // The same in one process, around a store in memory; the kill is an abrupt stop.
    @ParameterizedTest
    @EnumSource(
            value = io.tidemark.tools.demo.KillMode.class,
            names = {"LEADER", "ALL"})
    void shouldRunInOneProcess(io.tidemark.tools.demo.KillMode kill) {
        CommandRun run = CommandRun.of(
                "demo",
                "--coordination",
                "local",
                "--records",
                Integer.toString(RECORDS),
                "--record-size",
                "100",
                "--kill",
                kill.name());

        assertEquals(0, run.exitCode(), run.describe());
    }

    // Kafka's own classes read the folders that the demo leaves, without a complaint, and count the same records.
    @Test
    void shouldLeaveFoldersThatKafkaReads() throws IOException {
        Path keep = root.resolve("keep");

        CommandRun run = CommandRun.of(
                "demo", "--records", Integer.toString(RECORDS), "--kill", "leader", "--keep", keep.toString());

        assertEquals(0, run.exitCode(), run.describe());
        for (int broker = 1; broker <= 3; broker++) {
            long records = 0;
            for (int partition = 0; partition < 3; partition++) {
                records += countByKafka(keep.resolve("broker-" + broker).resolve("demo-" + partition));
            }
            assertEquals(RECORDS, records, "broker " + broker);
        }
        CommandRun dump = CommandRun.of(
                "log", "dump", keep.resolve("broker-1").resolve("demo-0").toString());
        assertEquals(0, dump.exitCode(), dump.describe());
        for (int broker = 1; broker <= 3; broker++) {
            CommandRun verify = CommandRun.of(
                    "log", "verify", keep.resolve("broker-" + broker).toString());
            assertEquals(0, verify.exitCode(), verify.describe());
            assertEquals("", verify.out(), verify.describe());
        }
    }

    private static long countByKafka(Path partition) throws IOException {
        long records = 0;
        long nextOffset = 0;
        for (Path segment : segments(partition)) {
            try (FileRecords file = FileRecords.open(segment.toFile(), false)) {
                long validBytes = 0;
                for (FileLogInputStream.FileChannelRecordBatch batch : file.batches()) {
                    batch.ensureValid();
                    for (Record record : batch) {
                        record.ensureValid();
                        assertTrue(record.offset() >= nextOffset, segment + " at " + record.offset());
                        nextOffset = record.offset() + 1;
                        records++;
                    }
                    validBytes += batch.sizeInBytes();
                }
                assertEquals(Files.size(segment), validBytes, "bytes behind the last batch of " + segment);
            }
        }
        KafkaDump.assertReadable(segments(partition));
        return records;
    }

    private static List<Path> segments(Path partition) throws IOException {
        try (Stream<Path> files = Files.list(partition)) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .sorted()
                    .toList();
        }
    }

    // In a service of the user's, the demo keeps to a path of its own and removes it.
    @Test
    void shouldLeaveNothingInTheServiceOfTheUser() throws Exception {
        ChildProcess server = ChildProcess.start(new ChildProcess.Command(
                "zookeeper",
                Tidemark.class,
                List.of("-Xmx128m"),
                List.of(
                        "zookeeper",
                        "--data",
                        Files.createDirectory(root.resolve("zookeeper")).toString()),
                root.resolve("zookeeper.log")));
        try {
            String address = server.awaitLine(ZooKeeperCommand.READY, Duration.ofSeconds(60));

            CommandRun run = CommandRun.of(
                    "demo", "--brokers", "1", "--records", "5000", "--coordination", "zk://" + address + "/some/where");

            assertEquals(0, run.exitCode(), run.describe());
            ZooKeeper client = new ZooKeeper(address, 10_000, event -> {});
            try {
                assertEquals(List.of(), client.getChildren("/some/where", false));
            } finally {
                client.close();
            }
        } finally {
            server.kill();
        }
    }

    // A temporary folder is gone afterwards, also when the run could not begin.
    @Test
    void shouldLeaveNothingWhenTheServiceDoesNotAnswer() {
        CommandRun run = CommandRun.of("demo", "--coordination", "zk://127.0.0.1:1/nobody", "--records", "5000");

        assertEquals(1, run.exitCode(), run.describe());
        assertTrue(
                run.err().contains("tidemark demo: the coordination service does not answer: uri=zk://127.0.0.1:1/"),
                run.describe());
        assertFalse(run.err().contains("\tat "), run.describe());
        Matcher folder = Pattern.compile("folder (\\S+),").matcher(run.err());
        assertTrue(folder.find(), run.describe());
        assertFalse(Files.exists(Path.of(folder.group(1))), run.describe());
    }
}

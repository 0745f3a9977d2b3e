package io.tidemark.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.BatchBuilder;
import io.tidemark.log.Log;
import io.tidemark.log.LogConfig;
import io.tidemark.log.LogStore;
import io.tidemark.log.LogStoreConfig;
import io.tidemark.log.TopicPartition;
import io.tidemark.tools.verify.TestSegment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code log verify} finds each kind of damage that is planted into a healthy folder, and nothing in a healthy one. */
class LogVerifyCommandTest {
    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);
    private static final TopicPartition MORE_ORDERS = new TopicPartition("orders", 1);
    private static final TopicPartition USERS = new TopicPartition("users", 0);
    private static final LogConfig SMALL = LogConfig.builder()
            .segmentBytes(4096)
            .batchBytesMax(1024)
            .indexIntervalBytes(300)
            .build();
    private static final int RECORDS = 120;

    @TempDir
    Path root = Path.of("");

    private Path data = Path.of("");
    private Path orders = Path.of("");

    /** Does something to a file. */
    @FunctionalInterface
    private interface Damage {
        void to(Path file) throws IOException;
    }

    @BeforeEach
    void writeFolder() {
        data = root.resolve("data");
        orders = data.resolve("orders-0");
        try (LogStore store = LogStore.open(data, LogStoreConfig.defaults())) {
            store.bind("cluster-a", 1);
            store.beginIncarnation(3);
            Log log = store.openLog(ORDERS, new UUID(1, 1), SMALL);
            for (int i = 0; i < RECORDS; i++) {
                append(log, i / 50, i);
            }
            append(store.openLog(MORE_ORDERS, new UUID(1, 1), SMALL), 4, 0);
            store.openLog(USERS, new UUID(2, 2), SMALL);
            store.checkpointHighWatermarks(Map.of(ORDERS, 100L, MORE_ORDERS, 1L, USERS, 0L));
        }
    }

    private static void append(Log log, int epoch, int number) {
        BatchBuilder builder = new BatchBuilder(1024);
        String value = "value-" + number + "-" + "v".repeat(number % 90);
        builder.append(1_000_000 + number * 10L, null, value.getBytes(StandardCharsets.UTF_8));
        log.append(builder.buffer(), 0, builder.build(-1, (short) -1, -1), epoch);
    }

    private static CommandRun verify(Path folder, String... more) {
        String[] args = Stream.concat(Stream.of("log", "verify", folder.toString()), Stream.of(more))
                .toArray(String[]::new);
        return CommandRun.of(args);
    }

    private static void assertSilent(Path folder) {
        CommandRun run = verify(folder);
        assertEquals(0, run.exitCode(), run.describe());
        assertEquals("", run.out(), run.describe());
        assertEquals("", run.err(), run.describe());
    }

    private void assertFound(String file, String what, Damage damage) throws IOException {
        Path copy = root.resolve("damaged");
        copy(data, copy);
        Path damaged = copy.resolve(file);
        damage.to(damaged);
        CommandRun run = verify(copy);
        assertEquals(1, run.exitCode(), what + "\n" + run.describe());
        assertTrue(
                run.outLines().stream().anyMatch(line -> line.startsWith("file=" + damaged) && line.contains(what)),
                what + "\n" + run.describe());
        assertTrue(run.err().startsWith("tidemark log verify: something is wrong: findings="), run.describe());
        assertTrue(run.outLines().stream().allMatch(line -> line.contains("; ") && line.contains(" position=")));
        deleteAll(copy);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file));
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target);
                }
            }
        }
    }

    private static void deleteAll(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private String segment(int number, String suffix) throws IOException {
        try (Stream<Path> files = Files.list(orders)) {
            List<Path> logs =
                    files.filter(f -> f.toString().endsWith(".log")).sorted().toList();
            int index = number < 0 ? logs.size() + number : number;
            String name = String.valueOf(logs.get(index).getFileName());
            return "orders-0/" + name.replace(".log", suffix);
        }
    }

    private static Damage change(int position, int... bytes) {
        return file -> {
            byte[] content = Files.readAllBytes(file);
            int at = position < 0 ? content.length + position : position;
            for (int i = 0; i < bytes.length; i++) {
                content[at + i] = (byte) bytes[i];
            }
            Files.write(file, content);
        };
    }

    private static Damage flip(int position) {
        return file -> {
            byte[] content = Files.readAllBytes(file);
            content[position] ^= 4;
            Files.write(file, content);
        };
    }

    private static Damage replace(String from, String to) {
        return file -> {
            String text = Files.readString(file);
            assertTrue(text.contains(from), text);
            Files.writeString(file, text.replace(from, to));
        };
    }

    private static Damage cutBy(int bytes) {
        return file -> {
            byte[] content = Files.readAllBytes(file);
            Files.write(file, Arrays.copyOf(content, content.length - bytes));
        };
    }

    private static void seal(Path file, String text) throws IOException {
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        Files.writeString(file, text + String.format("crc32c=%08x\n", crc.getValue()));
    }

    /** Changes a field of the header of the second batch; only base offset and epoch are outside of the checksum. */
    private static Damage inSecondBatch(int field, byte[] bytes) {
        return file -> {
            ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(file));
            int second = 12 + content.getInt(8);
            content.position(second + field).put(bytes);
            Files.write(file, content.array());
        };
    }

    private static byte[] bytes(long value) {
        return ByteBuffer.allocate(8).putLong(value).array();
    }

    @Test
    void shouldBeSilentAboutHealthyFolders() throws IOException {
        assertSilent(data);
        assertSilent(orders);
        Files.move(orders, root.resolve("orders-0"));
        assertSilent(root.resolve("orders-0"));
    }

    // After truncations, restarts, gaps that a truncation leaves to a new segment, and an emptied log.
    @Test
    void shouldBeSilentAboutALogWithAHistory() {
        try (LogStore store = LogStore.open(data, LogStoreConfig.defaults())) {
            Log log = store.openLog(ORDERS, new UUID(1, 1), SMALL);
            log.truncateTo(90);
            append(log, 5, 1);
            log.truncateTo(40);
            log.startEpoch(7);
            append(log, 8, 2);
            store.openLog(USERS, new UUID(2, 2), SMALL).truncateFullyAndStartAt(777);
            store.checkpointHighWatermarks(Map.of(ORDERS, 41L));
        }
        assertSilent(data);
    }

    // A killed process leaves zeros behind the last batch and no current indexes: the next start sees to that.
    @Test
    void shouldBeSilentAboutAKilledProcess() throws IOException {
        Path killed = root.resolve("killed");
        try (LogStore store = LogStore.open(data, LogStoreConfig.defaults())) {
            Log log = store.openLog(ORDERS, new UUID(1, 1), SMALL);
            for (int i = 0; i < 60; i++) {
                append(log, 9, i);
            }
            copy(data, killed);
        }
        assertSilent(killed);
    }

    @Test
    void shouldFindDamagedBatches() throws IOException {
        assertFound(segment(1, ".log"), "batch checksum mismatch", flip(100));
        assertFound(segment(-1, ".log"), "damage: no batch where one should begin", cutBy(5));
        assertFound(segment(-1, ".log"), "damage: no batch where one should begin", inSecondBatch(8, new byte[] {9}));
        assertFound(segment(0, ".log"), "unused zeros behind the last batch", file -> {
            byte[] content = Files.readAllBytes(file);
            Files.write(file, Arrays.copyOf(content, content.length + 500));
        });
    }

    // All of the damage is found, not only the first.
    @Test
    void shouldGoOnBehindADamagedBatch() throws IOException {
        change(80, 1, 2, 3).to(data.resolve(segment(0, ".log")));
        flip(100).to(data.resolve(segment(2, ".log")));
        flip(8).to(data.resolve(segment(2, ".index")));
        CommandRun run = verify(data);
        assertTrue(run.outLines().size() >= 3, run.describe());
    }

    @Test
    void shouldFindATornTail() throws IOException {
        Files.delete(data.resolve("tidemark.clean-stop"));
        assertSilent(data);
        Files.writeString(data.resolve("recovery-point-offset-checkpoint"), "0\n1\norders 0 50\n");
        assertFound(segment(-1, ".log"), "torn tail: ", cutBy(5));
        assertFound(segment(-1, ".log"), "the next start cuts it", cutBy(5));
        assertFound(segment(0, ".log"), "fetch the log again", flip(100));
    }

    @Test
    void shouldFindWrongOffsets() throws IOException {
        assertFound(segment(1, ".log"), "offsets overlap", inSecondBatch(0, bytes(0)));
        assertFound(segment(0, ".log"), "offsets are missing in front of the batch", inSecondBatch(0, bytes(9)));
        assertFound(segment(0, ".log"), "reaches into the next segment", inSecondBatch(0, bytes(1L << 40)));
        assertFound(segment(2, ".log"), "offsets are missing in front of the segment", file -> {
            String before = segment(1, ".log");
            Files.delete(file.resolveSibling(Path.of("..", before)));
        });
    }

    @Test
    void shouldFindWrongEpochs() throws IOException {
        assertFound(segment(2, ".log"), "leader epochs go back", inSecondBatch(12, new byte[4]));
        assertFound("orders-0/leader-epoch-checkpoint", "an epoch begins elsewhere", replace("1 50", "1 51"));
        assertFound(
                "orders-0/leader-epoch-checkpoint",
                "an epoch of the batches has no entry",
                file -> Files.writeString(file, "0\n2\n0 0\n2 100\n"));
        assertFound(
                "orders-0/leader-epoch-checkpoint",
                "no batch has the epoch",
                file -> Files.writeString(file, "0\n4\n0 0\n1 50\n2 100\n3 110\n"));
        assertFound("orders-0/leader-epoch-checkpoint", "epochs do not grow", replace("1 50", "3 50"));
        assertFound("orders-0/leader-epoch-checkpoint", "cannot be read", replace("3\n", "4\n"));
        assertFound("orders-0/leader-epoch-checkpoint", "is missing", Files::delete);
    }

    @Test
    void shouldFindWrongIndexes() throws IOException {
        assertFound(segment(1, ".index"), "no batch ends with the offset of the entry", change(3, 0));
        assertFound(segment(1, ".index"), "no batch begins where the entry says", flip(7));
        assertFound(segment(1, ".index"), "index ends within an entry", cutBy(3));
        assertFound(segment(1, ".index"), "do not grow", file -> {
            byte[] content = Files.readAllBytes(file);
            Files.write(file, Arrays.copyOf(content, content.length + 8));
        });
        assertFound(segment(1, ".index"), "entry lies behind the last batch", file -> {
            byte[] content = Files.readAllBytes(file);
            byte[] more = Arrays.copyOf(content, content.length + 8);
            ByteBuffer.wrap(more).putInt(content.length, 5000).putInt(content.length + 4, 1 << 20);
            Files.write(file, more);
        });
        assertFound(segment(1, ".index"), "is missing", Files::delete);
    }

    @Test
    void shouldFindFilesThatDoNotBelong() throws IOException {
        assertFound("orders-0/00000000000000000000.log.deleted", "left-over", Files::createFile);
        assertFound("orders-0/leader-epoch-checkpoint.tmp", "left-over", Files::createFile);
        assertFound("orders-0/00000000000000000777.index", "index without a segment", Files::createFile);
        assertFound("orders-0/notes.txt", "foreign file", Files::createFile);
        assertFound("orders-0/folder", "foreign folder", Files::createDirectory);
        assertFound("notes.txt", "foreign file", Files::createFile);
        assertFound("some folder", "foreign folder", Files::createDirectory);
        assertFound("meta.properties.tmp", "left-over", Files::createFile);
    }

    @Test
    void shouldFindWrongCheckpoints() throws IOException {
        assertFound("recovery-point-offset-checkpoint", "beyond the end", replace("orders 0 120", "orders 0 121"));
        assertFound(
                "recovery-point-offset-checkpoint", "is not the end of a log", replace("orders 0 120", "orders 0 9"));
        assertFound("replication-offset-checkpoint", "beyond the end", replace("orders 0 100", "orders 0 121"));
        assertFound("replication-offset-checkpoint", "checkpoint is damaged", replace("orders 0", "orders x"));
        assertFound(
                "log-start-offset-checkpoint",
                "log start is beyond the end",
                file -> Files.writeString(file, "0\n1\norders 0 121\n"));
    }

    // A missing last segment shows by the recovery point, a missing first one by the log start.
    @Test
    void shouldFindMissingSegments() throws IOException {
        String last = segment(-1, ".log");
        assertFound(
                "recovery-point-offset-checkpoint",
                "recovery point is beyond the end",
                file -> Files.delete(file.resolveSibling(last)));
        String first = segment(0, ".log");
        assertFound("log-start-offset-checkpoint", "the first segments are missing", file -> {
            Files.writeString(file, "0\n1\norders 0 0\n");
            Files.delete(file.resolveSibling(first));
        });
        assertFound("users-0", "holds no segment", file -> Files.delete(file.resolve("00000000000000000000.log")));
        assertFound("users-0", "the folder of a log is missing", LogVerifyCommandTest::deleteUnchecked);
    }

    private static void deleteUnchecked(Path folder) {
        try {
            deleteAll(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldFindWrongIdentities() throws IOException {
        assertFound("meta.properties", "is missing", Files::delete);
        assertFound("meta.properties", "identity is damaged", replace("directory.id=", "directory.id=x"));
        assertFound("meta.properties", "identity is damaged", replace("cluster.id=", "cluster="));
        assertFound("tidemark.properties", "checksum mismatch", replace("incarnation=3", "incarnation=4"));
        assertFound(
                "tidemark.properties",
                "state of the folder is impossible",
                file -> seal(file, "version=1\nincarnation=3\nintactSince=4\ncontrollerEpoch=-1\n"));
        assertFound("tidemark.clean-stop", "marker of a clean stop is damaged", flip(3));
        assertFound("orders-1/partition.metadata", "names no topic id", replace("topic_id", "topic"));
        assertFound("orders-1/partition.metadata", "is missing", Files::delete);
        assertFound(
                "orders-1/partition.metadata",
                "different topic ids",
                file -> Files.copy(
                        file.resolveSibling("../users-0/partition.metadata"),
                        file,
                        java.nio.file.StandardCopyOption.REPLACE_EXISTING));
    }

    // Batches in front of a hole are as good as those behind it, where the user says so.
    @Test
    void shouldAllowGapsWhenAsked() throws IOException {
        TestSegment.at(0).batch(0, "a").skipTo(7).batch(0, "b").write(root.resolve("copied-0"), 0);
        CommandRun strict = verify(root.resolve("copied-0"));
        assertTrue(strict.out().contains("offsets are missing in front of the batch: from=1, to=7"), strict.describe());
        CommandRun lenient = verify(root.resolve("copied-0"), "--allow-gaps");
        assertTrue(!lenient.out().contains("offsets are missing"), lenient.describe());
    }

    @Test
    void shouldRefuseAFolderInUse() {
        try (LogStore store = LogStore.open(data, LogStoreConfig.defaults())) {
            assertEquals(3, store.existing().size());
            CommandRun run = verify(data);
            assertEquals(1, run.exitCode(), run.describe());
            assertTrue(run.err().contains("data folder is in use"), run.describe());
        }
    }

    @Test
    void shouldRefuseWhatIsNoFolderOfLogs() throws IOException {
        CommandRun absent = verify(root.resolve("absent"));
        assertEquals(1, absent.exitCode());
        assertTrue(absent.err().contains("no such folder"), absent.describe());
        CommandRun other = verify(Files.createDirectory(root.resolve("empty")));
        assertEquals(1, other.exitCode());
        assertTrue(other.err().contains("neither a data folder nor the folder of a partition"), other.describe());
    }
}

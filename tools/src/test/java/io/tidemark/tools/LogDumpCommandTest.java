package io.tidemark.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.BatchBuilder;
import io.tidemark.log.Compression;
import io.tidemark.log.Log;
import io.tidemark.log.LogConfig;
import io.tidemark.log.RecordHeaders;
import io.tidemark.log.TimestampType;
import io.tidemark.tools.verify.PartitionReader;
import io.tidemark.tools.verify.TestSegment;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The output of {@code log dump}, line by line: people and scripts read it. */
class LogDumpCommandTest {
    @TempDir
    Path root = Path.of("");

    private Path partition = Path.of("");
    private Path first = Path.of("");
    private Path second = Path.of("");

    // A partition of two segments; the second with the unused end of a preallocated file.
    @BeforeEach
    void writeSegments() throws IOException {
        partition = root.resolve("orders-0");
        first = TestSegment.at(0).batch(0, "two pears", "a \"quote\"\n").write(partition, 0);
        second = TestSegment.at(2).nullRecord(3).zeros(100).write(partition, 2);
    }

    @Test
    void shouldShowBatches() {
        CommandRun run = CommandRun.of("log", "dump", partition.toString());

        assertEquals(0, run.exitCode(), run.describe());
        assertEquals(
                List.of(
                        "file=" + first,
                        "baseOffset=0 lastOffset=1 count=2 leaderEpoch=0 producerId=7 producerEpoch=1 baseSequence=40"
                                + " baseTimestamp=1000 maxTimestamp=1001 timestampType=create position=0 size=98"
                                + " crc=" + crc(first)
                                + " compression=none transactional=false control=false",
                        "file=" + second,
                        "baseOffset=2 lastOffset=2 count=1 leaderEpoch=3 producerId=7 producerEpoch=1 baseSequence=40"
                                + " baseTimestamp=1000 maxTimestamp=1000 timestampType=create position=0 size=68"
                                + " crc=" + crc(second)
                                + " compression=none transactional=false control=false",
                        "total batches=2 records=3 endOffset=3 unusedBytes=100"),
                run.outLines());
    }

    @Test
    void shouldShowRecords() {
        CommandRun run = CommandRun.of("log", "dump", "--records", second.toString());

        assertEquals(0, run.exitCode(), run.describe());
        assertEquals(4, run.outLines().size(), run.describe());
        assertEquals(
                "  offset=2 timestamp=1000 headers=[] key=null value=null",
                run.outLines().get(2));
    }

    @Test
    void shouldShowJson() {
        CommandRun run = CommandRun.of("log", "dump", "--records", "--json", first.toString());

        assertEquals(0, run.exitCode(), run.describe());
        assertEquals(
                List.of(
                        "{\"file\":\"" + first + "\",\"baseOffset\":0,\"lastOffset\":1,\"count\":2,\"leaderEpoch\":0,"
                                + "\"producerId\":7,\"producerEpoch\":1,\"baseSequence\":40,\"baseTimestamp\":1000,"
                                + "\"maxTimestamp\":1001,\"timestampType\":\"create\","
                                + "\"position\":0,\"size\":98,\"crc\":\"" + crc(first)
                                + "\",\"compression\":\"none\",\"transactional\":false,\"control\":false}",
                        "{\"offset\":0,\"timestamp\":1000,\"headers\":[],\"key\":\"k0\",\"value\":\"two pears\"}",
                        "{\"offset\":1,\"timestamp\":1001,\"headers\":[],\"key\":\"k1\","
                                + "\"value\":\"a \\\"quote\\\"\\u000a\"}"),
                run.outLines());
    }

    // A folder that a log wrote and closed: headers, codecs, a tombstone, the time of the append, marks, both indexes.
    @Test
    void shouldShowEverythingThatABatchCanHold() throws IOException {
        Path store = root.resolve("store");
        LogConfig config = LogConfig.builder()
                .timestampType(TimestampType.APPEND_TIME)
                .indexIntervalBytes(1)
                .build();
        try (Log log = Log.open(store, config)) {
            BatchBuilder builder = new BatchBuilder(4096).compression(Compression.ZSTD);
            builder.append(
                    5,
                    null,
                    utf8("zip".repeat(50)),
                    new RecordHeaders().add("a", utf8("1")).add("b", null));
            builder.append(6, utf8("tombstone"), null);
            log.append(builder.buffer(), 0, builder.build(-1, (short) -1, -1), 0);
            builder.compression(Compression.NONE)
                    .transactional(true)
                    .control(true)
                    .reset();
            builder.append(7, new byte[] {0, 0, 0, 1}, new byte[] {0, 0, 0, 0, 0, 3});
            log.append(builder.buffer(), 0, builder.build(7, (short) 0, -1), 0);
        }

        CommandRun text = CommandRun.of("log", "dump", "--records", "--indexes", store.toString());
        CommandRun json = CommandRun.of("log", "dump", "--records", "--indexes", "--json", store.toString());

        assertEquals(0, text.exitCode(), text.describe());
        String lines =
                text.out().replaceAll("imestamp=[0-9]{13}", "imestamp=NOW").replaceAll("file=.*/", "file=");
        for (String expected : List.of(
                " maxTimestamp=NOW timestampType=append position=0 ",
                " compression=zstd transactional=false control=false\n",
                "  offset=0 timestamp=NOW headers=[a=1 b=null] key=null value=zipzip",
                "  offset=1 timestamp=NOW headers=[] key=tombstone value=null\n",
                " compression=none transactional=true control=true\n",
                " headers=[] marker=commit key=",
                "file=00000000000000000000.index\noffset=2 position=",
                "file=00000000000000000000.timeindex\ntimestamp=NOW offset=",
                "file=00000000000000000000.summary\nversion=1 size=")) {
            assertTrue(lines.contains(expected), expected + " in " + lines);
        }
        assertTrue(
                json.out().contains("\"headers\":[{\"key\":\"a\",\"value\":\"1\"},{\"key\":\"b\",\"value\":null}]"),
                json.describe());
        assertTrue(json.out().contains("\"marker\":\"commit\""), json.describe());
    }

    // All codecs, timestamps that go up and down, several segments: Kafka's dump tool checks batches and both indexes.
    @Test
    void shouldLetKafkasToolCheckEverything() throws IOException {
        LogConfig config = LogConfig.builder()
                .segmentBytes(20_000)
                .batchBytesMax(10_000)
                .indexIntervalBytes(500)
                .build();
        try (Log log = Log.open(root.resolve("store"), config)) {
            BatchBuilder builder = new BatchBuilder(10_000);
            for (int i = 0; i < 500; i++) {
                builder.compression(Compression.ofId(i % 5)).reset();
                for (int j = 0; j < 3; j++) {
                    long timestamp = 1_700_000_000_000L + 10L * i - i % 7 * 30L + j % 2 * 5L;
                    builder.append(
                            timestamp, utf8("key"), utf8("text ".repeat(30)), new RecordHeaders().add("h", null));
                }
                log.append(builder.buffer(), 0, builder.build(-1, (short) -1, -1), i / 100);
            }
        }
        List<Path> segments = PartitionReader.segmentsOf(root.resolve("store").resolve("log-0"));

        assertTrue(segments.size() > 3, segments.toString());
        KafkaDump.assertReadable(segments);
    }

    // One index alone, and one that is damaged.
    @Test
    void shouldShowAnIndexFile() throws IOException {
        Path index = Files.write(partition.resolve("00000000000000000007.timeindex"), new byte[] {
            0, 0, 0, 0, 0, 0, 3, (byte) 0xe8, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 3, (byte) 0xe9, 0, 0, 0, 9
        });

        CommandRun good = CommandRun.of("log", "dump", index.toString());
        Files.write(index, new byte[] {0, 0, 0});
        CommandRun bad = CommandRun.of("log", "dump", index.toString());

        assertEquals(List.of("file=" + index, "timestamp=1000 offset=12", "timestamp=1001 offset=16"), good.outLines());
        assertEquals(1, bad.exitCode(), bad.describe());
        assertTrue(bad.err().contains("an index ends inside an entry: left=3"), bad.describe());
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    // A data folder: each partition in it, and a total for each.
    @Test
    void shouldShowAllPartitionsOfADataFolder() throws IOException {
        TestSegment.at(0).batch(0, "x").write(root.resolve("orders-1"), 0);
        Files.createDirectory(root.resolve("no partition"));

        CommandRun run = CommandRun.of("log", "dump", root.toString());

        assertEquals(0, run.exitCode(), run.describe());
        List<String> totals =
                run.outLines().stream().filter(line -> line.startsWith("total")).toList();
        assertEquals(
                List.of(
                        "total batches=2 records=3 endOffset=3 unusedBytes=100",
                        "total batches=1 records=1 endOffset=1 unusedBytes=0"),
                totals);
    }

    // What is good is shown, then the damage is reported.
    @Test
    void shouldFailAtDamage() throws IOException {
        byte[] bytes = TestSegment.at(0).batch(0, "good").batch(0, "bad").toBytes();
        bytes[bytes.length - 2] ^= 1;
        Files.write(first, bytes);

        CommandRun run = CommandRun.of("log", "dump", first.toString());

        assertEquals(1, run.exitCode(), run.describe());
        assertEquals(2, run.outLines().size(), run.describe());
        assertTrue(
                run.err().startsWith("tidemark log dump: batch checksum mismatch: baseOffset=1, expected=0x"),
                run.describe());
        assertEquals(1, run.err().lines().count());
    }

    private static String crc(Path file) {
        try {
            byte[] bytes = Files.readAllBytes(file);
            return String.format("0x%08x", java.nio.ByteBuffer.wrap(bytes).getInt(17));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}

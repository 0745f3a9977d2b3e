package io.tidemark.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.tools.verify.TestSegment;
import java.io.IOException;
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
                                + " maxTimestamp=1001 position=0 size=98 crc=" + crc(first)
                                + " compression=none control=false",
                        "file=" + second,
                        "baseOffset=2 lastOffset=2 count=1 leaderEpoch=3 producerId=7 producerEpoch=1 baseSequence=40"
                                + " maxTimestamp=1000 position=0 size=68 crc=" + crc(second)
                                + " compression=none control=false",
                        "total batches=2 records=3 endOffset=3 unusedBytes=100"),
                run.outLines());
    }

    @Test
    void shouldShowRecords() {
        CommandRun run = CommandRun.of("log", "dump", "--records", second.toString());

        assertEquals(0, run.exitCode(), run.describe());
        assertEquals(4, run.outLines().size(), run.describe());
        assertEquals(
                "  offset=2 timestamp=1000 headers=0 key=null value=null",
                run.outLines().get(2));
    }

    @Test
    void shouldShowJson() {
        CommandRun run = CommandRun.of("log", "dump", "--records", "--json", first.toString());

        assertEquals(0, run.exitCode(), run.describe());
        assertEquals(
                List.of(
                        "{\"file\":\"" + first + "\",\"baseOffset\":0,\"lastOffset\":1,\"count\":2,\"leaderEpoch\":0,"
                                + "\"producerId\":7,\"producerEpoch\":1,\"baseSequence\":40,\"maxTimestamp\":1001,"
                                + "\"position\":0,\"size\":98,\"crc\":\"" + crc(first)
                                + "\",\"compression\":\"none\",\"control\":false}",
                        "{\"offset\":0,\"timestamp\":1000,\"headers\":0,\"key\":\"k0\",\"value\":\"two pears\"}",
                        "{\"offset\":1,\"timestamp\":1001,\"headers\":0,\"key\":\"k1\","
                                + "\"value\":\"a \\\"quote\\\"\\u000a\"}"),
                run.outLines());
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

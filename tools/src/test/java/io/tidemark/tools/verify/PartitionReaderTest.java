package io.tidemark.tools.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.InvalidBatchException;
import io.tidemark.log.RecordBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The independent reader against files of Tidemark's builder, of Kafka's, and against damage. */
class PartitionReaderTest {
    @TempDir
    Path folder = Path.of("");

    // What Tidemark's builder wrote is read back, field by field, over two segments.
    @Test
    void shouldReadWhatTheBuilderWrote() throws IOException {
        TestSegment.at(0).batch(0, "a", "b").batch(1, "c").write(folder, 0);
        TestSegment.at(3).batch(1, "d").nullRecord(2).write(folder, 3);

        List<String> records = new ArrayList<>();
        try (PartitionReader reader = reader()) {
            for (LoggedBatch batch = reader.next(); batch != null; batch = reader.next()) {
                assertEquals(7, batch.producerId());
                assertEquals(1, batch.producerEpoch());
                assertEquals(40, batch.baseSequence());
                assertEquals("none", batch.compression());
                collect(batch, records);
            }
            assertEquals(5, reader.endOffset());
            assertEquals(0, reader.tailSize());
        }
        assertEquals(
                List.of("0@0 1000 k0=a", "1@0 1001 k1=b", "2@1 1000 k0=c", "3@1 1000 k0=d", "4@2 1000 null=null"),
                records);
    }

    // Kafka's own writer is the other side of the format: headers, timestamps, null keys.
    @Test
    void shouldReadWhatKafkaWrote() throws IOException {
        SimpleRecord plain = new SimpleRecord(5, null, utf8("first"));
        SimpleRecord withHeaders =
                new SimpleRecord(9, utf8("key"), utf8("second"), new RecordHeader[] {new RecordHeader("h", utf8("v"))});
        MemoryRecords records = MemoryRecords.withRecords(10L, Compression.NONE, 3, plain, withHeaders);
        write(0, bytesOf(records));

        try (PartitionReader reader = reader()) {
            LoggedBatch batch = next(reader);
            assertEquals(10, batch.baseOffset());
            assertEquals(11, batch.lastOffset());
            assertEquals(3, batch.leaderEpoch());
            assertEquals(-1, batch.producerId());
            List<String> found = new ArrayList<>();
            collect(batch, found);
            assertEquals(List.of("10@3 5 null=first", "11@3 9 key=second"), found);
            assertNull(reader.next());
        }
    }

    // Compressed batches of Kafka are opened; one whose compressed bytes are damaged is refused with a clear text.
    @Test
    void shouldOpenCompressedBatches() throws IOException {
        byte[] gzip = bytesOf(MemoryRecords.withRecords(
                Compression.gzip().build(), new SimpleRecord(5, null, utf8("x".repeat(1000)))));
        write(0, gzip);

        try (PartitionReader reader = reader()) {
            LoggedBatch batch = next(reader);
            assertEquals("gzip", batch.compression());
            List<String> found = new ArrayList<>();
            collect(batch, found);
            assertEquals(List.of("0@-1 5 null=" + "x".repeat(1000)), found);
        }

        gzip[61] ^= 0x55;
        LoggedBatch damaged = new LoggedBatch(folder, 0, gzip);
        DamagedLogException e =
                assertThrows(DamagedLogException.class, () -> damaged.records(PartitionReaderTest::open));
        assertTrue(text(e).startsWith("the records cannot be opened: "), text(e));
    }

    // A crashed broker leaves the zeros of the preallocated file: no damage.
    @Test
    void shouldEndAtTheZerosOfAPreallocatedFile() throws IOException {
        TestSegment.at(0).batch(0, "a").zeros(700_000).write(folder, 0);

        try (PartitionReader reader = reader()) {
            assertNotNull(reader.next());
            assertNull(reader.next());
            assertEquals(700_000, reader.tailSize());
        }
    }

    // A truncation starts a new file; what the old file holds from there on is dead.
    @Test
    void shouldNotReturnWhatLiesBehindTheNextSegment() throws IOException {
        TestSegment.at(0).batch(0, "a", "b").batch(0, "dead").write(folder, 0);
        TestSegment.at(2).batch(1, "alive").write(folder, 2);

        List<String> records = new ArrayList<>();
        try (PartitionReader reader = reader()) {
            for (LoggedBatch batch = reader.next(); batch != null; batch = reader.next()) {
                collect(batch, records);
            }
            assertTrue(reader.tailSize() > 0);
        }
        assertEquals(List.of("0@0 1000 k0=a", "1@0 1001 k1=b", "2@1 1000 k0=alive"), records);
    }

    // Every single flipped bit of a batch behind its length and epoch is found by the checksum.
    @Test
    void shouldFindEveryFlippedBit() throws IOException {
        byte[] good = TestSegment.at(0).batch(0, "value").toBytes();
        for (int index = 16; index < good.length; index++) {
            for (int bit = 0; bit < 8; bit++) {
                byte[] bad = good.clone();
                bad[index] ^= (byte) (1 << bit);
                write(0, bad);
                try (PartitionReader reader = reader()) {
                    DamagedLogException e = assertThrows(DamagedLogException.class, reader::next);
                    assertTrue(text(e).contains("position=0"), text(e));
                }
            }
        }
    }

    // The text says what, where, and both values.
    @Test
    void shouldSayWhereTheChecksumIsWrong() throws IOException {
        byte[] first = TestSegment.at(0).batch(0, "value").toBytes();
        byte[] both = TestSegment.at(0).batch(0, "value").batch(0, "other").toBytes();
        both[both.length - 1] ^= 1;
        Path file = write(0, both);

        try (PartitionReader reader = reader()) {
            assertNotNull(reader.next());
            DamagedLogException e = assertThrows(DamagedLogException.class, reader::next);
            assertTrue(
                    text(e).matches("batch checksum mismatch: baseOffset=1, expected=0x[0-9a-f]{8}, "
                            + "actual=0x[0-9a-f]{8}: file=.*, position=" + first.length),
                    text(e));
            assertTrue(text(e).contains(file.toString()), text(e));
        }
    }

    // Each way of a batch not fitting into its file has its text.
    @Test
    void shouldRefuseBatchesThatDoNotFit() throws IOException {
        byte[] good = TestSegment.at(0).batch(0, "value").toBytes();
        assertDamage(java.util.Arrays.copyOf(good, 30), "the file ends inside a batch header: left=30");
        assertDamage(
                java.util.Arrays.copyOf(good, good.length - 1), "a batch does not fit into its file: baseOffset=0");
        assertDamage(withInt(good, 8, -5), "a batch does not fit into its file: baseOffset=0");
        assertDamage(withInt(good, 8, Integer.MAX_VALUE), "a batch does not fit into its file: baseOffset=0");
        assertDamage(withInt(good, 8, 0), "a batch has no length: baseOffset=0");
        assertDamage(withInt(good, 8, 10), "a batch does not fit into its file: baseOffset=0, size=22");
    }

    // Offsets and epochs only grow, within a file and from file to file.
    @Test
    void shouldRefuseOffsetsAndEpochsThatGoBack() throws IOException {
        TestSegment.at(5).batch(1, "a").skipTo(5).batch(1, "b").write(folder, 0);
        assertDamage("offsets go back: baseOffset=5, expected at least=6");

        TestSegment.at(0).batch(2, "a").batch(1, "b").write(folder, 0);
        assertDamage("leader epochs go back: baseOffset=1, leaderEpoch=1, before=2");

        TestSegment.at(0).batch(1, "a").skipTo(9).batch(1, "gaps are allowed").write(folder, 0);
        try (PartitionReader reader = reader()) {
            next(reader);
            assertEquals(9, next(reader).baseOffset());
        }
    }

    private void assertDamage(byte[] bytes, String text) throws IOException {
        write(0, bytes);
        assertDamage(text);
    }

    private void assertDamage(String expected) throws IOException {
        try (PartitionReader reader = reader()) {
            DamagedLogException e = assertThrows(DamagedLogException.class, () -> {
                while (reader.next() != null) {
                    assertTrue(reader.endOffset() > 0);
                }
            });
            assertTrue(text(e).startsWith(expected), text(e));
        }
    }

    private static String text(Exception e) {
        return String.valueOf(e.getMessage());
    }

    private static byte[] withInt(byte[] bytes, int index, int value) {
        byte[] copy = bytes.clone();
        ByteBuffer.wrap(copy).putInt(index, value);
        return copy;
    }

    private PartitionReader reader() throws IOException {
        return new PartitionReader(PartitionReader.segmentsOf(folder));
    }

    private static LoggedBatch next(PartitionReader reader) throws IOException {
        LoggedBatch batch = reader.next();
        assertNotNull(batch);
        return batch;
    }

    private Path write(long baseOffset, byte[] bytes) throws IOException {
        return Files.write(folder.resolve(String.format("%020d.log", baseOffset)), bytes);
    }

    private static byte[] bytesOf(MemoryRecords records) {
        byte[] bytes = new byte[records.sizeInBytes()];
        records.buffer().duplicate().get(bytes);
        return bytes;
    }

    private static ByteBuffer open(byte[] batch) {
        try {
            return ByteBuffer.wrap(new RecordBatch()
                    .wrap(new UnsafeBuffer(batch), 0, batch.length)
                    .recordBytes());
        } catch (InvalidBatchException damaged) {
            throw new IllegalArgumentException(damaged.getMessage(), damaged);
        }
    }

    private static void collect(LoggedBatch batch, List<String> into) throws IOException {
        RecordWalk walk = batch.records(PartitionReaderTest::open);
        for (LoggedRecord record = walk.next(); record != null; record = walk.next()) {
            into.add(record.offset() + "@" + batch.leaderEpoch() + " " + record.timestamp() + " " + text(record.key())
                    + "=" + text(record.value()));
        }
    }

    private static String text(@Nullable ByteBuffer bytes) {
        return bytes == null
                ? "null"
                : StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}

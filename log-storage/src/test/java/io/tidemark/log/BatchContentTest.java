package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Everything that a record and a batch can hold, byte for byte as Kafka's classes write and read it. */
class BatchContentTest {
    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] built(BatchBuilder builder) {
        final byte[] bytes = new byte[builder.length()];
        builder.buffer().getBytes(0, bytes);
        return bytes;
    }

    private static byte[] array(MemoryRecords records) {
        final byte[] bytes = new byte[records.sizeInBytes()];
        records.buffer().duplicate().get(bytes);
        return bytes;
    }

    // Headers with null and empty values, repeated and non-ASCII keys; null and empty keys and values; no timestamp.
    @Test
    void shouldWriteRecordsAsKafkaDoes() {
        final Header[] headers = {
            new RecordHeader("trace", bytes("4711")),
            new RecordHeader("trace", new byte[0]),
            new RecordHeader("größe", null),
            new RecordHeader("", bytes("x"))
        };
        final MemoryRecords kafka = MemoryRecords.withRecords(
                Compression.NONE,
                new SimpleRecord(50, bytes("k"), bytes("v"), headers),
                new SimpleRecord(40, null, (byte[]) null),
                new SimpleRecord(90, new byte[0], new byte[0]),
                new SimpleRecord(-1, bytes("tombstone"), null));
        final RecordHeaders ours = new RecordHeaders()
                .add("trace", bytes("4711"))
                .add(bytes("trace"), new byte[0])
                .add("größe", null)
                .add(bytes(""), new UnsafeBuffer(bytes("axb")), 1, 1);
        final BatchBuilder builder = new BatchBuilder(1000);
        builder.append(50, bytes("k"), bytes("v"), ours);
        builder.append(40, null, null);
        builder.append(90, new byte[0], new byte[0], new RecordHeaders());
        builder.append(-1, bytes("tombstone"), null);
        builder.build(-1, (short) -1, -1);
        assertEquals(HexFormat.of().formatHex(array(kafka)), HexFormat.of().formatHex(built(builder)));
    }

    // The same read back: a cursor over headers, nulls told from empties.
    @Test
    void shouldReadHeadersBack() {
        final RecordHeaders headers = new RecordHeaders();
        final BatchBuilder builder = new BatchBuilder(1000);
        headers.add("one", bytes("1")).add("none", null).add("one", new byte[0]);
        builder.append(1, null, bytes("first"), headers);
        headers.clear().add("last", bytes("9"));
        builder.append(2, bytes("key"), null, headers);
        builder.append(3, null, bytes("bare"));
        builder.build(-1, (short) -1, -1);
        final RecordCursor records =
                new RecordBatch().wrap(builder.buffer(), 0, builder.length()).records();
        assertTrue(records.next());
        assertEquals(3, records.headersCount());
        final HeaderCursor first = records.headers();
        assertTrue(first.next());
        assertEquals("one", first.key());
        assertArrayEquals(bytes("1"), first.value());
        assertTrue(first.next());
        assertEquals("none", first.key());
        assertNull(first.value());
        assertEquals(-1, first.valueLength());
        assertTrue(first.next());
        assertEquals(0, first.valueLength());
        assertFalse(first.next());
        assertTrue(records.next());
        assertEquals(-1, records.valueLength());
        final HeaderCursor second = records.headers();
        assertTrue(second.next());
        assertEquals("last", second.key());
        assertFalse(second.next());
        assertTrue(records.next());
        assertFalse(records.headers().next());
        assertFalse(records.next());
    }

    // Control and transactional bits come out as they went in, and Kafka sees the same.
    @Test
    void shouldCarryControlAndTransactionalBits(@TempDir Path folder) {
        final BatchBuilder builder = new BatchBuilder(1000).transactional(true);
        builder.append(7, null, bytes("in a transaction"));
        builder.build(12, (short) 3, 5);
        final DefaultRecordBatch kafka = kafkaBatch(built(builder));
        assertTrue(kafka.isTransactional());
        assertFalse(kafka.isControlBatch());
        final MemoryRecords marker = MemoryRecords.withEndTransactionMarker(
                8L, 12L, (short) 3, new EndTransactionMarker(ControlRecordType.COMMIT, 1));
        builder.reset();
        builder.control(true);
        for (final Record record : marker.records()) {
            builder.append(record.timestamp(), remaining(record.key()), remaining(record.value()));
        }
        builder.build(12, (short) 3, -1);
        try (Log log = Log.open(folder, LogConfig.defaults())) {
            final UnsafeBuffer theirs = new UnsafeBuffer(array(marker));
            log.append(theirs, 0, theirs.capacity(), 0);
            log.append(builder.buffer(), 0, builder.length(), 0);
            final List<String> seen = new ArrayList<>();
            log.forEachBatch(
                    0,
                    2,
                    batch -> seen.add(batch.isControl() + " " + batch.isTransactional() + " " + batch.producerId() + " "
                            + batch.baseSequence() + " " + batch.recordCount()));
            assertEquals(List.of("true true 12 -1 1", "true true 12 -1 1"), seen);
        }
    }

    private static byte[] remaining(ByteBuffer buffer) {
        final byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    /** Kafka's view of one batch. */
    private static DefaultRecordBatch kafkaBatch(byte[] bytes) {
        return (DefaultRecordBatch) MemoryRecords.readableRecords(ByteBuffer.wrap(bytes))
                .batches()
                .iterator()
                .next();
    }

    // The time of the append: greatest timestamp, attribute bit and checksum change as Kafka changes them, nothing else
    // does, and the caller's bytes stay as they were.
    @Test
    void shouldStampTheTimeOfTheAppendAsKafkaDoes(@TempDir Path folder) {
        final LogConfig config = LogConfig.builder()
                .timestampType(io.tidemark.log.TimestampType.APPEND_TIME)
                .build();
        final BatchBuilder builder = new BatchBuilder(1000);
        builder.append(50, null, bytes("a"));
        builder.append(70, null, bytes("b"));
        builder.build(4, (short) 0, 2);
        final byte[] given = built(builder);
        final byte[] copy = given.clone();
        final DefaultRecordBatch kafka = kafkaBatch(copy);
        kafka.setMaxTimestamp(TimestampType.LOG_APPEND_TIME, 123_456);
        kafka.setLastOffset(1);
        kafka.setPartitionLeaderEpoch(5);
        try (LogStore store = new TestClock(123_456).store(folder);
                Log log = store.openLog(new TopicPartition("log", 0), store.newId(), config)) {
            for (final UnsafeBuffer memory :
                    List.of(new UnsafeBuffer(given), new UnsafeBuffer(direct(given), 0, given.length))) {
                log.append(memory, 0, given.length, 5);
                assertArrayEquals(built(builder), given);
            }
            try (LogSlice slice = new LogSlice()) {
                assertTrue(log.read(0, 1, 2, slice));
                final byte[] stored = new byte[slice.length()];
                slice.buffer().getBytes(slice.index(), stored);
                assertArrayEquals(copy, stored);
                final RecordBatch batch = new RecordBatch().wrap(slice.buffer(), slice.index(), slice.length());
                assertEquals(io.tidemark.log.TimestampType.APPEND_TIME, batch.timestampType());
                batch.ensureValid();
                final RecordCursor records = batch.records();
                assertTrue(records.next());
                assertTrue(records.next());
                assertEquals(123_456, records.timestamp());
                // A batch that says so already is refused: only the leader knows its time.
                final UnsafeBuffer stamped = new UnsafeBuffer(stored);
                final InvalidBatchException refused =
                        assertThrows(InvalidBatchException.class, () -> log.append(stamped, 0, stamped.capacity(), 5));
                assertTrue(String.valueOf(refused.getMessage()).contains("field=attributes"), refused.getMessage());
                // A follower keeps what its leader stamped.
                stamped.putLong(0, 4, ByteOrder.BIG_ENDIAN);
                assertEquals(6, log.appendReplicated(stamped, 0, stamped.capacity(), 5));
                assertEquals(123_456, log.maxTimestamp());
            }
        }
    }

    private static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    // What a builder refuses at once, each with its limit.
    @Test
    void shouldRefuseWhatNoBatchMayHold() {
        final BatchBuilder builder = new BatchBuilder(200);
        assertThrows(IllegalStateException.class, () -> builder.build(-1, (short) -1, -1));
        assertThrows(IllegalArgumentException.class, () -> builder.append(-2, null, bytes("v")));
        final RecordHeaders headers = new RecordHeaders().add("k", new byte[100]);
        assertFalse(builder.hasRoomFor(-1, 10, headers.sizeInBytes()));
        assertTrue(builder.hasRoomFor(-1, 10));
        assertThrows(IllegalStateException.class, () -> builder.append(1, null, new byte[10], headers));
        assertEquals(0, builder.recordCount());
        builder.append(1, null, new byte[10]);
        builder.build(-1, (short) -1, -1);
        assertThrows(IllegalStateException.class, () -> builder.append(1, null, null));
        builder.reset();
        builder.append(1, null, null);
        assertThrows(
                IllegalArgumentException.class, () -> new RecordHeaders().add("k", new byte[RecordHeaders.BYTES_MAX]));
    }

    // Each field of a record in turn says what cannot be; the checksum is right. A leader refuses and names the field.
    @Test
    void shouldNameTheFieldThatIsWrong(@TempDir Path folder) {
        final BatchBuilder builder = new BatchBuilder(1000);
        builder.append(5, bytes("key"), bytes("value"), new RecordHeaders().add("h", bytes("x")));
        builder.build(-1, (short) -1, -1);
        final byte[] good = built(builder);
        // length, attributes, timestampDelta, offsetDelta, keyLength "key", valueLength "value", headers, ...
        final List<String> problems = new ArrayList<>();
        try (Log log = Log.open(folder, LogConfig.defaults())) {
            for (final int[] change : new int[][] {
                {61, 1, 0},
                {61, 0x7e, 0},
                {63, 0x03, 0},
                {64, 2, 0},
                {65, 0x7e, 0},
                {69, 0x7e, 0},
                {75, 0x7f, 0},
                {75, 0x03, 0},
                {76, 0x01, 0},
                {78, 0x7e, 0},
                {42, 6, 0},
                {22, 8, 0},
                {26, 1, 0},
                {60, 2, 0},
                {22, 7, 0}
            }) {
                final byte[] bad = good.clone();
                bad[change[0]] = (byte) change[1];
                final CRC32C crc = new CRC32C();
                crc.update(bad, 21, bad.length - 21);
                final UnsafeBuffer batch = new UnsafeBuffer(bad);
                batch.putInt(17, (int) crc.getValue(), ByteOrder.BIG_ENDIAN);
                final InvalidBatchException refused = assertThrows(
                        InvalidBatchException.class, () -> log.append(batch, 0, bad.length, 0), "byte " + change[0]);
                problems.add(
                        change[0] + " " + String.valueOf(refused.getMessage()).replaceAll(": log=.*", ""));
            }
            assertEquals(0, log.logEndOffset());
        }
        assertEquals(
                List.of(
                        "61 field=length of a record does not fit the batch",
                        "61 field=length of a record does not fit the batch",
                        "63 field=maxTimestamp is not the greatest timestamp of the records, or one is below -1",
                        "64 field=offsetDelta of a record does not continue the one before",
                        "65 field=key of a record does not fit the record",
                        "69 field=value of a record does not fit the record",
                        "75 field=headers of a record do not fit the record",
                        "75 field=headers of a record do not fit the record",
                        "76 field=headers of a record do not fit the record",
                        "78 field=headers of a record do not fit the record",
                        "42 field=maxTimestamp is not the greatest timestamp of the records, or one is below -1",
                        "22 field=attributes claims the append time, which only a leader sets",
                        "26 record count and last offset delta contradict each other",
                        "60 record count and last offset delta contradict each other",
                        "22 attributes name an unknown compression codec"),
                problems);
    }
}

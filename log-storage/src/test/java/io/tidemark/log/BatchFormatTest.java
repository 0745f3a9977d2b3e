package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.format.Varint;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bytes of a batch: fixed ones, Kafka's, and hostile ones. */
class BatchFormatTest {
    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] built(BatchBuilder builder, int length) {
        final byte[] bytes = new byte[length];
        builder.buffer().getBytes(0, bytes);
        return bytes;
    }

    // A batch written down once by hand and by Kafka: a change of a single byte is a change of the format.
    @Test
    void shouldBuildTheGoldenBatch() {
        final BatchBuilder builder = new BatchBuilder(1000);
        builder.append(1_700_000_000_000L, bytes("k"), bytes("value"));
        builder.append(1_700_000_000_007L, null, new byte[0]);
        final int length = builder.build(9, (short) 2, 40);
        final MemoryRecords kafka = MemoryRecords.withIdempotentRecords(
                0L,
                Compression.NONE,
                9L,
                (short) 2,
                40,
                RecordBatch.NO_PARTITION_LEADER_EPOCH,
                new SimpleRecord(1_700_000_000_000L, bytes("k"), bytes("value")),
                new SimpleRecord(1_700_000_000_007L, null, new byte[0]));
        final ByteBuffer expected = kafka.buffer().duplicate();
        final byte[] golden = new byte[expected.remaining()];
        expected.get(golden);
        assertEquals(HexFormat.of().formatHex(golden), HexFormat.of().formatHex(built(builder, length)));
        assertEquals(
                "0000000000000000" + "00000045" + "ffffffff" + "02" + "7212fdcd" + "0000" + "00000001"
                        + "0000018bcfe56800" + "0000018bcfe56807" + "0000000000000009" + "0002" + "00000028"
                        + "00000002" + "18000000026b0a76616c756500" + "0c000e02010000",
                HexFormat.of().formatHex(golden));
    }

    // A batch that is sent again after the producer's epoch was raised.
    @Test
    void shouldRestampProducerState() {
        final BatchBuilder builder = new BatchBuilder(1000);
        builder.append(5, null, bytes("a"));
        builder.append(6, null, bytes("b"));
        builder.build(1, (short) 0, Integer.MAX_VALUE);
        builder.restamp(1, (short) 1, 0);
        final io.tidemark.log.RecordBatch batch =
                new io.tidemark.log.RecordBatch().wrap(builder.buffer(), 0, builder.length());
        assertTrue(batch.isValid());
        assertEquals(1, batch.producerEpoch());
        assertEquals(0, batch.baseSequence());
        assertEquals(1, batch.lastSequence());
        builder.restamp(1, (short) 1, Integer.MAX_VALUE);
        assertEquals(0, batch.lastSequence());
    }

    // Every single flipped byte is met by an exception of ours or by an unchanged log, never by anything else.
    @Test
    void shouldRefuseEveryFlippedByte(@TempDir Path folder) {
        final UnsafeBuffer good = TestBatches.batch("one", "two", "three");
        try (Log log = Log.open(folder, LogConfig.defaults())) {
            for (int i = 8; i < good.capacity(); i++) {
                final byte[] flipped = new byte[good.capacity()];
                good.getBytes(0, flipped);
                flipped[i] ^= 0x41;
                final UnsafeBuffer bad = new UnsafeBuffer(flipped);
                if (i < 12 || i >= 16) {
                    assertThrows(InvalidBatchException.class, () -> log.append(bad, 0, bad.capacity(), 0), "byte " + i);
                }
            }
            assertEquals(0, log.logEndOffset());
            assertThrows(InvalidBatchException.class, () -> log.append(good, 0, good.capacity() - 1, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> log.append(good, 1, good.capacity(), 0));
            assertEquals(0, log.append(good, 0, good.capacity(), 0));
        }
    }

    // The limit of a batch's size, at it and past it.
    @Test
    void shouldRefuseABatchPastTheLimit(@TempDir Path folder) {
        final UnsafeBuffer batch = TestBatches.batch("x".repeat(3000));
        final int size = batch.capacity();
        final LogConfig exact =
                LogConfig.builder().segmentBytes(size).batchBytesMax(size).build();
        try (Log log = Log.open(folder.resolve("exact"), exact)) {
            assertEquals(0, log.append(batch, 0, size, 0));
            assertEquals(1, log.append(batch, 0, size, 0));
        }
        final LogConfig less =
                LogConfig.builder().segmentBytes(size).batchBytesMax(size - 1).build();
        try (Log log = Log.open(folder.resolve("less"), less)) {
            assertThrows(InvalidBatchException.class, () -> log.append(batch, 0, size, 0));
        }
    }

    // A direct byte buffer that begins somewhere is summed at the right place.
    @Test
    void shouldHonourWhereABufferBegins(@TempDir Path folder) {
        final UnsafeBuffer batch = TestBatches.batch("direct");
        final ByteBuffer direct = ByteBuffer.allocateDirect(1000);
        final UnsafeBuffer shifted = new UnsafeBuffer(direct, 100, 800);
        shifted.putBytes(50, batch, 0, batch.capacity());
        final byte[] array = new byte[1000];
        final UnsafeBuffer inArray = new UnsafeBuffer(array, 10, 900);
        inArray.putBytes(3, batch, 0, batch.capacity());
        try (Log log = Log.open(folder, LogConfig.defaults())) {
            assertEquals(0, log.append(shifted, 50, batch.capacity(), 0));
            assertEquals(1, log.append(inArray, 3, batch.capacity(), 0));
            assertEquals(2, TestBatches.records(log, 0).size());
        }
    }

    @Property
    void shouldReadBackEveryVarint(@ForAll int number, @ForAll long big) {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[20]);
        final int intEnd = Varint.putInt(buffer, 0, number);
        assertEquals(Varint.sizeOf(number), intEnd);
        assertEquals(intEnd, Varint.lengthAt(buffer, 0, 20, Varint.INT_BYTES_MAX));
        assertEquals(Varint.MALFORMED, Varint.lengthAt(buffer, 0, intEnd - 1, Varint.INT_BYTES_MAX));
        assertEquals(number, Varint.getInt(buffer, 0, intEnd));
        final int longEnd = Varint.putLong(buffer, 0, big);
        assertEquals(Varint.sizeOf(big), longEnd);
        assertEquals(big, Varint.getLong(buffer, 0, longEnd));
    }

    // Hostile bytes under a good header end in our exception.
    @Property
    void shouldSurviveHostileRecords(@ForAll byte[] hostile) {
        final BatchBuilder builder = new BatchBuilder(2000 + hostile.length);
        builder.append(1, bytes("key"), bytes("value"));
        builder.append(2, bytes("key"), hostile);
        final int length = builder.build(-1, (short) -1, -1);
        final byte[] batch = built(builder, length);
        for (int i = 0; i < hostile.length && 61 + i < batch.length; i++) {
            batch[61 + i] = hostile[i];
        }
        final RecordCursor cursor = new io.tidemark.log.RecordBatch()
                .wrap(new UnsafeBuffer(batch), 0, length)
                .records();
        try {
            while (cursor.next()) {
                assertTrue(cursor.key().length + cursor.value().length <= length);
            }
        } catch (final InvalidBatchException e) {
            assertFalse(String.valueOf(e.getMessage()).isEmpty());
        }
    }

    @Test
    void shouldGiveBackKeyValueAndNull() {
        final BatchBuilder builder = new BatchBuilder(1000);
        builder.append(10, bytes("key"), bytes("value"));
        builder.append(7, null, null);
        builder.build(-1, (short) -1, -1);
        final io.tidemark.log.RecordBatch batch =
                new io.tidemark.log.RecordBatch().wrap(builder.buffer(), 0, builder.length());
        final RecordCursor cursor = batch.records();
        assertTrue(cursor.next());
        assertArrayEquals(bytes("key"), cursor.key());
        assertArrayEquals(bytes("value"), cursor.value());
        assertEquals(10, cursor.timestamp());
        assertTrue(cursor.next());
        assertEquals(-1, cursor.keyLength());
        assertEquals(-1, cursor.valueLength());
        assertEquals(7, cursor.timestamp());
        assertFalse(cursor.next());
        assertEquals(10, batch.maxTimestamp());
        assertEquals(-1, batch.baseSequence());
        assertEquals(-1, batch.lastSequence());
    }
}

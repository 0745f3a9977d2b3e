package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.codec.Decompressor;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Every codec: Kafka reads what we write and we read what Kafka writes; hostile bytes; a missing library. */
class CompressionTest {
    @TempDir
    Path folder;

    /** A batch that takes several blocks of any codec, and is well compressible. */
    private static BatchBuilder large(Compression compression) {
        final BatchBuilder builder = new BatchBuilder(400_000).compression(compression);
        final SplittableRandom random = new SplittableRandom(4);
        for (int i = 0; i < 300; i++) {
            final byte[] noise = new byte[40];
            random.nextBytes(noise);
            builder.append(
                    1000 + i,
                    ("key-" + i).getBytes(StandardCharsets.UTF_8),
                    ("value-" + i + "-" + "z".repeat(900) + new String(noise, StandardCharsets.ISO_8859_1))
                            .getBytes(StandardCharsets.UTF_8),
                    new RecordHeaders().add("h" + i % 3, noise));
        }
        builder.build(-1, (short) -1, -1);
        return builder;
    }

    private static byte[] built(BatchBuilder builder) {
        final byte[] bytes = new byte[builder.length()];
        builder.buffer().getBytes(0, bytes);
        return bytes;
    }

    private static List<String> lines(RecordBatch batch) {
        final List<String> lines = new ArrayList<>();
        final RecordCursor records = batch.records();
        while (records.next()) {
            final StringBuilder line = new StringBuilder();
            line.append(records.offset())
                    .append(' ')
                    .append(records.timestamp())
                    .append(' ');
            line.append(Arrays.hashCode(records.key())).append(' ').append(Arrays.hashCode(records.value()));
            final HeaderCursor headers = records.headers();
            while (headers.next()) {
                line.append(' ').append(headers.key()).append('=').append(Arrays.hashCode(headers.value()));
            }
            lines.add(line.toString());
        }
        return lines;
    }

    private static List<String> linesOfKafka(byte[] bytes) {
        final List<String> lines = new ArrayList<>();
        for (final MutableRecordBatch batch :
                MemoryRecords.readableRecords(ByteBuffer.wrap(bytes)).batches()) {
            batch.ensureValid();
            for (final Record record : batch) {
                final StringBuilder line = new StringBuilder();
                line.append(record.offset())
                        .append(' ')
                        .append(record.timestamp())
                        .append(' ');
                line.append(Arrays.hashCode(array(record.key()))).append(' ');
                line.append(Arrays.hashCode(array(record.value())));
                for (final var header : record.headers()) {
                    line.append(' ').append(header.key()).append('=').append(Arrays.hashCode(header.value()));
                }
                lines.add(line.toString());
            }
        }
        return lines;
    }

    private static byte[] array(ByteBuffer buffer) {
        final byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void shouldWriteWhatKafkaReads(Compression compression) {
        final BatchBuilder builder = large(compression);
        final byte[] bytes = built(builder);
        final RecordBatch batch = new RecordBatch().wrap(new UnsafeBuffer(bytes), 0, bytes.length);
        assertEquals(compression, batch.compression());
        assertEquals(compression != Compression.NONE, bytes.length < 100_000, "length " + bytes.length);
        final List<String> plain =
                lines(new RecordBatch().wrap(large(Compression.NONE).buffer(), 0, 400_000));
        assertEquals(300, plain.size());
        assertEquals(plain, lines(batch));
        assertEquals(plain, linesOfKafka(bytes));
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void shouldReadWhatKafkaWrites(Compression compression) {
        final SimpleRecord[] records = new SimpleRecord[300];
        for (int i = 0; i < records.length; i++) {
            records[i] = new SimpleRecord(
                    5000 - i,
                    ("key-" + i).getBytes(StandardCharsets.UTF_8),
                    ("value-" + "y".repeat(i * 5)).getBytes(StandardCharsets.UTF_8));
        }
        final MemoryRecords kafka = MemoryRecords.withRecords(kafkaCodec(compression), records);
        final byte[] bytes = array(kafka.buffer());
        final List<String> expected = linesOfKafka(bytes);
        assertEquals(300, expected.size());
        try (Log log = Log.open(folder, LogConfig.defaults())) {
            // Appending as leader opens the batch and checks its records.
            log.append(new UnsafeBuffer(bytes), 0, bytes.length, 0);
            log.forEachBatch(0, 300, batch -> {
                assertEquals(compression, batch.compression());
                assertEquals(expected, lines(batch));
            });
        }
    }

    static org.apache.kafka.common.compress.Compression kafkaCodec(Compression compression) {
        return switch (compression) {
            case NONE -> org.apache.kafka.common.compress.Compression.NONE;
            case GZIP -> org.apache.kafka.common.compress.Compression.gzip().build();
            case SNAPPY -> org.apache.kafka.common.compress.Compression.snappy().build();
            case LZ4 -> org.apache.kafka.common.compress.Compression.lz4().build();
            case ZSTD -> org.apache.kafka.common.compress.Compression.zstd().build();
        };
    }

    // One short record: compressed it would be larger, so it stays as it is.
    @ParameterizedTest
    @EnumSource(Compression.class)
    void shouldLeaveABatchThatWouldNotShrink(Compression compression) {
        final BatchBuilder builder = new BatchBuilder(1000).compression(compression);
        builder.append(1, null, new byte[] {3, 1, 4, 1, 5});
        builder.build(-1, (short) -1, -1);
        final RecordBatch batch = new RecordBatch().wrap(builder.buffer(), 0, builder.length());
        assertEquals(Compression.NONE, batch.compression());
        assertTrue(batch.isValid());
        assertTrue(batch.records().next());
    }

    // A bomb: 8 MiB of zeros where 1 MiB is allowed.
    @ParameterizedTest
    @EnumSource(value = Compression.class, mode = Mode.EXCLUDE, names = "NONE")
    void shouldRefuseABomb(Compression compression) {
        final BatchBuilder builder = new BatchBuilder((8 << 20) + 1000).compression(compression);
        builder.append(1, null, new byte[8 << 20]);
        builder.build(-1, (short) -1, -1);
        final Decompressor opener = new Decompressor(0, 1 << 20);
        final InvalidBatchException refused =
                assertThrows(InvalidBatchException.class, () -> opener.open(builder.buffer(), 0, builder.length()));
        assertTrue(String.valueOf(refused.getMessage()).contains("decompressedBytesMax=1048576"), refused.getMessage());
        assertEquals((8 << 20) + 13, new Decompressor(0, 16 << 20).open(builder.buffer(), 0, builder.length()));
    }

    // The limit that leader and reader share: 64 MiB, whatever the size of the batch.
    @Test
    void shouldRefuseABombAsLeaderAndAsReader() {
        final int bytes = Compression.DECOMPRESSED_BYTES_MAX + 1;
        final BatchBuilder builder = new BatchBuilder(bytes + 1000).compression(Compression.ZSTD);
        builder.append(1, null, new byte[bytes]);
        builder.build(-1, (short) -1, -1);
        final RecordBatch batch = new RecordBatch().wrap(builder.buffer(), 0, builder.length());
        assertTrue(batch.sizeInBytes() < 100_000);
        final InvalidBatchException refused = assertThrows(InvalidBatchException.class, batch::records);
        assertTrue(
                String.valueOf(refused.getMessage()).contains("decompressedBytesMax=67108864"), refused.getMessage());
        try (Log log = Log.open(folder, LogConfig.defaults())) {
            assertThrows(InvalidBatchException.class, () -> log.append(builder.buffer(), 0, builder.length(), 0));
            assertEquals(0, log.logEndOffset());
        }
    }

    // Compressed bytes that were changed under a good checksum: only our exception, never more memory than allowed.
    @ParameterizedTest
    @EnumSource(value = Compression.class, mode = Mode.EXCLUDE, names = "NONE")
    void shouldSurviveHostileCompressedBytes(Compression compression) {
        final long seed = Long.getLong("tidemark.seed", 41);
        System.err.println("seed=" + seed + "; replay: -Dtest=CompressionTest -Dtidemark.seed=" + seed);
        final SplittableRandom random = new SplittableRandom(seed);
        final BatchBuilder builder = new BatchBuilder(20_000).compression(compression);
        for (int i = 0; i < 20; i++) {
            builder.append(i, null, ("text " + "a".repeat(300) + i).getBytes(StandardCharsets.UTF_8));
        }
        builder.build(-1, (short) -1, -1);
        final byte[] good = built(builder);
        final Decompressor opener = new Decompressor(0, 1 << 20);
        final RecordBatch view = new RecordBatch();
        int refused = 0;
        for (int run = 0; run < 3000; run++) {
            final byte[] bad = good.clone();
            for (int i = random.nextInt(3); i >= 0; i--) {
                bad[61 + random.nextInt(bad.length - 61)] = (byte) random.nextInt(256);
            }
            final UnsafeBuffer batch = new UnsafeBuffer(bad, 0, bad.length - random.nextInt(2) * random.nextInt(30));
            batch.putInt(8, batch.capacity() - 12, ByteOrder.BIG_ENDIAN);
            try {
                assertTrue(opener.open(batch, 0, batch.capacity()) <= 1 << 20);
                final RecordCursor records =
                        view.wrap(batch, 0, batch.capacity()).records();
                while (records.next()) {
                    assertTrue(records.valueLength() < 20_000);
                }
            } catch (final InvalidBatchException e) {
                refused++;
                assertFalse(String.valueOf(e.getMessage()).isEmpty());
            }
        }
        assertTrue(refused > 1000, "refused " + refused);
    }

    // A block of snappy that claims 1 GiB: nothing is reserved for it, and the field and the codec are named.
    @Test
    void shouldNotBelieveTheLengthThatABlockClaims() {
        final byte[] bytes = new byte[61 + 16 + 4 + 6];
        final ByteBuffer batch = ByteBuffer.wrap(bytes);
        batch.putInt(8, bytes.length - 12).put(16, (byte) 2).putShort(21, (short) 2);
        batch.putInt(57, 1).putLong(43, -1).putShort(51, (short) -1).putInt(53, -1);
        batch.position(61);
        batch.putLong(0x82534e4150505900L).putInt(1).putInt(1).putInt(6);
        batch.put(new byte[] {(byte) 0x80, (byte) 0x80, (byte) 0x80, (byte) 0x80, 4, 0});
        final RecordBatch view = new RecordBatch().wrap(new UnsafeBuffer(bytes), 0, bytes.length);
        final InvalidBatchException refused = assertThrows(InvalidBatchException.class, view::records);
        assertTrue(String.valueOf(refused.getMessage()).contains("field=records, codec=snappy"), refused.getMessage());
    }

    // A leader opens what it is given: a compressed batch whose records contradict its header is refused.
    @ParameterizedTest
    @EnumSource(value = Compression.class, mode = Mode.EXCLUDE, names = "NONE")
    void shouldRefuseACompressedBatchWithWrongRecords(Compression compression) {
        final BatchBuilder builder = large(compression);
        final byte[] bytes = built(builder);
        final UnsafeBuffer batch = new UnsafeBuffer(bytes);
        batch.putLong(35, 77, ByteOrder.BIG_ENDIAN);
        final CRC32C crc = new CRC32C();
        crc.update(bytes, 21, bytes.length - 21);
        batch.putInt(17, (int) crc.getValue(), ByteOrder.BIG_ENDIAN);
        try (Log log = Log.open(folder, LogConfig.defaults())) {
            final InvalidBatchException refused =
                    assertThrows(InvalidBatchException.class, () -> log.append(batch, 0, bytes.length, 0));
            assertTrue(String.valueOf(refused.getMessage()).contains("field=maxTimestamp"), refused.getMessage());
        }
    }

    /** The program of a process that has none of the optional libraries. */
    static final class WithoutLibraries {
        private WithoutLibraries() {}

        public static void main(String[] arguments) {
            for (final Compression compression : Compression.values()) {
                try (Log log = Log.open(Path.of(arguments[0], compression.label()), LogConfig.defaults())) {
                    final BatchBuilder builder = new BatchBuilder(10_000).compression(compression);
                    builder.append(1, null, new byte[5000]);
                    builder.build(-1, (short) -1, -1);
                    log.append(builder.buffer(), 0, builder.length(), 0);
                    log.forEachBatch(
                            0,
                            1,
                            batch -> System.out.println(compression + " " + batch.compression() + " "
                                    + batch.records().next()));
                } catch (final MissingCodecException e) {
                    System.out.println(compression + " " + e.getMessage());
                }
            }
        }
    }

    // Without the libraries the module works; a codec that needs one says which artifact to add.
    @Test
    void shouldNameTheArtifactThatIsMissing() throws IOException, InterruptedException {
        final String classPath = Arrays.stream(
                        System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.contains("snappy") && !entry.contains("lz4") && !entry.contains("zstd"))
                .collect(Collectors.joining(File.pathSeparator));
        final Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--add-exports",
                        "java.base/jdk.internal.misc=ALL-UNNAMED",
                        "-cp",
                        classPath,
                        WithoutLibraries.class.getName(),
                        folder.toString())
                .redirectErrorStream(true)
                .start();
        final List<String> lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertEquals(0, process.waitFor(), String.join("\n", lines));
        assertEquals(List.of("NONE NONE true", "GZIP GZIP true"), lines.subList(0, 2));
        int at = 2;
        for (final Compression compression : List.of(Compression.SNAPPY, Compression.LZ4, Compression.ZSTD)) {
            assertTrue(lines.get(at).contains("artifact=" + compression.artifact()), lines.get(at));
            at++;
        }
        assertEquals(5, lines.size(), String.join("\n", lines));
    }
}

package io.tidemark.tools.verify;

import io.tidemark.log.BatchBuilder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Builds segment files out of batches of Tidemark's own builder, as a log does: with offsets and epochs given. */
public final class TestSegment {
    private final BatchBuilder builder = new BatchBuilder(1 << 16);
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private long nextOffset;

    private TestSegment(long baseOffset) {
        nextOffset = baseOffset;
    }

    /** Begins at an offset. */
    public static TestSegment at(long baseOffset) {
        return new TestSegment(baseOffset);
    }

    /** Adds a batch of records with timestamps 1000, 1001, ... and keys k0, k1, ... */
    public TestSegment batch(int leaderEpoch, String... values) {
        builder.reset();
        for (int i = 0; i < values.length; i++) {
            builder.append(1000 + i, utf8("k" + i), utf8(values[i]));
        }
        return add(leaderEpoch, values.length);
    }

    /** Adds a batch with one record that has neither key nor value. */
    public TestSegment nullRecord(int leaderEpoch) {
        builder.reset();
        builder.append(1000, null, (byte @Nullable []) null);
        return add(leaderEpoch, 1);
    }

    private TestSegment add(int leaderEpoch, int count) {
        byte[] batch = new byte[builder.build(7, (short) 1, 40)];
        builder.buffer().getBytes(0, batch);
        ByteBuffer.wrap(batch).putLong(0, nextOffset).putInt(12, leaderEpoch);
        bytes.writeBytes(batch);
        nextOffset += count;
        return this;
    }

    /** Adds bytes of zero, as preallocation does. */
    public TestSegment zeros(int count) {
        bytes.writeBytes(new byte[count]);
        return this;
    }

    /** Lets offsets be skipped. */
    public TestSegment skipTo(long offset) {
        nextOffset = offset;
        return this;
    }

    /** The bytes so far. */
    public byte[] toBytes() {
        return bytes.toByteArray();
    }

    /** Writes the file. */
    public Path write(Path folder, long baseOffset) throws IOException {
        Files.createDirectories(folder);
        return Files.write(folder.resolve(String.format("%020d.log", baseOffset)), toBytes());
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}

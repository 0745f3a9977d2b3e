package io.tidemark.log;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/** Builds batches for tests and reads them back. */
final class TestBatches {
    private TestBatches() {}

    /** A batch whose records hold these texts. */
    static UnsafeBuffer batch(String... values) {
        int capacity = 61;
        for (final String value : values) {
            capacity += (int) BatchBuilder.sizeBound(-1, 4 * value.length());
        }
        final BatchBuilder builder = new BatchBuilder(capacity);
        for (final String value : values) {
            builder.append(1000L, null, value.getBytes(StandardCharsets.UTF_8));
        }
        final int length = builder.build(-1, (short) -1, -1);
        final byte[] bytes = new byte[length];
        builder.buffer().getBytes(0, bytes);
        return new UnsafeBuffer(bytes);
    }

    /** The same batch as a follower gets it. */
    static UnsafeBuffer replicated(long baseOffset, int epoch, String... values) {
        final UnsafeBuffer batch = batch(values);
        batch.putLong(0, baseOffset, java.nio.ByteOrder.BIG_ENDIAN);
        batch.putInt(12, epoch, java.nio.ByteOrder.BIG_ENDIAN);
        return batch;
    }

    static long append(Log log, int epoch, String... values) {
        final UnsafeBuffer batch = batch(values);
        return log.append(batch, 0, batch.capacity(), epoch);
    }

    static long appendReplicated(Log log, UnsafeBuffer batch) {
        return log.appendReplicated(batch, 0, batch.capacity(), Integer.MAX_VALUE);
    }

    /** Lines of "offset@epoch=value" from an offset to the end. */
    static List<String> records(Log log, long fromOffset) {
        final List<String> lines = new ArrayList<>();
        log.forEachBatch(fromOffset, Long.MAX_VALUE, batch -> addRecords(batch, lines));
        return lines;
    }

    static void addRecords(RecordBatch batch, List<String> lines) {
        batch.ensureValid();
        final RecordCursor cursor = batch.records();
        while (cursor.next()) {
            lines.add(cursor.offset() + "@" + batch.leaderEpoch() + "="
                    + new String(cursor.value(), StandardCharsets.UTF_8));
        }
    }

    static List<String> records(LogSlice slice) {
        final List<String> lines = new ArrayList<>();
        final RecordBatch batch = new RecordBatch();
        int at = slice.index();
        final int end = at + slice.length();
        while (at < end) {
            batch.wrap(slice.buffer(), at, end - at);
            addRecords(batch, lines);
            at += batch.sizeInBytes();
        }
        return lines;
    }
}

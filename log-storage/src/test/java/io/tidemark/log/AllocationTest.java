package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Garbage of the hot paths, as the JVM counts it for the thread: none in an append, none in a scan. */
class AllocationTest {
    private static final int OPERATIONS = 40_000;
    /** What the JVM itself may allocate on the way, for all operations together. */
    private static final long NOISE_BYTES = 32 << 10;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TempDir
    Path folder;

    private long allocated() {
        return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    private static BatchBuilder batch() {
        final BatchBuilder builder = new BatchBuilder(1000);
        builder.append(5, new byte[10], new byte[100], new RecordHeaders().add("header", new byte[8]));
        builder.build(-1, (short) -1, -1);
        return builder;
    }

    // Without entries of an index, which grow in memory by 24 bytes per index interval.
    @Test
    void shouldAppendWithoutGarbage() {
        for (final TimestampType type : TimestampType.values()) {
            final LogConfig config = LogConfig.builder()
                    .segmentBytes(64 << 20)
                    .indexIntervalBytes(Integer.MAX_VALUE)
                    .timestampType(type)
                    .build();
            try (Log log = Log.open(folder.resolve(type.name()), config)) {
                final BatchBuilder batch = batch();
                append(log, batch);
                log.maintain();
                final long before = allocated();
                append(log, batch);
                final long bytes = allocated() - before;
                assertTrue(bytes <= NOISE_BYTES, type + " allocated " + bytes);
            }
        }
    }

    private static void append(Log log, BatchBuilder batch) {
        for (int i = 0; i < OPERATIONS; i++) {
            log.append(batch.buffer(), 0, batch.length(), 0);
        }
    }

    // With entries: what an index interval of batches costs, not more than the two entries twice over.
    @Test
    void shouldAppendWithTheGarbageOfIndexEntriesOnly() {
        try (Log log = Log.open(folder, LogConfig.defaults())) {
            final BatchBuilder batch = batch();
            append(log, batch);
            final long before = allocated();
            append(log, batch);
            final double bytes = (allocated() - before) / (double) OPERATIONS;
            assertTrue(bytes < 4, "allocated per append " + bytes);
        }
    }

    // Slices, views, checksums, records and headers.
    @Test
    void shouldScanWithoutGarbage() {
        try (Log log = Log.open(folder, LogConfig.defaults())) {
            append(log, batch());
            final LogSlice slice = new LogSlice();
            final RecordBatch view = new RecordBatch();
            scan(log, slice, view);
            final long before = allocated();
            final long headers = scan(log, slice, view);
            final long bytes = allocated() - before;
            slice.close();
            assertEquals(OPERATIONS, headers);
            assertTrue(bytes <= NOISE_BYTES, "allocated " + bytes);
        }
    }

    private static long scan(Log log, LogSlice slice, RecordBatch view) {
        long headers = 0;
        long next = 0;
        while (log.read(next, 64 << 10, Long.MAX_VALUE, slice)) {
            int at = slice.index();
            final int end = at + slice.length();
            while (at < end) {
                view.wrap(slice.buffer(), at, end - at);
                view.ensureValid();
                final RecordCursor records = view.records();
                while (records.next()) {
                    final HeaderCursor cursor = records.headers();
                    while (cursor.next()) {
                        headers += cursor.valueLength() > 0 ? 1 : 0;
                    }
                }
                at += view.sizeInBytes();
            }
            next = slice.nextOffset();
        }
        return headers;
    }
}

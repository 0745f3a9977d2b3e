package io.tidemark.log;

import static io.tidemark.log.TestBatches.append;
import static io.tidemark.log.TestBatches.appendReplicated;
import static io.tidemark.log.TestBatches.batch;
import static io.tidemark.log.TestBatches.records;
import static io.tidemark.log.TestBatches.replicated;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log used alone: append, read, roll, truncate, open again. */
class LogTest {
    private static final LogConfig SMALL = LogConfig.builder()
            .segmentBytes(1024)
            .batchBytesMax(1024)
            .indexIntervalBytes(128)
            .indexBytes(1024)
            .build();

    @TempDir
    Path folder;

    // The simplest use.
    @Test
    void shouldReadWhatWasAppended() {
        try (Log log = Log.open(folder, LogConfig.defaults())) {
            assertEquals(0, append(log, 0, "a", "b"));
            assertEquals(2, append(log, 3, "c"));
            assertEquals(3, log.logEndOffset());
            assertEquals(3, log.latestEpoch());
            assertEquals(List.of("0@0=a", "1@0=b", "2@3=c"), records(log, 0));
            assertEquals(List.of("2@3=c"), records(log, 2));
        }
    }

    // Reads cross segments, and every offset is found before and after opening again.
    @Test
    void shouldFindEveryOffsetInManySegmentsBeforeAndAfterOpeningAgain() {
        final List<String> expected = new ArrayList<>();
        try (Log log = Log.open(folder, SMALL)) {
            for (int i = 0; i < 500; i++) {
                append(log, i / 100, "value-" + i);
                expected.add(i + "@" + i / 100 + "=value-" + i);
            }
            assertEveryOffset(log, expected);
        }
        try (Log log = Log.open(folder, SMALL)) {
            assertFalse(log.recoveryReport().scanned());
            assertEquals(500, log.logEndOffset());
            assertEquals(4, log.latestEpoch());
            assertEquals(new EpochEnd(2, 300), log.endOffsetForEpoch(2));
            assertEveryOffset(log, expected);
            append(log, 5, "more");
            assertEquals(List.of("500@5=more"), records(log, 500));
        }
    }

    private static void assertEveryOffset(Log log, List<String> expected) {
        try (LogSlice slice = new LogSlice()) {
            for (int i = 0; i < expected.size(); i++) {
                assertTrue(log.read(i, 1, Long.MAX_VALUE, slice));
                assertEquals(expected.subList(i, i + 1), records(slice));
            }
        }
        assertEquals(expected, records(log, 0));
    }

    // Limits of reads: bytes, offset, the end, and beyond.
    @Test
    void shouldRespectTheLimitsOfARead() {
        try (Log log = Log.open(folder, LogConfig.defaults());
                LogSlice slice = new LogSlice()) {
            for (int i = 0; i < 10; i++) {
                append(log, 0, "x" + i, "y" + i);
            }
            final int size = batch("x0", "y0").capacity();
            assertTrue(log.read(0, 2 * size, Long.MAX_VALUE, slice));
            assertEquals(2 * size, slice.length());
            assertEquals(0, slice.baseOffset());
            assertEquals(4, slice.nextOffset());
            assertEquals(slice.length(), slice.byteBuffer().remaining());
            try (LogSlice other = new LogSlice()) {
                slice.transferTo(other);
                assertTrue(log.read(4, size, Long.MAX_VALUE, slice));
                assertEquals(4, slice.baseOffset());
                assertEquals(0, other.baseOffset());
            }
            assertTrue(log.read(0, 2 * size - 1, Long.MAX_VALUE, slice));
            assertEquals(size, slice.length());
            assertTrue(log.read(3, 1000 * size, 9, slice));
            assertEquals(2, slice.baseOffset());
            assertEquals(8, slice.nextOffset());
            assertFalse(log.read(8, 1000, 9, slice));
            assertFalse(slice.isOpen());
            assertFalse(log.read(20, 1000, Long.MAX_VALUE, slice));
            assertThrows(OffsetOutOfRangeException.class, () -> log.read(21, 1000, Long.MAX_VALUE, slice));
            assertThrows(OffsetOutOfRangeException.class, () -> log.read(-1, 1000, Long.MAX_VALUE, slice));
        }
    }

    // A truncation ends at a batch boundary, and the dead branch does not come back.
    @Test
    void shouldTruncateToABatchBoundary() {
        try (Log log = Log.open(folder, SMALL)) {
            for (int i = 0; i < 60; i++) {
                append(log, i / 10, "a" + i, "b" + i);
            }
            assertEquals(120, log.truncateTo(120));
            assertEquals(100, log.truncateTo(101));
            assertEquals(100, log.logEndOffset());
            assertEquals(4, log.latestEpoch());
            append(log, 9, "new");
            assertEquals(List.of("98@4=a49", "99@4=b49", "100@9=new"), records(log, 98));
            assertEquals(0, log.truncateTo(1));
            assertEquals(Log.NO_EPOCH, log.latestEpoch());
            append(log, 10, "first");
            log.maintain();
        }
        try (Log log = Log.open(folder, SMALL)) {
            assertEquals(List.of("0@10=first"), records(log, 0));
            log.truncateFullyAndStartAt(1000);
            assertEquals(1000, log.logStartOffset());
            append(log, 11, "later");
        }
        try (Log log = Log.open(folder, SMALL)) {
            assertEquals(1000, log.logStartOffset());
            assertEquals(List.of("1000@11=later"), records(log, 1000));
        }
    }

    // A lease keeps the bytes, whatever happens to the log.
    @Test
    void shouldKeepLeasedBytesReadableAfterTruncationAndClose() {
        final LogSlice slice = new LogSlice();
        final LogSlice other = new LogSlice();
        try (Log log = Log.open(folder, LogConfig.defaults())) {
            append(log, 0, "old-0");
            append(log, 0, "old-1");
            assertTrue(log.read(0, 1000, Long.MAX_VALUE, slice));
            log.truncateTo(1);
            append(log, 1, "new-1");
            log.maintain();
            assertEquals(List.of("0@0=old-0", "1@0=old-1"), records(slice));
            slice.transferTo(other);
            assertFalse(slice.isOpen());
            assertEquals(List.of("0@0=old-0", "1@1=new-1"), records(log, 0));
        }
        assertEquals(List.of("0@0=old-0", "1@0=old-1"), records(other));
        other.close();
        try (Log log = Log.open(folder, LogConfig.defaults())) {
            assertEquals(List.of("0@0=old-0", "1@1=new-1"), records(log, 0));
        }
    }

    // ST-01: a roll whenever any record would not fit the 31-bit relative offset.
    @Test
    void shouldRollWhenARelativeOffsetDoesNotFit() {
        final long[] offsets = {0, 2_147_483_646L, 2_147_483_648L, 6_000_000_000L, 6_000_000_000L + Integer.MAX_VALUE};
        try (Log log = Log.open(folder, LogConfig.defaults())) {
            for (final long offset : offsets) {
                appendReplicated(log, replicated(offset, 1, "at" + offset));
            }
            appendReplicated(log, replicated(9_000_000_000L, 1, "x", "y"));
            assertOffsets(log, offsets);
        }
        try (Log log = Log.open(folder, LogConfig.defaults())) {
            assertOffsets(log, offsets);
            assertEquals(9_000_000_002L, log.logEndOffset());
        }
    }

    private static void assertOffsets(Log log, long[] offsets) {
        try (LogSlice slice = new LogSlice()) {
            for (final long offset : offsets) {
                assertTrue(log.read(offset, 1, Long.MAX_VALUE, slice));
                assertEquals(offset, slice.baseOffset());
            }
            assertTrue(log.read(1, 1, Long.MAX_VALUE, slice));
            assertEquals(2_147_483_646L, slice.baseOffset());
        }
    }

    // What a follower must not take.
    @Test
    void shouldRefuseReplicatedBatchesThatDoNotContinueTheLog() {
        try (Log log = Log.open(folder, LogConfig.defaults())) {
            appendReplicated(log, replicated(10, 2, "a", "b"));
            final UnsafeBuffer below = replicated(11, 2, "c");
            final UnsafeBuffer older = replicated(12, 1, "c");
            final UnsafeBuffer above = replicated(12, 5, "c");
            assertThrows(InvalidBatchException.class, () -> log.appendReplicated(below, 0, below.capacity(), 9));
            assertThrows(InvalidBatchException.class, () -> log.appendReplicated(older, 0, older.capacity(), 9));
            assertThrows(InvalidBatchException.class, () -> log.appendReplicated(above, 0, above.capacity(), 4));
            final UnsafeBuffer broken = replicated(12, 2, "c");
            broken.putByte(broken.capacity() - 2, (byte) 1);
            assertThrows(CorruptBatchException.class, () -> log.appendReplicated(broken, 0, broken.capacity(), 9));
            assertEquals(List.of("10@2=a", "11@2=b"), records(log, 0));
            assertThrows(IllegalArgumentException.class, () -> append(log, 1, "x"));
            assertEquals(12, append(log, 2, "x"));
        }
    }

    // A broker that led for a moment and wrote nothing follows a leader whose log still has records of older epochs.
    @Test
    void shouldTakeOlderEpochAfterAnEpochWithoutRecords() {
        try (Log log = Log.open(folder, LogConfig.defaults())) {
            appendReplicated(log, replicated(10, 2, "a", "b"));
            log.startEpoch(5);
            appendReplicated(log, replicated(12, 3, "c"));
            assertEquals(3, log.latestEpoch());
            assertEquals(new EpochEnd(3, 13), log.endOffsetForEpoch(5));
            assertEquals(List.of("10@2=a", "11@2=b", "12@3=c"), records(log, 0));
        }
    }
}

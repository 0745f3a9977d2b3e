package io.tidemark.log;

import static io.tidemark.log.TestBatches.append;
import static io.tidemark.log.TestBatches.records;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.io.FaultyFileSystem;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Appends stop before the disk is full, and nothing else does. */
class LowSpaceTest {
    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);
    private static final UUID TOPIC = new UUID(4, 2);
    private static final long RESERVE = 1_000_000;
    /** The file system of the tests looks at whole files when it forces them. */
    private static final LogConfig SMALL =
            LogConfig.builder().segmentBytes(1 << 20).build();

    @TempDir
    Path folder;

    private final TestTime time = new TestTime();
    private final FaultyFileSystem fileSystem = new FaultyFileSystem();

    private LogStore open(long reserveBytes) {
        return LogStore.open(
                folder,
                LogStoreConfig.builder().reserveBytes(reserveBytes).build(),
                fileSystem,
                time.epochClock(),
                time.nanoClock());
    }

    /** Appends until an append is refused. */
    private static DiskFullException fill(Log log) {
        for (int i = 0; i < 1000; i++) {
            try {
                append(log, 0, "x".repeat(10_000));
            } catch (final DiskFullException e) {
                return e;
            }
        }
        throw new AssertionError("no append was refused");
    }

    // The reserve is not touched; the error says how much there is; reads, flushes and deletions go on; appends resume
    // without a gap once there is space, without anybody doing anything.
    @Test
    void shouldRefuseAppendsBeforeTheDiskIsFullAndRecoverByItself() {
        try (LogStore store = open(RESERVE)) {
            final Log log = store.openLog(
                    ORDERS, TOPIC, LogConfig.builder().segmentBytes(1 << 20).build());
            fileSystem.usableBytes(RESERVE + 200_000);
            final DiskFullException error = fill(log);
            final String message = String.valueOf(error.getMessage());
            assertTrue(message.contains("usableBytes="), message);
            assertTrue(message.contains("reserveBytes=" + RESERVE), message);
            assertTrue(store.isLowOnSpace());
            assertFalse(log.isFailed());
            final long end = log.logEndOffset();
            assertTrue(end > 5 && end < 21, "end=" + end);
            assertEquals(end, records(log, 0).size());
            log.flush();
            store.maintain();
            assertEquals(end, log.flushedOffset());
            assertEquals(3, log.deleteRecordsBefore(3));
            // Not enough to go on for more than a moment: no flicker.
            fileSystem.usableBytes(RESERVE + RESERVE / 8);
            assertThrows(DiskFullException.class, () -> append(log, 0, "x".repeat(60_000)));
            fileSystem.usableBytes(10 * RESERVE);
            store.maintain();
            assertFalse(store.isLowOnSpace());
            assertEquals(end, append(log, 0, "x".repeat(60_000)));
        }
    }

    // Without a call of the maintenance the append itself notices that there is space again.
    @Test
    void shouldNoticeFreedSpaceWithTheNextAppend() {
        try (LogStore store = open(RESERVE)) {
            fileSystem.usableBytes(RESERVE);
            final Log log = store.openLog(ORDERS, TOPIC, SMALL);
            assertThrows(DiskFullException.class, () -> append(log, 0, "a"));
            fileSystem.usableBytes(2 * RESERVE);
            assertEquals(0, append(log, 0, "a"));
        }
    }

    // What is preallocated ahead never takes the space that an append still could use, and is no reason to refuse one.
    @Test
    void shouldNotPreallocateAheadWhenThereIsLittleSpace() {
        try (LogStore store = open(RESERVE)) {
            final Log log = store.openLog(ORDERS, TOPIC, SMALL);
            fileSystem.usableBytes(RESERVE + 300_000);
            for (int i = 0; i < 6; i++) {
                append(log, 0, "x".repeat(10_000));
                store.maintain();
                assertFalse(store.isLowOnSpace());
            }
            assertEquals(1, log.preallocationStalls());
            fill(log);
            assertTrue(log.logEndOffset() >= 20, "end=" + log.logEndOffset());
        }
    }

    // A roll that finds no space changes nothing: the next append finds the log as it was.
    @Test
    void shouldKeepTheLogWholeWhenARollIsRefused() {
        try (LogStore store = open(RESERVE)) {
            final Log log = store.openLog(
                    ORDERS,
                    TOPIC,
                    LogConfig.builder()
                            .segmentBytes(65_536)
                            .batchBytesMax(65_536)
                            .build());
            fileSystem.usableBytes(RESERVE + 65_536);
            fill(log);
            final long end = log.logEndOffset();
            assertEquals(6, end);
            fileSystem.usableBytes(10 * RESERVE);
            assertEquals(end, append(log, 0, "y"));
            assertEquals(end + 1, records(log, 0).size());
        }
    }

    // A reserve of nothing leaves it to the disk to say that it is full.
    @Test
    void shouldNotReserveAnythingWhenToldSo() {
        fileSystem.usableBytes(65_536);
        try (LogStore store = open(0)) {
            final Log log = store.openLog(ORDERS, TOPIC, SMALL);
            assertEquals(0, append(log, 0, "a"));
        }
    }
}

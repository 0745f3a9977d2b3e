package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log that is used alone, by its simplest methods: append, read, follow. */
class LogTailTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(LogRecord record) {
        return record.offset() + "=" + new String(record.value(), StandardCharsets.UTF_8);
    }

    // Keys and values, none, empty and large ones, come back as they were given, before and after a restart.
    @Test
    void shouldReadRecordsAsTheyWereAppended() {
        final byte[] large = new byte[500_000];
        large[499_999] = 7;
        try (Log log = Log.open(folder)) {
            assertEquals(0, log.append(bytes("k"), bytes("v")));
            assertEquals(1, log.append(bytes("only a value")));
            assertEquals(2, log.append(bytes("deleted"), null));
            assertEquals(3, log.append(new byte[0], new byte[0]));
            assertEquals(4, log.append(large));
            assertThrows(InvalidBatchException.class, () -> log.append(new byte[2_000_000]));
            log.flush();
            assertEquals(5, log.flushedOffset());
        }
        try (Log log = Log.open(folder)) {
            final List<LogRecord> records = log.read(0, 100);
            assertEquals(5, records.size());
            assertArrayEquals(bytes("k"), records.get(0).key().orElseThrow());
            assertEquals("0=v", text(records.get(0)));
            assertTrue(records.get(0).timestampMs() > 1_600_000_000_000L);
            assertEquals(Optional.empty(), records.get(1).key());
            assertFalse(records.get(2).hasValue());
            assertTrue(records.get(3).hasValue());
            assertEquals(0, records.get(3).key().orElseThrow().length);
            assertArrayEquals(large, records.get(4).value());
            assertEquals(2, log.read(1, 2).size());
            assertEquals(List.of(), log.read(5, 2));
            assertThrows(OffsetOutOfRangeException.class, () -> log.read(6, 2));
            assertEquals(5, log.append(bytes("next")));
        }
    }

    // A tail waits for records of other threads, and none is skipped or given twice.
    @Test
    void shouldHandOutEveryRecordOnceWhileOthersAppend() throws InterruptedException {
        final int each = 2000;
        try (Log log = Log.open(folder);
                LogTail tail = log.tail(0)) {
            final List<Thread> writers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                final int writer = i;
                final Thread thread = new Thread(() -> {
                    for (int j = 0; j < each; j++) {
                        log.append(bytes(writer + "-" + j));
                    }
                });
                writers.add(thread);
                thread.start();
            }
            final int[] nextOf = new int[3];
            for (int i = 0; i < 3 * each; i++) {
                final LogRecord record = tail.next(LONG).orElseThrow();
                assertEquals(i, record.offset());
                final String[] value = new String(record.value(), StandardCharsets.UTF_8).split("-", -1);
                assertEquals(nextOf[Integer.parseInt(value[0])]++, Integer.parseInt(value[1]));
            }
            assertEquals(Optional.empty(), tail.next(Duration.ZERO));
            assertEquals(Optional.empty(), tail.next(Duration.ofMillis(20)));
            assertEquals(3L * each, tail.position());
            for (final Thread thread : writers) {
                thread.join();
            }
        }
    }

    // The handler sees records in place; what it did not take is there at the next call; batches of many are walked.
    @Test
    void shouldHandRecordsToAHandler() throws InterruptedException {
        try (Log log = Log.open(folder, LogConfig.defaults())) {
            TestBatches.append(log, 0, "a", "b", "c", "d");
            TestBatches.append(log, 1, "e");
            try (LogTail tail = log.tail(1)) {
                final List<String> seen = new ArrayList<>();
                final RecordHandler handler =
                        record -> seen.add(record.offset() + "=" + new String(record.value(), StandardCharsets.UTF_8));
                assertEquals(2, tail.poll(handler, 2, LONG));
                assertEquals(List.of("1=b", "2=c"), seen);
                assertEquals(2, tail.poll(handler, 100, LONG));
                assertEquals(0, tail.poll(handler, 100, Duration.ZERO));
                assertEquals(List.of("1=b", "2=c", "3=d", "4=e"), seen);
                assertThrows(IllegalArgumentException.class, () -> tail.poll(handler, 0, LONG));
            }
        }
    }

    // ST-40: whatever happens to the segments, a tail goes on with the next record, or is told where the log begins.
    @Test
    void shouldGoOnOverRollsTruncationsAndDeletions() throws InterruptedException {
        final LogConfig config =
                LogConfig.builder().segmentBytes(1024).batchBytesMax(1024).build();
        try (Log log = Log.open(folder, config);
                LogTail tail = log.tail(0)) {
            for (int i = 0; i < 50; i++) {
                log.append(bytes("value-" + i + "-" + "x".repeat(100)));
                assertEquals(i, tail.next(LONG).orElseThrow().offset());
            }
            log.truncateTo(50);
            log.append(bytes("50"));
            log.append(bytes("51"));
            log.truncateTo(51);
            log.append(bytes("other"));
            assertEquals("50=50", text(tail.next(LONG).orElseThrow()));
            assertEquals("51=other", text(tail.next(LONG).orElseThrow()));
            log.truncateTo(40);
            assertThrows(OffsetOutOfRangeException.class, () -> tail.next(LONG));
            try (LogTail old = log.tail(5)) {
                log.deleteRecordsBefore(30);
                final OffsetOutOfRangeException error =
                        assertThrows(OffsetOutOfRangeException.class, () -> old.next(LONG));
                assertEquals(30, error.logStartOffset());
            }
        }
    }

    // Closing the log ends a wait, and so does an interrupt; a closed tail says so.
    @Test
    void shouldEndAWaitWhenTheLogIsClosedOrTheThreadIsInterrupted() throws InterruptedException {
        final Log log = Log.open(folder);
        final LogTail tail = log.tail(0);
        final AtomicReference<Throwable> ended = new AtomicReference<>();
        final CountDownLatch started = new CountDownLatch(2);
        final Thread waiting = waiting(log, started, ended);
        final AtomicReference<Throwable> interrupted = new AtomicReference<>();
        final Thread other = waiting(log, started, interrupted);
        started.await();
        other.interrupt();
        other.join();
        assertTrue(interrupted.get() instanceof InterruptedException, () -> "ended by " + interrupted.get());
        assertEquals(0, log.append(bytes("the log has not suffered")));
        log.close();
        waiting.join();
        assertTrue(
                ended.get() == null || ended.get() instanceof IllegalStateException, () -> "ended by " + ended.get());
        tail.close();
        tail.close();
        assertThrows(IllegalStateException.class, () -> tail.next(LONG));
        assertThrows(IllegalStateException.class, () -> log.tail(0));
    }

    private static Thread waiting(Log log, CountDownLatch started, AtomicReference<Throwable> ended) {
        final Thread thread = new Thread(() -> {
            try (LogTail own = log.tail(0)) {
                started.countDown();
                if (own.next(LONG).isEmpty()) {
                    ended.set(new AssertionError("the wait was not ended"));
                }
            } catch (final InterruptedException | IllegalStateException e) {
                ended.set(e);
            }
        });
        thread.start();
        return thread;
    }

    // A log of one thread refuses a second one, until the first gives it up.
    @Test
    void shouldRefuseASecondOwner() throws InterruptedException {
        try (Log log = Log.open(folder, LogConfig.defaults())) {
            log.append(bytes("a"));
            final AtomicReference<Throwable> failure = new AtomicReference<>();
            final Runnable append = () -> {
                try {
                    log.append(bytes("b"));
                    log.giveUp();
                } catch (final IllegalStateException e) {
                    failure.set(e);
                }
            };
            final Thread refused = new Thread(append);
            refused.start();
            refused.join();
            assertTrue(String.valueOf(failure.get()).contains("owned by another thread"), () -> "" + failure.get());
            log.giveUp();
            failure.set(null);
            final Thread next = new Thread(append);
            next.start();
            next.join();
            assertNull(failure.get());
            assertEquals(2, log.append(bytes("c")));
        }
    }

    // The thread of a log used alone does the maintenance, and ends with the log.
    @Test
    void shouldMaintainItselfByAThreadOfItsOwn() {
        final LogTail tail;
        try (Log log = Log.open(folder)) {
            tail = log.tail(0);
            assertTrue(maintenanceThreads() >= 1);
        }
        tail.close();
        assertEquals(0, maintenanceThreads());
    }

    private static long maintenanceThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("tidemark-log-maintenance"))
                .count();
    }
}

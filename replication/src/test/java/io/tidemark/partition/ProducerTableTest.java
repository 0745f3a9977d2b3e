package io.tidemark.partition;

import static io.tidemark.partition.ProducerTable.Check.APPEND;
import static io.tidemark.partition.ProducerTable.Check.DUPLICATE;
import static io.tidemark.partition.ProducerTable.Check.DUPLICATE_UNKNOWN;
import static io.tidemark.partition.ProducerTable.Check.OUT_OF_ORDER;
import static io.tidemark.partition.ProducerTable.Check.STALE_EPOCH;
import static io.tidemark.partition.ProducerTable.Check.UNKNOWN_PRODUCER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Which batch of a producer is new, repeated, late, or out of order. */
class ProducerTableTest {
    private static final short EPOCH = 3;
    private static final long PRODUCER = 77;

    private final ProducerTable table = new ProducerTable();
    private long logEnd = 1_000;

    @Test
    void shouldAppendFirstBatchAtSequenceZeroOnly() {
        assertEquals(APPEND, table.check(PRODUCER, EPOCH, 0, 5));
        assertEquals(UNKNOWN_PRODUCER, table.check(PRODUCER, EPOCH, 5, 5));
    }

    @Test
    void shouldLeaveProducersWithoutIdAlone() {
        append(-1, (short) -1, -1, 5);

        assertEquals(APPEND, table.check(-1, (short) -1, -1, 5));
        assertEquals(0, table.size());
    }

    // CL-06: five batches in flight, all answers lost, all five sent again, twice.
    @Test
    void shouldAnswerRepeatedBatchesWithTheirOffsets() {
        for (int i = 0; i < 5; i++) {
            append(PRODUCER, EPOCH, i * 10, 10);
        }
        for (int again = 0; again < 2; again++) {
            for (int i = 0; i < 5; i++) {
                assertEquals(DUPLICATE, table.check(PRODUCER, EPOCH, i * 10, 10));
                assertEquals(1_000 + i * 10L, table.duplicateBaseOffset());
                assertEquals(1_010 + i * 10L, table.duplicateNextOffset());
            }
        }
        assertEquals(APPEND, table.check(PRODUCER, EPOCH, 50, 10));
    }

    // CL-06: batches 1..3 were replicated when the leader died; the new leader's table comes from its log.
    @Test
    void shouldGiveTheSameAnswersWhenRebuiltFromTheLog() {
        for (int i = 0; i < 5; i++) {
            append(PRODUCER, EPOCH, i, 1);
        }
        table.clear();
        assertEquals(0, table.size());
        for (int i = 0; i < 3; i++) {
            table.onBatch(PRODUCER, EPOCH, i, 1, 1_000 + i, 1_001 + i);
        }

        assertEquals(DUPLICATE, table.check(PRODUCER, EPOCH, 0, 1));
        assertEquals(DUPLICATE, table.check(PRODUCER, EPOCH, 2, 1));
        assertEquals(1_002, table.duplicateBaseOffset());
        assertEquals(APPEND, table.check(PRODUCER, EPOCH, 3, 1));
        assertEquals(OUT_OF_ORDER, table.check(PRODUCER, EPOCH, 4, 1));
    }

    // CL-06: a late duplicate of batch 1 after five newer ones is never appended a second time.
    @Test
    void shouldKnowThatOldBatchIsADuplicateWithoutItsOffsets() {
        for (int i = 0; i < 6; i++) {
            append(PRODUCER, EPOCH, i * 10, 10);
        }

        assertEquals(DUPLICATE_UNKNOWN, table.check(PRODUCER, EPOCH, 0, 10));
        assertEquals(DUPLICATE, table.check(PRODUCER, EPOCH, 10, 10));
    }

    // A batch that overlaps another one without being equal to it was never sent by a sound client.
    @Test
    void shouldRefuseBatchesThatOverlap() {
        append(PRODUCER, EPOCH, 0, 10);
        append(PRODUCER, EPOCH, 10, 10);

        assertEquals(OUT_OF_ORDER, table.check(PRODUCER, EPOCH, 10, 5));
        assertEquals(OUT_OF_ORDER, table.check(PRODUCER, EPOCH, 5, 10));
        assertEquals(OUT_OF_ORDER, table.check(PRODUCER, EPOCH, 21, 10));
        assertEquals(OUT_OF_ORDER, table.check(PRODUCER, EPOCH, -1, 10));
        assertEquals(OUT_OF_ORDER, table.check(PRODUCER, EPOCH, 20, 0));
        // Nothing lies before sequence 0 of a producer whose first batch is remembered.
        assertEquals(OUT_OF_ORDER, table.check(PRODUCER, EPOCH, Integer.MAX_VALUE, 1));
    }

    @Test
    void shouldFenceOlderEpochsAndStartNewerOnesAtZero() {
        append(PRODUCER, EPOCH, 0, 10);

        assertEquals(STALE_EPOCH, table.check(PRODUCER, (short) (EPOCH - 1), 10, 1));
        assertEquals(OUT_OF_ORDER, table.check(PRODUCER, (short) (EPOCH + 1), 10, 1));
        assertEquals(APPEND, table.check(PRODUCER, (short) (EPOCH + 1), 0, 1));
        append(PRODUCER, (short) (EPOCH + 1), 0, 1);
        assertEquals(STALE_EPOCH, table.check(PRODUCER, EPOCH, 0, 10));
        assertEquals(DUPLICATE, table.check(PRODUCER, (short) (EPOCH + 1), 0, 1));
    }

    // CL-05: 2147483647 is followed by 0; batches of 1 to 5 records, repeated around the wrap.
    @Test
    void shouldWrapSequences() {
        for (int size = 1; size <= 5; size++) {
            table.clear();
            logEnd = 1_000;
            int sequence = Integer.MAX_VALUE - 3;
            List<Integer> sequences = new ArrayList<>();
            table.onBatch(PRODUCER, EPOCH, sequence, size, 990, 990 + size);
            for (int i = 0; i < 4; i++) {
                sequence = (int) ((sequence + (long) size) % (1L << 31));
                assertEquals(APPEND, table.check(PRODUCER, EPOCH, sequence, size), "size=" + size);
                sequences.add(sequence);
                append(PRODUCER, EPOCH, sequence, size);
            }
            for (int i = 0; i < sequences.size(); i++) {
                assertEquals(DUPLICATE, table.check(PRODUCER, EPOCH, sequences.get(i), size));
                assertEquals(1_000 + i * (long) size, table.duplicateBaseOffset());
            }
            assertEquals(DUPLICATE_UNKNOWN, table.check(PRODUCER, EPOCH, Integer.MAX_VALUE - 3 - size, size));
        }
        assertEquals(1, table.size());
    }

    // CL-05: the first batch after the largest number, and its repetition.
    @Test
    void shouldContinueAtZeroAfterTheLargestSequence() {
        table.onBatch(PRODUCER, EPOCH, Integer.MAX_VALUE, 1, 10, 11);

        assertEquals(APPEND, table.check(PRODUCER, EPOCH, 0, 1));
        assertEquals(OUT_OF_ORDER, table.check(PRODUCER, EPOCH, 1, 1));
        table.onBatch(PRODUCER, EPOCH, 0, 1, 11, 12);
        assertEquals(DUPLICATE, table.check(PRODUCER, EPOCH, Integer.MAX_VALUE, 1));
        assertEquals(DUPLICATE, table.check(PRODUCER, EPOCH, 0, 1));
    }

    // I-19: whatever is repeated, lost or reordered, each sequence is appended once and in order.
    @Property(tries = 500, seed = "20261201")
    void shouldAppendEachSequenceOnce(
            @ForAll @IntRange(min = 0, max = 50) int startBack,
            @ForAll @Size(min = 1, max = 60) List<@IntRange(min = 0, max = 7) Integer> choices) {
        ProducerTable fresh = new ProducerTable();
        int base = Integer.MAX_VALUE - startBack;
        fresh.onBatch(PRODUCER, EPOCH, base, 1, 0, 1);
        long end = 1;
        int appended = 1;
        for (int choice : choices) {
            // Batches of one record, from five before the next one to two after it.
            int sequence = (base + appended + choice - 5) & Integer.MAX_VALUE;
            ProducerTable.Check check = fresh.check(PRODUCER, EPOCH, sequence, 1);
            if (choice == 5) {
                assertEquals(APPEND, check);
                fresh.onBatch(PRODUCER, EPOCH, sequence, 1, end, end + 1);
                end++;
                appended++;
            } else if (choice > 5) {
                assertEquals(OUT_OF_ORDER, check);
            } else if (appended + choice - 5 >= 0) {
                assertEquals(DUPLICATE, check);
                assertEquals(end + choice - 5, fresh.duplicateBaseOffset());
            } else {
                assertTrue(check == DUPLICATE_UNKNOWN || check == OUT_OF_ORDER, "check=" + check);
            }
        }
    }

    // The limit, and one past it: the producer that wrote longest ago is forgotten.
    @Test
    void shouldForgetTheProducerThatWroteLongestAgo() {
        for (int id = 0; id < ProducerTable.PRODUCERS_MAX; id++) {
            append(id, EPOCH, 0, 1);
        }
        append(0, EPOCH, 1, 1);
        assertEquals(ProducerTable.PRODUCERS_MAX, table.size());

        append(1_000_000, EPOCH, 0, 1);

        assertEquals(ProducerTable.PRODUCERS_MAX, table.size());
        assertEquals(UNKNOWN_PRODUCER, table.check(1, EPOCH, 1, 1));
        assertEquals(APPEND, table.check(0, EPOCH, 2, 1));
        assertEquals(APPEND, table.check(2, EPOCH, 1, 1));
        assertEquals(DUPLICATE, table.check(1_000_000, EPOCH, 0, 1));
    }

    // The append path must not feed the garbage collector.
    @Test
    void shouldNotAllocateForKnownProducers() {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        run(20_000);
        long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());

        run(100_000);

        long allocated = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
        assertTrue(allocated < 100_000, "allocated bytes=" + allocated + " for 100000 batches");
    }

    private void run(int batches) {
        table.clear();
        for (int i = 0; i < batches; i++) {
            long producer = i % 4;
            int sequence = i / 4;
            if (table.check(producer, EPOCH, sequence, 1) != APPEND) {
                throw new AssertionError("batch " + i + " is not the next one");
            }
            table.onBatch(producer, EPOCH, sequence, 1, i, i + 1);
        }
    }

    private void append(long producerId, short epoch, int baseSequence, int recordCount) {
        table.onBatch(producerId, epoch, baseSequence, recordCount, logEnd, logEnd + recordCount);
        logEnd += recordCount;
    }
}

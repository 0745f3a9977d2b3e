package io.tidemark.tools.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each fault that the demo looks for must be found when it is there, and only then. */
class LedgerTest {
    private static final int RECORDS = 6;

    private final DemoInput input = new DemoInput("run", List.of("x".getBytes(UTF_8)), 0);
    private SendLedger sent = new SendLedger(RECORDS, 2);
    private ReadLedger read = new ReadLedger(sent, input);

    // Six records: even numbers to partition 0, odd ones to partition 1, all acknowledged at offsets 0, 1, 2.
    @BeforeEach
    void sendAll() {
        sent = new SendLedger(RECORDS, 2);
        for (int number = 0; number < RECORDS; number++) {
            sent.onSend(number, number % 2, number);
        }
        for (int number = 0; number < RECORDS; number++) {
            sent.onAcknowledged(number, number / 2, 100 + number);
        }
        read = new ReadLedger(sent, input);
    }

    @Test
    void shouldFindNothingAmissWhenAllIsRight() {
        readAllBut(-1);

        ReadLedger.Verdict verdict = read.verdict();

        assertEquals(new ReadLedger.Verdict(6, 0, 0, 0, 0, 0), verdict);
        assertTrue(verdict.isClean());
    }

    @Test
    void shouldFindALostRecord() {
        readAllBut(4);

        assertEquals(1, read.verdict().lost());
        assertFalse(read.verdict().isClean());
    }

    // A record that was never acknowledged may be missing, and may be there.
    @Test
    void shouldNotMissWhatWasNotAcknowledged() {
        sent = new SendLedger(2, 1);
        sent.onSend(0, 0, 0);
        sent.onSend(1, 0, 0);
        sent.onFailed(0, new IllegalStateException("late"), 1);
        sent.onFailed(1, new IllegalStateException("later"), 1);
        read = new ReadLedger(sent, input);
        read.onRecord(0, 0, input.value(1));

        assertTrue(read.verdict().isClean());
        assertEquals(2, sent.failed());
        assertEquals("java.lang.IllegalStateException: late", String.valueOf(sent.firstFailure()));
    }

    @Test
    void shouldFindADuplicate() {
        readAllBut(-1);
        read.onRecord(0, 3, input.value(4));

        assertEquals(1, read.verdict().duplicated());
        assertEquals(0, read.verdict().outOfOrder());
    }

    // 4 before 2 in partition 0: also not where the acknowledgements said.
    @Test
    void shouldFindRecordsOutOfOrder() {
        read.onRecord(0, 0, input.value(0));
        read.onRecord(0, 1, input.value(4));
        read.onRecord(0, 2, input.value(2));
        readOdd();

        assertEquals(1, read.verdict().outOfOrder());
        assertEquals(2, read.verdict().misplaced());
    }

    @Test
    void shouldFindARecordInAnotherPartition() {
        readAllBut(5);
        read.onRecord(0, 3, input.value(5));

        assertEquals(1, read.verdict().misplaced());
        assertEquals(0, read.verdict().lost());
    }

    @Test
    void shouldFindForeignValues() {
        readAllBut(-1);
        read.onRecord(0, 3, "something else".getBytes(UTF_8));
        read.onRecord(0, 4, input.value(RECORDS));

        assertEquals(2, read.verdict().foreign());
    }

    // The longest gap counts from the send or the acknowledgement before it, and only while one is awaited.
    @Test
    void shouldMeasureTheLongestGapOfEachPartition() {
        SendLedger ledger = new SendLedger(4, 2);
        ledger.onSend(0, 0, 1_000);
        ledger.onAcknowledged(0, 0, 1_010);
        ledger.onSend(1, 0, 9_000);
        ledger.onSend(2, 0, 9_001);
        ledger.onAcknowledged(1, 1, 9_030);
        ledger.onAcknowledged(2, 2, 9_530);
        ledger.onSend(3, 1, 9_000);

        assertEquals(500, ledger.longestGapNs(0));
        assertEquals(0, ledger.longestGapNs(1));
        assertEquals(1, ledger.inFlight());
        assertEquals(1, ledger.inFlight(1));
        assertEquals(9_530, ledger.lastAcknowledgedNs());
    }

    private void readAllBut(int missing) {
        for (int number = 0; number < RECORDS; number++) {
            if (number != missing) {
                read.onRecord(number % 2, number / 2, input.value(number));
            }
        }
    }

    private void readOdd() {
        for (int number = 1; number < RECORDS; number += 2) {
            read.onRecord(1, number / 2, input.value(number));
        }
    }
}

package io.tidemark.tools.demo;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Judges what was read against what was sent, record by record. Not thread-safe; used when nothing is in flight.
 */
final class ReadLedger {
    private final SendLedger sent;
    private final DemoInput input;
    private final BitSet seen;
    private final int[] lastNumbers;
    private long read;
    private long duplicated;
    private long outOfOrder;
    private long misplaced;
    private long foreign;

    /**
     * What was found.
     *
     * @param read records read
     * @param lost records acknowledged but not read
     * @param duplicated records read once more
     * @param outOfOrder records read behind one that was sent later to the same partition
     * @param misplaced records not in the partition they were sent to, or not at the offset that was acknowledged
     * @param foreign values that this run did not send, or not in these very bytes
     */
    record Verdict(long read, long lost, long duplicated, long outOfOrder, long misplaced, long foreign) {
        /**
         * Tells whether all is right.
         *
         * @return true if nothing was found amiss
         */
        boolean isClean() {
            return lost == 0 && duplicated == 0 && outOfOrder == 0 && misplaced == 0 && foreign == 0;
        }
    }

    /**
     * Begins to judge.
     *
     * @param sent what was sent
     * @param input knows the value of each record
     */
    ReadLedger(SendLedger sent, DemoInput input) {
        this.sent = sent;
        this.input = input;
        this.seen = new BitSet(sent.sent());
        this.lastNumbers = new int[sent.partitionCount()];
        Arrays.fill(lastNumbers, -1);
    }

    /**
     * A record was read; for each partition in the order of the offsets.
     *
     * @param partition where
     * @param offset its offset
     * @param value its value
     */
    void onRecord(int partition, long offset, byte[] value) {
        read++;
        int number = input.numberOf(value);
        if (number < 0 || number >= sent.sent()) {
            foreign++;
            return;
        }
        if (seen.get(number)) {
            duplicated++;
            return;
        }
        seen.set(number);
        if (number < lastNumbers[partition]) {
            outOfOrder++;
        }
        lastNumbers[partition] = Math.max(lastNumbers[partition], number);
        boolean isElsewhere = sent.isAcknowledged(number)
                && sent.offset(number) != SendLedger.UNKNOWN_OFFSET
                && sent.offset(number) != offset;
        if (sent.partition(number) != partition || isElsewhere) {
            misplaced++;
        }
    }

    /**
     * How many records were read so far.
     *
     * @return the count
     */
    long read() {
        return read;
    }

    /**
     * Ends the judgement.
     *
     * @return what was found
     */
    Verdict verdict() {
        long lost = 0;
        for (int number = 0; number < sent.sent(); number++) {
            if (sent.isAcknowledged(number) && !seen.get(number)) {
                lost++;
            }
        }
        return new Verdict(read, lost, duplicated, outOfOrder, misplaced, foreign);
    }
}

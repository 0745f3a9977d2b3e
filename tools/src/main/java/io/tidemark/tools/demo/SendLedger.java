package io.tidemark.tools.demo;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What became of each record: where it was sent, whether it was acknowledged, under which offset; and for each
 * partition the longest time without an acknowledgement while some were awaited.
 *
 * <p>{@link #onSend} is called by the sender's thread, {@link #onAcknowledged} and {@link #onFailed} by the client's.
 * Counts may be read by any thread; what is said of single records is settled once nothing is in flight.
 */
final class SendLedger {
    /** The offset of a record that was acknowledged without one. */
    static final long UNKNOWN_OFFSET = -1;

    private static final long NOT_ACKNOWLEDGED = -2;

    private final byte[] partitions;
    private final long[] offsets;
    private final AtomicIntegerArray inFlight;
    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger acknowledged = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> firstFailure = new AtomicReference<>();
    private final Gap[] gaps;

    /** The waiting time of one partition; both threads come here, so its methods are synchronized. */
    private static final class Gap {
        private int awaited;
        private long sinceNs;
        private long lastNs;
        private long longestNs;

        synchronized void onSend(long nowNs) {
            if (awaited++ == 0) {
                sinceNs = nowNs;
            }
        }

        synchronized void onDone(long nowNs) {
            awaited--;
            longestNs = Math.max(longestNs, nowNs - sinceNs);
            sinceNs = nowNs;
            lastNs = nowNs;
        }

        synchronized long longestNs() {
            return longestNs;
        }

        synchronized long lastNs() {
            return lastNs;
        }
    }

    /**
     * Makes an empty ledger.
     *
     * @param records how many records there will be at most
     * @param partitionCount how many partitions there are, up to 127
     */
    SendLedger(int records, int partitionCount) {
        partitions = new byte[records];
        offsets = new long[records];
        Arrays.fill(offsets, NOT_ACKNOWLEDGED);
        inFlight = new AtomicIntegerArray(partitionCount);
        gaps = new Gap[partitionCount];
        Arrays.setAll(gaps, i -> new Gap());
    }

    /**
     * A record is about to be sent. Records of a partition are sent in the order of their numbers.
     *
     * @param number the record
     * @param partition where it goes
     * @param nowNs the time
     */
    void onSend(int number, int partition, long nowNs) {
        partitions[number] = (byte) partition;
        inFlight.incrementAndGet(partition);
        sent.incrementAndGet();
        gaps[partition].onSend(nowNs);
    }

    /**
     * A record was acknowledged.
     *
     * @param number the record
     * @param offset its offset, {@link #UNKNOWN_OFFSET} if the broker did not say
     * @param nowNs the time
     */
    void onAcknowledged(int number, long offset, long nowNs) {
        offsets[number] = offset < 0 ? UNKNOWN_OFFSET : offset;
        gaps[partitions[number]].onDone(nowNs);
        acknowledged.incrementAndGet();
        inFlight.decrementAndGet(partitions[number]);
    }

    /**
     * A record was not acknowledged and will not be.
     *
     * @param number the record
     * @param failure why
     * @param nowNs the time
     */
    void onFailed(int number, Throwable failure, long nowNs) {
        firstFailure.compareAndSet(null, failure);
        gaps[partitions[number]].onDone(nowNs);
        failed.incrementAndGet();
        inFlight.decrementAndGet(partitions[number]);
    }

    /**
     * Records sent so far.
     *
     * @return the count
     */
    int sent() {
        return sent.get();
    }

    /**
     * Records acknowledged so far.
     *
     * @return the count
     */
    int acknowledged() {
        return acknowledged.get();
    }

    /**
     * Records that failed so far.
     *
     * @return the count
     */
    int failed() {
        return failed.get();
    }

    /**
     * Why the first one failed.
     *
     * @return the failure, or null if none did
     */
    @Nullable
    Throwable firstFailure() {
        return firstFailure.get();
    }

    /**
     * Records under way to one partition.
     *
     * @param partition the partition
     * @return sent, but neither acknowledged nor failed
     */
    int inFlight(int partition) {
        return inFlight.get(partition);
    }

    /**
     * Records under way.
     *
     * @return sent, but neither acknowledged nor failed
     */
    int inFlight() {
        int sum = 0;
        for (int i = 0; i < inFlight.length(); i++) {
            sum += inFlight.get(i);
        }
        return sum;
    }

    /**
     * How many partitions there are.
     *
     * @return the count
     */
    int partitionCount() {
        return gaps.length;
    }

    /**
     * The longest time without an acknowledgement, of those times in which one was awaited.
     *
     * @param partition the partition
     * @return nanoseconds
     */
    long longestGapNs(int partition) {
        return gaps[partition].longestNs();
    }

    /**
     * When the last acknowledgement came.
     *
     * @return the greatest time of all partitions, 0 if none came
     */
    long lastAcknowledgedNs() {
        long last = gaps[0].lastNs();
        for (Gap gap : gaps) {
            last = gap.lastNs() - last > 0 ? gap.lastNs() : last;
        }
        return last;
    }

    /**
     * Tells whether a record was acknowledged.
     *
     * @param number the record
     * @return true if it was
     */
    boolean isAcknowledged(int number) {
        return offsets[number] != NOT_ACKNOWLEDGED;
    }

    /**
     * Where an acknowledged record has to lie.
     *
     * @param number the record
     * @return the offset, or {@link #UNKNOWN_OFFSET}
     */
    long offset(int number) {
        return offsets[number];
    }

    /**
     * Which partition a record was sent to.
     *
     * @param number the record
     * @return the partition
     */
    int partition(int number) {
        return partitions[number];
    }
}

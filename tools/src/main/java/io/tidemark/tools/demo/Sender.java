package io.tidemark.tools.demo;

import io.tidemark.client.Producer;
import io.tidemark.client.RecordPosition;
import io.tidemark.tools.system.CommandFailure;
import io.tidemark.tools.system.Machine;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Sends all records of a run through one producer, in turn to each partition, with a bounded number in flight to each:
 * a partition that waits for a new leader does not hold up the others. Runs on the caller's thread.
 */
final class Sender {
    /** Records in flight at most, over all partitions. */
    static final int WINDOW = 8_192;

    /** Half of the producer's default memory: it never has to hold the sender up. */
    private static final int WINDOW_BYTES = 16 << 20;

    private static final long PAUSE_NS = 50_000;

    private final String topic;
    private final DemoInput input;
    private final SendLedger ledger;
    private final Narrator narrator;
    private final int total;
    private final int window;
    private int nextPartition;

    /**
     * Prepares.
     *
     * @param topic where to send
     * @param input what to send
     * @param ledger keeps the books
     * @param total how many records there will be, for the progress
     * @param narrator tells the progress
     */
    Sender(String topic, DemoInput input, SendLedger ledger, int total, Narrator narrator) {
        this.topic = topic;
        this.input = input;
        this.ledger = ledger;
        this.total = total;
        this.narrator = narrator;
        int records = Math.max(DemoOptions.IN_FLIGHT_MIN, Math.min(WINDOW, WINDOW_BYTES / input.valueSizeMax()));
        this.window = Math.max(1, records / ledger.partitionCount());
    }

    /**
     * Sends records; returns when they are sent, before all are acknowledged.
     *
     * @param producer sends
     * @param fromNumber the first record
     * @param toNumber the end, exclusive
     * @param afterEach asked after each record; once it returned true it is not asked again
     * @return true if {@code afterEach} returned true
     */
    boolean send(Producer producer, int fromNumber, int toNumber, BooleanSupplier afterEach) {
        boolean isSettled = false;
        for (int number = fromNumber; number < toNumber; number++) {
            int partition = awaitRoom();
            nextPartition = (partition + 1) % ledger.partitionCount();
            sendOne(producer, number, partition);
            isSettled = isSettled || afterEach.getAsBoolean();
            if ((number & 0xff) == 0) {
                tellProgress();
            }
        }
        return isSettled;
    }

    private int awaitRoom() {
        while (true) {
            for (int i = 0; i < ledger.partitionCount(); i++) {
                int partition = (nextPartition + i) % ledger.partitionCount();
                if (ledger.inFlight(partition) < window) {
                    return partition;
                }
            }
            tellProgress();
            Machine.park(PAUSE_NS);
        }
    }

    private void sendOne(Producer producer, int number, int partition) {
        byte[] value = input.value(number);
        ledger.onSend(number, partition, Machine.nanoTime());
        producer.send(topic, partition, null, value, (position, failure) -> {
            long nowNs = Machine.nanoTime();
            if (failure != null) {
                ledger.onFailed(number, failure, nowNs);
            } else {
                ledger.onAcknowledged(number, offsetOf(position), nowNs);
            }
        });
    }

    private static long offsetOf(@org.jspecify.annotations.Nullable RecordPosition position) {
        return position == null ? SendLedger.UNKNOWN_OFFSET : position.offset();
    }

    /**
     * Waits until nothing is in flight.
     *
     * @param timeout how long to wait at most
     * @param evidence what to say of the brokers if the time is over
     * @throws CommandFailure if the time is over
     */
    void awaitAcknowledged(Duration timeout, Supplier<String> evidence) {
        Machine.await(
                "the acknowledgement of all records",
                timeout,
                () -> {
                    tellProgress();
                    return ledger.inFlight() == 0;
                },
                () -> "sent=" + ledger.sent() + ", acked=" + ledger.acknowledged() + ", failed=" + ledger.failed()
                        + "; " + evidence.get());
        tellProgress();
    }

    private void tellProgress() {
        narrator.progress("acknowledged", ledger.acknowledged(), total, "records, " + ledger.inFlight() + " in flight");
    }
}

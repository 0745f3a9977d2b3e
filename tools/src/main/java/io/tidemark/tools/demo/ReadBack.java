package io.tidemark.tools.demo;

import io.tidemark.client.Client;
import io.tidemark.client.ConsumedRecord;
import io.tidemark.client.Consumer;
import io.tidemark.tools.system.CommandFailure;
import io.tidemark.tools.system.Machine;
import java.time.Duration;

/** Reads a whole topic through a consumer. Runs on the caller's thread. */
final class ReadBack {
    private static final Duration POLL_TIMEOUT = Duration.ofMillis(500);
    private static final Duration IDLE_MAX = Duration.ofSeconds(30);

    private ReadBack() {}

    /**
     * Reads all records from the beginning to the high watermarks of this moment.
     *
     * @param client connected to the cluster
     * @param topic the topic
     * @param ledger judges what is read
     * @param narrator tells the progress
     * @param expected how many records there should be, for the progress
     * @return the end offset of each partition
     * @throws CommandFailure if no record comes for a while though the end is not reached
     */
    static long[] read(Client client, String topic, ReadLedger ledger, Narrator narrator, int expected) {
        int partitions = client.admin().describeTopic(topic).partitions().size();
        try (Consumer consumer = client.consumer()) {
            consumer.assign(topic);
            consumer.seekToEnd();
            long[] ends = positions(consumer, topic, partitions);
            consumer.seekToBeginning();
            long lastProgressNs = Machine.nanoTime();
            while (!hasReached(consumer, topic, ends)) {
                for (ConsumedRecord record : consumer.poll(POLL_TIMEOUT)) {
                    byte[] value = record.value();
                    if (record.offset() < ends[record.partition()]) {
                        ledger.onRecord(record.partition(), record.offset(), value == null ? new byte[0] : value);
                    }
                    lastProgressNs = Machine.nanoTime();
                }
                narrator.progress("read", ledger.read(), expected, "records");
                if (Machine.nanoTime() - lastProgressNs > IDLE_MAX.toNanos()) {
                    throw new CommandFailure("no record came for " + IDLE_MAX.toSeconds()
                            + "s while reading back: read=" + ledger.read() + ", expected=" + expected);
                }
            }
            return ends;
        }
    }

    private static long[] positions(Consumer consumer, String topic, int partitions) {
        long[] positions = new long[partitions];
        for (int partition = 0; partition < partitions; partition++) {
            positions[partition] = consumer.position(topic, partition);
        }
        return positions;
    }

    private static boolean hasReached(Consumer consumer, String topic, long[] ends) {
        for (int partition = 0; partition < ends.length; partition++) {
            if (consumer.position(topic, partition) < ends[partition]) {
                return false;
            }
        }
        return true;
    }
}

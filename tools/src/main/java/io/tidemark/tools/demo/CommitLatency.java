package io.tidemark.tools.demo;

import io.tidemark.client.Producer;
import io.tidemark.tools.system.CommandFailure;
import io.tidemark.tools.system.Machine;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * How long one record takes from the send to the acknowledgement by all in-sync replicas, when no other is under way.
 *
 * @param p50Micros half of the sends were faster, in microseconds
 * @param p99Micros 99 of 100 sends were faster, in microseconds
 */
record CommitLatency(long p50Micros, long p99Micros) {
    private static final int WARM_UP_SENDS = 2_000;
    private static final int MEASURED_SENDS = 4_000;
    private static final int VALUE_SIZE = 100;
    private static final long SEND_TIMEOUT_S = 30;

    /**
     * Measures, on the caller's thread, which waits for each record.
     *
     * @param producer with acks ALL
     * @param topic a topic with one partition
     * @return what was measured
     * @throws CommandFailure if a send fails
     */
    static CommitLatency measure(Producer producer, String topic) {
        byte[] value = new byte[VALUE_SIZE];
        long[] samplesNs = new long[MEASURED_SENDS];
        try {
            for (int i = -WARM_UP_SENDS; i < MEASURED_SENDS; i++) {
                long startNs = Machine.nanoTime();
                producer.send(topic, 0, null, value).get(SEND_TIMEOUT_S, TimeUnit.SECONDS);
                if (i >= 0) {
                    samplesNs[i] = Machine.nanoTime() - startNs;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure("interrupted while measuring the commit latency", e);
        } catch (ExecutionException e) {
            throw new CommandFailure("a send failed while measuring the commit latency: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new CommandFailure(
                    "a send was not acknowledged in " + SEND_TIMEOUT_S + "s while measuring the commit latency", e);
        }
        return of(samplesNs);
    }

    /**
     * Takes the percentiles.
     *
     * @param samplesNs one duration for each send, in nanoseconds; at least one; gets sorted
     * @return the percentiles, by nearest rank
     */
    static CommitLatency of(long[] samplesNs) {
        Arrays.sort(samplesNs);
        return new CommitLatency(percentile(samplesNs, 50), percentile(samplesNs, 99));
    }

    private static long percentile(long[] sortedNs, int percent) {
        int rank = (int) Math.ceil(sortedNs.length * percent / 100.0);
        return TimeUnit.NANOSECONDS.toMicros(sortedNs[Math.max(rank, 1) - 1]);
    }
}

package io.tidemark.jmh;

import io.tidemark.log.BatchBuilder;
import io.tidemark.log.Log;
import io.tidemark.log.LogConfig;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Logs with the same content, ours and Kafka's, for benchmarks that read. */
final class FilledLogs {
    /** Greatest size of a segment of both. */
    static final int SEGMENT_BYTES = 32 << 20;

    private static final long BYTES = 128L << 20;

    private FilledLogs() {}

    /**
     * How many records fill a log: about 128 MiB of batches.
     *
     * @param count records of a batch
     * @param valueBytes bytes of each value
     * @return number of records
     */
    static long records(int count, int valueBytes) {
        return BYTES / (61 + count * (valueBytes + 10L)) * count;
    }

    /**
     * Opens ours.
     *
     * @param folder of it
     * @return the log
     */
    static Log open(Path folder) {
        return Log.open(folder, LogConfig.builder().segmentBytes(SEGMENT_BYTES).build());
    }

    /**
     * Writes and closes ours.
     *
     * @param folder of it
     * @param count records of a batch
     * @param valueBytes bytes of each value
     */
    static void fillOurs(Path folder, int count, int valueBytes) {
        BatchBuilder batch = new BatchBuilder(count * (valueBytes + 40) + 128);
        for (int i = 0; i < count; i++) {
            batch.append(0, null, new byte[valueBytes]);
        }
        batch.build(-1, (short) -1, -1);
        try (Log log = open(folder)) {
            while (log.logEndOffset() < records(count, valueBytes)) {
                log.append(batch.buffer(), 0, batch.length(), 0);
            }
        }
    }

    /**
     * Writes and closes Kafka's.
     *
     * @param partition its folder
     * @param count records of a batch
     * @param valueBytes bytes of each value
     * @throws IOException if it cannot be written
     */
    static void fillKafkas(Path partition, int count, int valueBytes) throws IOException {
        MemoryRecords batch = KafkaLog.batch(count, valueBytes);
        try (KafkaLog log = new KafkaLog(partition, SEGMENT_BYTES, true)) {
            while (log.log().logEndOffset() < records(count, valueBytes)) {
                log.log().appendAsLeader(batch, 0);
            }
        }
    }
}

package io.tidemark.jmh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.util.KafkaScheduler;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;

/** The peer: Kafka's own log of one partition, without fsync, as its broker uses it. Not thread-safe. */
final class KafkaLog implements AutoCloseable {
    private final KafkaScheduler scheduler = new KafkaScheduler(1);
    private final UnifiedLog log;

    /**
     * Opens a partition.
     *
     * @param folder of the partition, made when it is not there
     * @param segmentBytes greatest size of a segment
     * @param isClean whether it was closed cleanly; if not, everything is read and checked
     * @throws IOException if the folder cannot be made or the log cannot be opened
     */
    KafkaLog(Path folder, int segmentBytes, boolean isClean) throws IOException {
        Files.createDirectories(folder);
        scheduler.startup();
        Properties properties = new Properties();
        properties.put("segment.bytes", String.valueOf(segmentBytes));
        log = UnifiedLog.create(
                folder.toFile(),
                new LogConfig(properties),
                0L,
                isClean ? Long.MAX_VALUE : 0L,
                scheduler,
                new BrokerTopicStats(),
                Time.SYSTEM,
                300_000,
                new ProducerStateManagerConfig(86_400_000, false),
                600_000,
                new LogDirFailureChannel(4),
                isClean,
                Optional.empty());
    }

    /**
     * Makes a batch.
     *
     * @param count number of records
     * @param valueBytes bytes of each value
     * @return the batch
     */
    static MemoryRecords batch(int count, int valueBytes) {
        SimpleRecord[] records = new SimpleRecord[count];
        for (int i = 0; i < count; i++) {
            records[i] = new SimpleRecord(0, null, new byte[valueBytes]);
        }
        return MemoryRecords.withRecords(Compression.NONE, records);
    }

    /**
     * The log itself.
     *
     * @return Kafka's object
     */
    UnifiedLog log() {
        return log;
    }

    @Override
    public void close() {
        log.close();
        try {
            scheduler.shutdown();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

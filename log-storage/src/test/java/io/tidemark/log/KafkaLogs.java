package io.tidemark.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.common.RequestLocal;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.server.util.KafkaScheduler;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.internals.log.VerificationGuard;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;

/** Kafka's whole log, opened on a partition folder, and one line per record from either side. */
final class KafkaLogs implements AutoCloseable {
    private final KafkaScheduler scheduler = new KafkaScheduler(1);

    KafkaLogs() {
        scheduler.startup();
    }

    /** Opens a folder with Kafka. */
    UnifiedLog open(Path partition, boolean clean, String... settings) throws Exception {
        final Properties properties = new Properties();
        properties.put("segment.bytes", "1048576");
        properties.put("index.interval.bytes", "4096");
        for (int i = 0; i < settings.length; i += 2) {
            properties.put(settings[i], settings[i + 1]);
        }
        return UnifiedLog.create(
                partition.toFile(),
                new org.apache.kafka.storage.internals.log.LogConfig(properties),
                0L,
                clean ? Long.MAX_VALUE : 0L,
                scheduler,
                new BrokerTopicStats(),
                Time.SYSTEM,
                300_000,
                new ProducerStateManagerConfig(86_400_000, false),
                600_000,
                new LogDirFailureChannel(4),
                clean,
                Optional.empty());
    }

    /** Appends a batch, as a client or as the coordinator of transactions. */
    static void append(UnifiedLog log, MemoryRecords batch, int epoch) throws IOException {
        if (batch.batchIterator().next().isControlBatch()) {
            log.appendAsLeader(
                    batch,
                    epoch,
                    AppendOrigin.COORDINATOR,
                    RequestLocal.noCaching(),
                    VerificationGuard.SENTINEL,
                    (short) 1);
        } else {
            log.appendAsLeader(batch, epoch);
        }
    }

    /** Everything that Kafka reads in a log. */
    static List<String> lines(UnifiedLog log) throws IOException {
        final List<String> lines = new ArrayList<>();
        long next = log.logStartOffset();
        while (next < log.logEndOffset()) {
            for (final var batch : log.read(next, 1 << 20, FetchIsolation.LOG_END, true)
                    .records
                    .batches()) {
                batch.ensureValid();
                for (final Record record : batch) {
                    lines.add(line(record, batch));
                }
                next = batch.nextOffset();
            }
        }
        return lines;
    }

    private static String line(Record record, org.apache.kafka.common.record.internal.RecordBatch batch) {
        final StringBuilder line = new StringBuilder();
        line.append(record.offset()).append(" epoch=").append(batch.partitionLeaderEpoch());
        line.append(" time=").append(record.timestamp());
        line.append(" codec=").append(batch.compressionType().name);
        line.append(" control=").append(batch.isControlBatch());
        line.append(" transactional=").append(batch.isTransactional());
        line.append(" producer=").append(batch.producerId());
        line.append(" key=").append(record.hasKey() ? hex(bytes(record.key())) : "null");
        line.append(" value=").append(record.hasValue() ? hex(bytes(record.value())) : "null");
        for (final Header header : record.headers()) {
            line.append(" header=").append(header.key()).append(':');
            line.append(header.value() == null ? "null" : hex(header.value()));
        }
        return line.toString();
    }

    /** The same of ours. */
    static List<String> lines(Log log) {
        final List<String> lines = new ArrayList<>();
        log.forEachBatch(log.logStartOffset(), Long.MAX_VALUE, batch -> {
            batch.ensureValid();
            final RecordCursor record = batch.records();
            while (record.next()) {
                lines.add(line(record, batch));
            }
        });
        return lines;
    }

    private static String line(RecordCursor record, RecordBatch batch) {
        final StringBuilder line = new StringBuilder();
        line.append(record.offset()).append(" epoch=").append(batch.leaderEpoch());
        line.append(" time=").append(record.timestamp());
        line.append(" codec=").append(batch.compression().label());
        line.append(" control=").append(batch.isControl());
        line.append(" transactional=").append(batch.isTransactional());
        line.append(" producer=").append(batch.producerId());
        line.append(" key=").append(record.keyLength() < 0 ? "null" : hex(record.key()));
        line.append(" value=").append(record.valueLength() < 0 ? "null" : hex(record.value()));
        final HeaderCursor headers = record.headers();
        while (headers.next()) {
            final byte[] value = headers.value();
            line.append(" header=").append(headers.key()).append(':');
            line.append(value == null ? "null" : hex(value));
        }
        return line.toString();
    }

    private static byte[] bytes(ByteBuffer buffer) {
        final byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    private static String hex(byte[] bytes) {
        return bytes.length > 16
                ? HexFormat.of().formatHex(bytes, 0, 16) + "+" + bytes.length
                : HexFormat.of().formatHex(bytes);
    }

    /** Copies the files of a folder. */
    static void copyFiles(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (final Path file : files.toList()) {
                if (Files.isRegularFile(file)) {
                    Files.copy(file, to.resolve(file.getFileName()));
                }
            }
        }
    }

    @Override
    public void close() {
        try {
            scheduler.shutdown();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package io.tidemark.jmh;

import io.tidemark.log.Log;
import io.tidemark.log.LogSlice;
import io.tidemark.log.RecordBatch;
import io.tidemark.log.RecordCursor;
import java.io.IOException;
import java.util.Collections;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does one batch cost when a log is read from its beginning to its end, with its checksum and all its records?
 *
 * <p>Expected: the checksum at memory speed (10 ns for 100 B, 1.2 µs for 64 KiB) plus a few nanoseconds per record for
 * its lengths. The log (128 MiB in segments of 32 MiB, in the page cache) is read in slices of 1 MiB, round and round.
 * Run with {@code -prof gc}: {@code tidemark} makes no garbage.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 3, jvmArgsAppend = "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED")
@State(Scope.Thread)
public class ScanBenchmark {
    private static final int SLICE_BYTES = 1 << 20;

    /** Bytes of a record's value. */
    @Param({"100", "1024"})
    public int valueBytes;

    /** Records in a batch. */
    @Param({"1", "100"})
    public int batchRecords;

    private final LogSlice slice = new LogSlice();
    private final RecordBatch batch = new RecordBatch();
    private BenchmarkFolder folder;
    private Log log;
    private KafkaLog kafka;
    private int at;
    private int end;
    private long next;
    private Iterator<? extends org.apache.kafka.common.record.internal.RecordBatch> batches =
            Collections.emptyIterator();

    /** Creates the benchmark's state. */
    public ScanBenchmark() {}

    /**
     * Fills both logs and opens them.
     *
     * @throws IOException if a log cannot be written
     */
    @Setup(Level.Trial)
    public void open() throws IOException {
        folder = new BenchmarkFolder();
        FilledLogs.fillOurs(folder.path().resolve("ours"), batchRecords, valueBytes);
        FilledLogs.fillKafkas(folder.path().resolve("kafka-0"), batchRecords, valueBytes);
        log = FilledLogs.open(folder.path().resolve("ours"));
        kafka = new KafkaLog(folder.path().resolve("kafka-0"), FilledLogs.SEGMENT_BYTES, true);
    }

    /**
     * Closes both and removes them.
     *
     * @throws IOException if the folder cannot be removed
     */
    @TearDown(Level.Trial)
    public void close() throws IOException {
        slice.close();
        log.close();
        kafka.close();
        folder.delete();
    }

    /**
     * Reads the next batch of ours.
     *
     * @return something of each record
     */
    @Benchmark
    public long tidemark() {
        if (at == end) {
            if (!log.read(next, SLICE_BYTES, Long.MAX_VALUE, slice)) {
                next = 0;
                log.read(next, SLICE_BYTES, Long.MAX_VALUE, slice);
            }
            at = slice.index();
            end = at + slice.length();
            next = slice.nextOffset();
        }
        batch.wrap(slice.buffer(), at, end - at);
        at += batch.sizeInBytes();
        batch.ensureValid();
        RecordCursor records = batch.records();
        long sum = 0;
        while (records.next()) {
            sum += records.offset() + records.valueLength();
        }
        return sum;
    }

    /**
     * Reads the next batch of Kafka's.
     *
     * @return something of each record
     * @throws IOException if it cannot be read
     */
    @Benchmark
    public long kafka() throws IOException {
        if (!batches.hasNext()) {
            if (next >= kafka.log().logEndOffset()) {
                next = 0;
            }
            batches = kafka.log()
                    .read(next, SLICE_BYTES, FetchIsolation.LOG_END, true)
                    .records
                    .batches()
                    .iterator();
        }
        org.apache.kafka.common.record.internal.RecordBatch read = batches.next();
        read.ensureValid();
        long sum = 0;
        for (Record record : read) {
            sum += record.offset() + record.valueSize();
        }
        next = read.nextOffset();
        return sum;
    }
}

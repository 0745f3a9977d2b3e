package io.tidemark.jmh;

import io.tidemark.log.Log;
import io.tidemark.log.LogSlice;
import io.tidemark.log.RecordBatch;
import io.tidemark.log.RecordCursor;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
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
 * What does it cost to find the batch of an offset drawn at random and to reach its first record?
 *
 * <p>Expected: a binary search over the segments and over the sparse index in memory (some 15 steps), then up to one
 * index interval (4 KiB) of headers one by one: below a microsecond, most of it cache misses. The offsets come from a
 * fixed seed; the log (128 MiB) is in the page cache.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 3, jvmArgsAppend = "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED")
@State(Scope.Thread)
public class RandomReadBenchmark {
    /** Bytes of a record's value; one record in a batch. */
    @Param({"100", "1024"})
    public int valueBytes;

    private final LogSlice slice = new LogSlice();
    private final RecordBatch batch = new RecordBatch();
    private SplittableRandom random = new SplittableRandom(1);
    private BenchmarkFolder folder;
    private Log log;
    private KafkaLog kafka;
    private long records;

    /** Creates the benchmark's state. */
    public RandomReadBenchmark() {}

    /**
     * Fills both logs and opens them.
     *
     * @throws IOException if a log cannot be written
     */
    @Setup(Level.Trial)
    public void open() throws IOException {
        folder = new BenchmarkFolder();
        records = FilledLogs.records(1, valueBytes);
        FilledLogs.fillOurs(folder.path().resolve("ours"), 1, valueBytes);
        FilledLogs.fillKafkas(folder.path().resolve("kafka-0"), 1, valueBytes);
        log = FilledLogs.open(folder.path().resolve("ours"));
        kafka = new KafkaLog(folder.path().resolve("kafka-0"), FilledLogs.SEGMENT_BYTES, true);
        random = new SplittableRandom(1);
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
     * Reads one batch of ours.
     *
     * @return the length of its first value
     */
    @Benchmark
    public int tidemark() {
        log.read(random.nextLong(records), 1, Long.MAX_VALUE, slice);
        RecordCursor first =
                batch.wrap(slice.buffer(), slice.index(), slice.length()).records();
        first.next();
        return first.valueLength();
    }

    /**
     * Reads one batch of Kafka's.
     *
     * @return the length of its first value
     * @throws IOException if it cannot be read
     */
    @Benchmark
    public int kafka() throws IOException {
        return kafka.log()
                .read(random.nextLong(records), 1, FetchIsolation.LOG_END, true)
                .records
                .records()
                .iterator()
                .next()
                .valueSize();
    }
}

package io.tidemark.jmh;

import io.tidemark.log.BatchBuilder;
import io.tidemark.log.LogConfig;
import io.tidemark.log.LogStore;
import io.tidemark.log.LogStoreConfig;
import io.tidemark.log.TopicPartition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.storage.internals.log.LogAppendInfo;
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
 * What does one append to a log cost, beside Kafka's own log and the bare copy of the same bytes into memory?
 *
 * <p>Expected: the copy plus a checksum (10 ns for 100 B, 27 ns for 1 KiB) plus some twenty nanoseconds of checks,
 * while the maintenance thread keeps its preallocation ahead of the writer; a writer that is faster than the disk takes
 * blocks then pays for filling them itself. No fsync; one writer; the segment is 256 MiB, so that rolls are part of the
 * figure. Run with {@code -prof gc}: {@code gc.alloc.rate.norm} has to be about 0 B.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 3, jvmArgsAppend = "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED")
@State(Scope.Thread)
public class AppendBenchmark {
    private static final int SEGMENT_BYTES = 256 << 20;
    private static final long IDLE_NS = 50_000;

    /** Bytes of a record's value. */
    @Param({"100", "1024"})
    public int valueBytes;

    /** Records in a batch. */
    @Param({"1", "100"})
    public int batchRecords;

    private Path folder = Path.of("");
    private LogStore store;
    private io.tidemark.log.Log log;
    private BatchBuilder batch;
    private UnsafeBuffer memory;
    private Thread maintenance;
    private volatile boolean stopped;

    /** Creates the benchmark's state. */
    public AppendBenchmark() {}

    /**
     * Opens a log in a fresh folder and fills one batch.
     *
     * @throws IOException if there is no place for temporary files
     */
    @Setup(Level.Iteration)
    public void open() throws IOException {
        folder = Files.createTempDirectory("tidemark-append");
        store = LogStore.open(folder, LogStoreConfig.defaults());
        log = store.openLog(
                new TopicPartition("bench", 0),
                UUID.randomUUID(),
                LogConfig.builder().segmentBytes(SEGMENT_BYTES).build());
        batch = new BatchBuilder(batchRecords * (valueBytes + 32) + 128);
        byte[] value = new byte[valueBytes];
        for (int i = 0; i < batchRecords; i++) {
            batch.append(0, null, value);
        }
        batch.build(-1, (short) -1, -1);
        memory = new UnsafeBuffer(new byte[SEGMENT_BYTES]);
        stopped = false;
        maintenance = new Thread(this::maintain);
        maintenance.start();
    }

    private void maintain() {
        while (!stopped) {
            if (store.maintain() == 0) {
                LockSupport.parkNanos(IDLE_NS);
            }
        }
    }

    /**
     * Closes the log and removes its folder.
     *
     * @throws IOException if the folder cannot be read
     * @throws InterruptedException if interrupted
     */
    @TearDown(Level.Iteration)
    public void close() throws IOException, InterruptedException {
        stopped = true;
        maintenance.join();
        store.close();
        try (var paths = Files.walk(folder)) {
            paths.sorted(Comparator.reverseOrder()).forEach(AppendBenchmark::delete);
        }
    }

    private static void delete(Path path) {
        try {
            Files.delete(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Appends one batch as a leader does.
     *
     * @return its base offset
     */
    @Benchmark
    public long append() {
        return log.append(batch.buffer(), 0, batch.length(), 1);
    }

    /** The peer's log, in a folder of its own. */
    @State(Scope.Thread)
    public static class Peer {
        private BenchmarkFolder place;
        private KafkaLog peer;
        private MemoryRecords records;

        /** Creates the state. */
        public Peer() {}

        /**
         * Opens the log.
         *
         * @param benchmark that says what a batch holds
         * @throws IOException if there is no place for temporary files
         */
        @Setup(Level.Iteration)
        public void open(AppendBenchmark benchmark) throws IOException {
            place = new BenchmarkFolder();
            peer = new KafkaLog(place.path().resolve("bench-0"), SEGMENT_BYTES, true);
            records = KafkaLog.batch(benchmark.batchRecords, benchmark.valueBytes);
        }

        /**
         * Closes the log and removes its folder.
         *
         * @throws IOException if the folder cannot be removed
         */
        @TearDown(Level.Iteration)
        public void close() throws IOException {
            peer.close();
            place.delete();
        }
    }

    /**
     * Kafka's own log appends the same batch as a leader does.
     *
     * @param peer its log
     * @return what it did
     * @throws IOException if it cannot be appended
     */
    @Benchmark
    public LogAppendInfo kafka(Peer peer) throws IOException {
        return peer.peer.log().appendAsLeader(peer.records, 1);
    }

    /**
     * The floor: the same bytes copied round and round in memory.
     *
     * @return the position
     */
    @Benchmark
    public int copyOnly() {
        int next = position + batch.length() > SEGMENT_BYTES ? 0 : position;
        memory.putBytes(next, batch.buffer(), 0, batch.length());
        position = next + batch.length();
        return position;
    }

    private int position;
}

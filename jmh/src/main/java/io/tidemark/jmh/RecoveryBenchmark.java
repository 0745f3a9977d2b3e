package io.tidemark.jmh;

import io.tidemark.log.Log;
import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
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
 * How long does it take to open a log of 128 MiB: after a clean stop, and after a crash when nothing is known to be
 * durable, so that every batch is read and summed? Closing it again is part of the figure, forces included.
 *
 * <p>Expected: the crash costs the reading of 128 MiB through the channel (10 GB/s from the page cache) plus the
 * checksums, some tens of milliseconds; the clean stop costs a few small files.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5)
@Measurement(iterations = 10)
@Fork(value = 3, jvmArgsAppend = "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED")
@State(Scope.Thread)
public class RecoveryBenchmark {
    /** Bytes of a record's value; a hundred records in a batch. */
    @Param({"100", "1024"})
    public int valueBytes;

    private BenchmarkFolder folder;

    /** Creates the benchmark's state. */
    public RecoveryBenchmark() {}

    /**
     * Fills both logs.
     *
     * @throws IOException if a log cannot be written
     */
    @Setup(Level.Trial)
    public void fill() throws IOException {
        folder = new BenchmarkFolder();
        FilledLogs.fillOurs(folder.path().resolve("ours"), 100, valueBytes);
        FilledLogs.fillKafkas(folder.path().resolve("kafka-0"), 100, valueBytes);
    }

    /**
     * Removes both.
     *
     * @throws IOException if the folder cannot be removed
     */
    @TearDown(Level.Trial)
    public void delete() throws IOException {
        folder.delete();
    }

    /**
     * Opens ours after a crash: marker and recovery point are gone, as if nothing had ever been forced.
     *
     * @return the end of the log
     * @throws IOException if a file cannot be removed
     */
    @Benchmark
    public long tidemarkAfterCrash() throws IOException {
        Files.deleteIfExists(folder.path().resolve("ours").resolve("tidemark.clean-stop"));
        Files.deleteIfExists(folder.path().resolve("ours").resolve("recovery-point-offset-checkpoint"));
        try (Log log = FilledLogs.open(folder.path().resolve("ours"))) {
            if (!log.recoveryReport().scanned()) {
                throw new IllegalStateException("the log was not recovered");
            }
            return log.logEndOffset();
        }
    }

    /**
     * Opens ours after a clean stop.
     *
     * @return the end of the log
     */
    @Benchmark
    public long tidemarkAfterStop() {
        try (Log log = FilledLogs.open(folder.path().resolve("ours"))) {
            return log.logEndOffset();
        }
    }

    /**
     * Opens Kafka's after a crash.
     *
     * @return the end of the log
     * @throws IOException if it cannot be opened
     */
    @Benchmark
    public long kafkaAfterCrash() throws IOException {
        try (KafkaLog log = new KafkaLog(folder.path().resolve("kafka-0"), FilledLogs.SEGMENT_BYTES, false)) {
            return log.log().logEndOffset();
        }
    }

    /**
     * Opens Kafka's after a clean stop.
     *
     * @return the end of the log
     * @throws IOException if it cannot be opened
     */
    @Benchmark
    public long kafkaAfterStop() throws IOException {
        try (KafkaLog log = new KafkaLog(folder.path().resolve("kafka-0"), FilledLogs.SEGMENT_BYTES, true)) {
            return log.log().logEndOffset();
        }
    }
}

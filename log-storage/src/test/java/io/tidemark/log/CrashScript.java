package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tidemark.log.io.FileSystem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Something done with a data folder and its log, and what was promised about it so far. The promises are kept up to
 * date before and after each call, so that they hold wherever a call is stopped.
 */
final class CrashScript {
    /** The log. */
    static final TopicPartition PARTITION = new TopicPartition("orders", 3);
    /** Its topic. */
    static final UUID TOPIC = new UUID(7, 9);

    /** What is done. */
    @FunctionalInterface
    interface Steps {
        void run(CrashScript script);
    }

    final Path directory;
    final FileSystem fileSystem;
    final LogConfig config;
    /** What the log holds, line by line. */
    List<String> lines = new ArrayList<>();
    /** What was forced. */
    List<String> flushed = new ArrayList<>();
    /** What is being appended. */
    List<String> inFlight = List.of();
    /** The least that a truncation under way leaves; null when there is none. */
    @Nullable
    List<String> truncatingTo;
    /** Where the log begins. */
    long start;
    /** Where the log will begin when the call under way has emptied it; -1 when there is no such call. */
    long startNext = -1;
    /** Highest incarnation that was begun durably. */
    long incarnation = LogStore.NO_INCARNATION;
    /** Highest controller epoch that was recorded durably. */
    long controllerEpoch = -1;
    /** High watermark that was checkpointed, and the one that may be. */
    long[] highWatermarks = {0, 0};
    /** Whether the folder was given to a broker durably. */
    boolean isBound;

    private @Nullable LogStore store;
    private @Nullable Log log;
    private long appended;

    CrashScript(Path directory, FileSystem fileSystem, LogConfig config) {
        this.directory = directory;
        this.fileSystem = fileSystem;
        this.config = config;
    }

    /** Opens a data folder with a clock in which recovery points are always due. */
    static LogStore open(Path directory, FileSystem fileSystem) {
        final long[] now = {0};
        return LogStore.open(
                directory,
                LogStoreConfig.defaults(),
                fileSystem,
                SystemEpochClock.INSTANCE,
                () -> now[0] += 10_000_000_000L);
    }

    /** Does it all. The store is closed at the end, however it comes. */
    void run(Steps steps) {
        try {
            openStore();
            steps.run(this);
            closeStore();
        } finally {
            final LogStore opened = store;
            if (opened != null) {
                opened.close();
            }
        }
    }

    private LogStore store() {
        return Objects.requireNonNull(store);
    }

    private Log log() {
        return Objects.requireNonNull(log);
    }

    void openStore() {
        store = open(directory, fileSystem);
    }

    void openLog() {
        log = store().openLog(PARTITION, TOPIC, config);
    }

    void closeStore() {
        store().close();
        flushed = new ArrayList<>(lines);
    }

    void restart() {
        closeStore();
        openStore();
        openLog();
    }

    void append(int epoch) {
        final String value = value();
        final long offset = log().logEndOffset();
        inFlight = List.of(offset + "@" + epoch + "=" + value);
        assertEquals(offset, TestBatches.append(log(), epoch, value));
        appendedAll();
    }

    /** Several records in one batch, behind a gap, as a follower. */
    void appendReplicated(int epoch, int gap, int records) {
        final String[] values = new String[records];
        final long offset = log().logEndOffset() + gap;
        inFlight = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            values[i] = value();
            inFlight.add(offset + i + "@" + epoch + "=" + values[i]);
        }
        final UnsafeBuffer batch = TestBatches.replicated(offset, epoch, values);
        assertEquals(offset + records, TestBatches.appendReplicated(log(), batch));
        appendedAll();
    }

    private String value() {
        return "value-" + appended++ + "-" + "z".repeat((int) (60 + appended * 37 % 90));
    }

    private void appendedAll() {
        lines.addAll(inFlight);
        inFlight = List.of();
    }

    /** Cuts the log so that it ends with a line. */
    void truncateAfter(int size) {
        final List<String> kept = new ArrayList<>(lines.subList(0, size));
        truncatingTo = kept;
        flushed = new ArrayList<>(flushed.subList(0, Math.min(size, flushed.size())));
        final long end = size == 0 ? start : offsetOf(lines.get(size - 1)) + 1;
        assertEquals(end, log().truncateTo(end));
        lines = kept;
        truncatingTo = null;
    }

    void restartAt(long offset) {
        truncatingTo = List.of();
        flushed = new ArrayList<>();
        startNext = offset;
        log().truncateFullyAndStartAt(offset);
        lines = new ArrayList<>();
        start = offset;
        startNext = -1;
        truncatingTo = null;
    }

    void flush() {
        log().flush();
        flushed = new ArrayList<>(lines);
    }

    void maintain() {
        store().maintain();
    }

    void beginEpoch(int epoch) {
        log().startEpoch(epoch);
    }

    void bind() {
        store().bind("cluster-a", 3);
        isBound = true;
    }

    void beginIncarnation(long number) {
        store().beginIncarnation(number);
        incarnation = number;
    }

    void recordControllerEpoch(long epoch) {
        store().recordControllerEpoch(epoch);
        controllerEpoch = epoch;
    }

    void checkpointHighWatermark(long offset) {
        highWatermarks[1] = offset;
        store().checkpointHighWatermarks(Map.of(PARTITION, offset));
        highWatermarks[0] = offset;
    }

    int size() {
        return lines.size();
    }

    /** The offset that a line of {@link TestBatches#records} begins with. */
    static long offsetOf(String line) {
        return Long.parseLong(line.substring(0, line.indexOf('@')));
    }

    /** The epoch in a line of {@link TestBatches#records}. */
    static int epochOf(String line) {
        return Integer.parseInt(line.substring(line.indexOf('@') + 1, line.indexOf('=')));
    }
}

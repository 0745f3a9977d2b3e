package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.io.FaultyFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A log and a plain list of what it must hold. */
final class ModelledLog implements AutoCloseable {
    private static final LogConfig SMALL = LogConfig.builder()
            .segmentBytes(2048)
            .batchBytesMax(1024)
            .indexIntervalBytes(150)
            .indexBytes(80)
            .build();

    /** A batch. */
    private record Batch(long baseOffset, int epoch, List<String> values) {
        long endOffset() {
            return baseOffset + values.size();
        }

        List<String> lines() {
            final List<String> lines = new ArrayList<>();
            for (int i = 0; i < values.size(); i++) {
                lines.add(baseOffset + i + "@" + epoch + "=" + values.get(i));
            }
            return lines;
        }
    }

    /** Says what is being done, for messages. */
    String what = "";

    private final Path folder;
    private final List<Batch> batches = new ArrayList<>();
    private Path directory;
    private FaultyFileSystem fileSystem;
    private LogStore store;
    private Log log;
    private int boots = 1;
    private int runs;
    private int epoch;
    private int written;
    private int flushedBatches;
    private long startOffset;
    private long endOffset;

    ModelledLog(Path folder) {
        this.folder = folder;
        this.directory = folder.resolve("run-0");
        open();
    }

    private void open() {
        fileSystem = new FaultyFileSystem(runs);
        fileSystem.reboot("boot-" + boots);
        store = CrashScript.open(directory, fileSystem);
        log = store.openLog(CrashScript.PARTITION, CrashScript.TOPIC, SMALL);
    }

    Log real() {
        return log;
    }

    /** Whether there is a record at or behind an offset. */
    boolean holdsFrom(long offset) {
        return !batches.isEmpty() && offset < batches.get(batches.size() - 1).endOffset();
    }

    private List<String> values(int count) {
        final List<String> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            written++;
            values.add("v" + written + "x".repeat(written * 31 % 120));
        }
        return values;
    }

    void lead(int count, boolean isNewEpoch) {
        epoch += isNewEpoch ? 1 : 0;
        final Batch batch = new Batch(endOffset, epoch, values(count));
        assertEquals(endOffset, TestBatches.append(log, epoch, batch.values().toArray(new String[0])), what);
        add(batch);
    }

    void follow(int count, int gap) {
        final Batch batch = new Batch(endOffset + gap, epoch, values(count));
        final String[] texts = batch.values().toArray(new String[0]);
        assertEquals(
                batch.endOffset(),
                TestBatches.appendReplicated(log, TestBatches.replicated(batch.baseOffset(), epoch, texts)),
                what);
        add(batch);
    }

    private void add(Batch batch) {
        batches.add(batch);
        endOffset = batch.endOffset();
    }

    /** Fills the segment. */
    void roll() {
        for (int i = 0; i < 6; i++) {
            final Batch batch = new Batch(endOffset, epoch, List.of("r".repeat(300)));
            assertEquals(
                    endOffset, TestBatches.append(log, epoch, batch.values().get(0)), what);
            add(batch);
        }
    }

    void flush() {
        log.flush();
        flushedBatches = batches.size();
        assertEquals(endOffset, log.flushedOffset(), what);
    }

    void maintain() {
        store.maintain();
    }

    void beginEpoch() {
        epoch++;
        log.startEpoch(epoch);
    }

    void truncate(int back) {
        final long target = Math.max(startOffset, endOffset - back);
        while (!batches.isEmpty() && batches.get(batches.size() - 1).endOffset() > target) {
            batches.remove(batches.size() - 1);
        }
        final long found = log.truncateTo(target);
        final long least = batches.isEmpty()
                ? startOffset
                : batches.get(batches.size() - 1).endOffset();
        assertTrue(found >= least && found <= target, () -> what + ", target=" + target + ", end=" + found);
        endOffset = found;
        flushedBatches = Math.min(flushedBatches, batches.size());
        epoch = Math.max(epoch, log.latestEpoch());
    }

    void empty(int ahead) {
        startOffset = endOffset + ahead;
        endOffset = startOffset;
        log.truncateFullyAndStartAt(startOffset);
        batches.clear();
        flushedBatches = 0;
    }

    void read(int place, int maxBytes) {
        final long from = startOffset + (endOffset > startOffset ? place % (endOffset - startOffset) : 0);
        try (LogSlice slice = new LogSlice()) {
            if (log.read(from, maxBytes, Long.MAX_VALUE, slice)) {
                final List<String> expected = linesFrom(from);
                final List<String> lines = TestBatches.records(slice);
                assertEquals(expected.subList(0, lines.size()), lines, what);
            } else {
                assertFalse(holdsFrom(from), what);
            }
        }
    }

    private List<String> linesFrom(long offset) {
        final List<String> lines = new ArrayList<>();
        for (final Batch batch : batches) {
            if (batch.endOffset() > offset) {
                lines.addAll(batch.lines());
            }
        }
        return lines;
    }

    /** Where an epoch ends. One without records may have begun in front of a gap, or at the end of the log. */
    void lookUp(int asked) {
        final int which = asked % (epoch + 2);
        int known = Log.NO_EPOCH;
        long least = startOffset;
        long greatest = batches.isEmpty() ? endOffset : batches.get(0).baseOffset();
        for (int i = 0; i < batches.size(); i++) {
            if (batches.get(i).epoch() <= which) {
                known = batches.get(i).epoch();
                least = batches.get(i).endOffset();
                greatest = i + 1 < batches.size() ? batches.get(i + 1).baseOffset() : endOffset;
            }
        }
        final EpochEnd found = log.endOffsetForEpoch(which);
        assertTrue(found.epoch() >= known && found.epoch() <= which, () -> what + ", found=" + found);
        assertTrue(found.endOffset() >= least && found.endOffset() <= greatest, () -> what + ", found=" + found);
    }

    void check() {
        assertEquals(endOffset, log.logEndOffset(), what);
        assertEquals(startOffset, log.logStartOffset(), what);
        assertTrue(log.flushedOffset() <= endOffset, what);
        if (written % 5 == 0) {
            assertEquals(linesFrom(0), TestBatches.records(log, startOffset), what);
        }
    }

    void restart() {
        store.close();
        flushedBatches = batches.size();
        runs++;
        open();
        assertFalse(log.recoveryReport().scanned(), what);
        check(linesFrom(0));
    }

    private void check(List<String> expected) {
        assertEquals(expected, TestBatches.records(log, log.logStartOffset()), what);
        // A gap at the very end is known to the file names only.
        endOffset = log.logEndOffset();
        epoch = Math.max(epoch, log.latestEpoch());
    }

    void kill() throws IOException {
        final Path next = next();
        copy(directory, next);
        abandon(next);
        check(linesFrom(0));
    }

    void failPower(long seed) throws IOException {
        final Path next = next();
        fileSystem.writePowerFailureImage(directory, next, seed);
        boots++;
        abandon(next);
        final List<String> found = TestBatches.records(log, log.logStartOffset());
        int kept = batches.size();
        while (kept > 0 && batches.get(kept - 1).endOffset() > log.logEndOffset()) {
            kept--;
        }
        final int lost = kept;
        assertTrue(kept >= flushedBatches, () -> what + ", kept=" + lost + ", flushed=" + flushedBatches);
        batches.subList(kept, batches.size()).clear();
        check(linesFrom(0));
        assertEquals(linesFrom(0), found, what);
        flushedBatches = 0;
    }

    private Path next() {
        runs++;
        return folder.resolve("run-" + runs);
    }

    private void abandon(Path next) {
        store.abandon();
        directory = next;
        open();
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (final Path file : files.toList()) {
                final Path target = to.resolve(from.relativize(file));
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target);
                }
            }
        }
    }

    @Override
    public void close() {
        store.close();
    }
}

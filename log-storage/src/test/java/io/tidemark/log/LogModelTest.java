package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random operations on a log beside a plain list. Replay: add the printed seed to the values of the test. */
class LogModelTest {
    private static final LogConfig SMALL = LogConfig.builder()
            .segmentBytes(2048)
            .batchBytesMax(1024)
            .indexIntervalBytes(150)
            .indexBytes(80)
            .build();

    /** A batch of the model. */
    private record Entry(long baseOffset, int epoch, List<String> values) {
        long nextOffset() {
            return baseOffset + values.size();
        }
    }

    private final List<Entry> model = new ArrayList<>();
    private final List<LogSlice> leases = new ArrayList<>();
    private final List<List<String>> leased = new ArrayList<>();
    private int epoch;
    private long startOffset;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldDoWhatAListDoes(long seed) throws IOException {
        System.err.println("seed=" + seed + "; replay: -Dtest=LogModelTest with this seed in @ValueSource");
        final SplittableRandom random = new SplittableRandom(seed);
        Path at = folder.resolve("run-0");
        Log log = Log.open(at, SMALL);
        for (int step = 0; step < 600; step++) {
            final int action = random.nextInt(100);
            if (action < 55) {
                append(log, random);
            } else if (action < 65) {
                truncate(log, random);
            } else if (action < 75) {
                log.maintain();
            } else if (action < 80) {
                log.flush();
                assertEquals(end(), log.flushedOffset());
            } else if (action < 90) {
                lease(log, random);
            } else if (action < 94) {
                giveBack(random);
            } else if (action < 97) {
                log.close();
                // Leases outlive the log, but not a truncation by the next one that opens the folder in this JVM.
                while (!leases.isEmpty()) {
                    giveBack(random);
                }
                log = Log.open(at, SMALL);
            } else {
                final Path next = folder.resolve("run-" + (step + 1));
                copy(at, next);
                log.close();
                at = next;
                log = Log.open(at, SMALL);
            }
            check(log, random, "seed=" + seed + ", step=" + step + ", action=" + action);
        }
        log.close();
        while (!leases.isEmpty()) {
            giveBack(random);
        }
    }

    private long end() {
        return model.isEmpty() ? startOffset : model.get(model.size() - 1).nextOffset();
    }

    private void append(Log log, SplittableRandom random) {
        epoch += random.nextInt(8) == 0 ? 1 : 0;
        final List<String> values = new ArrayList<>();
        final int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            values.add("v" + random.nextInt(1000) + "x".repeat(random.nextInt(60)));
        }
        final Entry entry = new Entry(end(), epoch, values);
        final String[] texts = values.toArray(new String[0]);
        if (random.nextBoolean()) {
            assertEquals(entry.baseOffset(), TestBatches.append(log, epoch, texts));
        } else {
            final UnsafeBuffer batch = TestBatches.replicated(entry.baseOffset(), epoch, texts);
            assertEquals(entry.nextOffset(), TestBatches.appendReplicated(log, batch));
        }
        model.add(entry);
    }

    private void truncate(Log log, SplittableRandom random) {
        if (random.nextInt(10) == 0) {
            startOffset = end() + random.nextInt(100);
            log.truncateFullyAndStartAt(startOffset);
            model.clear();
            return;
        }
        final long back = random.nextInt(4) == 0 ? random.nextInt(200) : random.nextInt(8);
        final long target = Math.max(startOffset, end() - back);
        while (!model.isEmpty() && model.get(model.size() - 1).nextOffset() > target) {
            model.remove(model.size() - 1);
        }
        assertEquals(end(), log.truncateTo(target));
    }

    private void lease(Log log, SplittableRandom random) {
        final LogSlice slice = new LogSlice();
        final long from = startOffset + (end() > startOffset ? random.nextLong(end() - startOffset) : 0);
        if (log.read(from, random.nextInt(2000), Long.MAX_VALUE, slice)) {
            leases.add(slice);
            leased.add(TestBatches.records(slice));
        } else {
            assertEquals(end(), from);
        }
    }

    private void giveBack(SplittableRandom random) {
        if (!leases.isEmpty()) {
            final int number = random.nextInt(leases.size());
            assertEquals(leased.remove(number), TestBatches.records(leases.get(number)));
            leases.remove(number).close();
        }
    }

    private void check(Log log, SplittableRandom random, String what) {
        assertEquals(end(), log.logEndOffset(), what);
        assertEquals(startOffset, log.logStartOffset(), what);
        final int first = model.isEmpty() ? 0 : random.nextInt(model.size());
        final List<String> expected = new ArrayList<>();
        for (final Entry entry : model.subList(first, model.size())) {
            for (int i = 0; i < entry.values().size(); i++) {
                expected.add(entry.baseOffset() + i + "@" + entry.epoch() + "="
                        + entry.values().get(i));
            }
        }
        final long from = model.isEmpty() ? end() : model.get(first).baseOffset();
        assertEquals(expected, TestBatches.records(log, from), what);
        final int asked = random.nextInt(epoch + 2);
        assertEquals(endOf(asked), log.endOffsetForEpoch(asked), what);
        try (LogSlice slice = new LogSlice()) {
            final long limit = startOffset + random.nextLong(end() - startOffset + 1);
            final boolean isRead = log.read(startOffset, Integer.MAX_VALUE, limit, slice);
            assertTrue(!isRead || slice.nextOffset() <= limit, what);
            assertFalse(!isRead && slice.isOpen(), what);
        }
    }

    private EpochEnd endOf(int asked) {
        EpochEnd end = new EpochEnd(Log.NO_EPOCH, startOffset);
        for (final Entry entry : model) {
            if (entry.epoch() <= asked) {
                end = new EpochEnd(entry.epoch(), entry.nextOffset());
            }
        }
        return end;
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
}

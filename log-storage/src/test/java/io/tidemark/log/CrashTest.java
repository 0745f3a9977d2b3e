package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.io.FaultyFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.agrona.concurrent.SystemEpochClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A script of everything that a log does is stopped at every single step of its input and output. */
class CrashTest {
    private static final TopicPartition PARTITION = new TopicPartition("orders", 3);
    private static final UUID TOPIC = new UUID(7, 9);
    private static final LogConfig SMALL = LogConfig.builder()
            .segmentBytes(4096)
            .batchBytesMax(1024)
            .indexIntervalBytes(200)
            .indexBytes(4096)
            .build();

    @TempDir
    Path folder;

    /** What the script did, as far as it got. */
    private static final class Progress {
        /** What the log holds, line by line. */
        List<String> lines = new ArrayList<>();
        /** What was forced. */
        List<String> flushed = new ArrayList<>();
        /** A truncation that may or may not have happened. */
        boolean isTruncating;

        long appended;
    }

    private static LogStore open(Path directory, FaultyFileSystem fileSystem) {
        final long[] now = {0};
        return LogStore.open(
                directory,
                LogStoreConfig.defaults(),
                fileSystem,
                SystemEpochClock.INSTANCE,
                () -> now[0] += 10_000_000_000L);
    }

    private static void append(Log log, Progress progress, int epoch) {
        final String value = "value-" + progress.appended++ + "-" + "z".repeat(100);
        final long offset = TestBatches.append(log, epoch, value);
        progress.lines.add(offset + "@" + epoch + "=" + value);
    }

    private static void truncate(Log log, Progress progress, int size) {
        progress.isTruncating = true;
        final List<String> kept = new ArrayList<>(progress.lines.subList(0, size));
        progress.flushed = new ArrayList<>(progress.flushed.subList(0, Math.min(size, progress.flushed.size())));
        assertEquals(size, log.truncateTo(size));
        progress.lines = kept;
        progress.isTruncating = false;
    }

    private static void flush(Log log, Progress progress) {
        log.flush();
        progress.flushed = new ArrayList<>(progress.lines);
    }

    private static void run(Path directory, FaultyFileSystem fileSystem, Progress progress) {
        try (LogStore store = open(directory, fileSystem)) {
            final Log log = store.openLog(PARTITION, TOPIC, SMALL);
            for (int i = 0; i < 40; i++) {
                append(log, progress, i / 30);
            }
            flush(log, progress);
            for (int i = 0; i < 40; i++) {
                append(log, progress, 2);
                store.maintain();
            }
            truncate(log, progress, 75);
            append(log, progress, 3);
            truncate(log, progress, 50);
            append(log, progress, 4);
            append(log, progress, 4);
            flush(log, progress);
            truncate(log, progress, 51);
            store.maintain();
            truncate(log, progress, 10);
            for (int i = 0; i < 45; i++) {
                append(log, progress, 5);
            }
            store.maintain();
        }
        progress.flushed = new ArrayList<>(progress.lines);
    }

    // D-01, D-05, D-06, D-07, D-11, ST-33: whatever the step, a process that dies keeps everything, and a power failure
    // leaves a prefix with everything that was forced; and recovering a second time changes nothing.
    @Test
    void shouldRecoverFromACrashAtEveryStep() throws IOException {
        final FaultyFileSystem whole = new FaultyFileSystem();
        run(folder.resolve("whole"), whole, new Progress());
        final long steps = whole.calls();
        assertTrue(steps > 200, "steps=" + steps);
        for (long step = 1; step <= steps + 1; step++) {
            crash(step, step > steps);
        }
    }

    private void crash(long step, boolean isEnd) throws IOException {
        final Path directory = folder.resolve("step-" + step);
        final FaultyFileSystem fileSystem = new FaultyFileSystem();
        final Progress progress = new Progress();
        fileSystem.crashAt(step);
        try {
            run(directory, fileSystem, progress);
            assertTrue(isEnd, "step=" + step);
        } catch (final StorageException e) {
            assertTrue(fileSystem.hasCrashed(), () -> "step=" + step + ": " + e);
        }
        final Path live = folder.resolve("live-" + step);
        copy(directory, live);
        final Path durable = folder.resolve("durable-" + step);
        fileSystem.writeDurableImage(directory, durable);
        final List<String> lived = recovered(live, "boot-1", "step=" + step + " process died");
        if (!progress.isTruncating) {
            assertEquals(progress.lines, lived, "step=" + step + " process died");
        } else {
            assertPrefix(lived, progress, step);
        }
        assertPrefix(recovered(durable, "boot-2", "step=" + step + " power failed"), progress, step);
        deleteAll(directory);
        deleteAll(live);
        deleteAll(durable);
    }

    private static void assertPrefix(List<String> lines, Progress progress, long step) {
        final int size = lines.size();
        assertTrue(
                size >= progress.flushed.size(),
                () -> "step=" + step + ", kept=" + size + ", flushed=" + progress.flushed.size());
        assertTrue(
                size <= progress.lines.size(),
                () -> "step=" + step + ", kept=" + size + ", written=" + progress.lines.size());
        assertEquals(progress.lines.subList(0, size), lines, "step=" + step);
    }

    private static List<String> recovered(Path directory, String bootId, String what) {
        final FaultyFileSystem fileSystem = new FaultyFileSystem();
        fileSystem.reboot(bootId);
        final List<String> first = readAll(directory, fileSystem, true, what);
        final FaultyFileSystem again = new FaultyFileSystem();
        again.reboot(bootId);
        assertEquals(first, readAll(directory, again, false, what), what);
        return first;
    }

    private static List<String> readAll(Path directory, FaultyFileSystem fileSystem, boolean isAppending, String what) {
        try (LogStore store = open(directory, fileSystem)) {
            final Log log = store.openLog(PARTITION, TOPIC, SMALL);
            final List<String> lines = TestBatches.records(log, log.logStartOffset());
            assertEquals(
                    lines.size(),
                    log.logEndOffset(),
                    () -> what + ", start=" + log.logStartOffset() + ", files=" + files(directory) + ", "
                            + log.recoveryReport() + ", folder=" + directory);
            assertEpochs(log, lines, what);
            if (isAppending) {
                // The next branch must not meet what was cut.
                TestBatches.append(log, 9, "after");
                log.truncateTo(lines.size());
            }
            return lines;
        }
    }

    private static String files(Path directory) {
        try (Stream<Path> files = Files.list(directory.resolve(PARTITION.toString()))) {
            final StringBuilder text = new StringBuilder();
            for (final Path file : files.sorted().toList()) {
                text.append(file.getFileName())
                        .append(':')
                        .append(Files.size(file))
                        .append(' ');
            }
            return text.toString();
        } catch (final IOException e) {
            return e.toString();
        }
    }

    private static void assertEpochs(Log log, List<String> lines, String what) {
        for (int epoch = 0; epoch <= 5; epoch++) {
            int end = 0;
            int known = Log.NO_EPOCH;
            for (final String line : lines) {
                final int of = Integer.parseInt(line.substring(line.indexOf('@') + 1, line.indexOf('=')));
                if (of <= epoch) {
                    known = of;
                    end++;
                }
            }
            assertEquals(new EpochEnd(known, end), log.endOffsetForEpoch(epoch), what);
        }
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
        } catch (final java.nio.file.NoSuchFileException e) {
            Files.createDirectories(to);
        }
    }

    private static void deleteAll(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> files = Files.walk(directory)) {
                for (final Path file :
                        files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}

package io.tidemark.log;

import static io.tidemark.log.TestBatches.append;
import static io.tidemark.log.TestBatches.records;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders that were not closed cleanly, or were damaged. */
class RecoveryTest {
    private static final LogConfig SMALL = LogConfig.builder()
            .segmentBytes(16 * 1024)
            .batchBytesMax(16 * 1024)
            .indexIntervalBytes(512)
            .build();
    private static final String FIRST = "00000000000000000000";

    @TempDir
    Path folder;

    /** A copy of the folder of a log that is still open: what a SIGKILL leaves, since the page cache stays. */
    private Path killed(int records) throws IOException {
        try (Log log = Log.open(folder.resolve("live"), SMALL)) {
            for (int i = 0; i < records; i++) {
                append(log, i / 50, value(i));
            }
            final Path copy = folder.resolve("killed");
            copy(folder.resolve("live"), copy);
            return copy;
        }
    }

    private static String value(int i) {
        return "value-" + i + "-" + "q".repeat(200);
    }

    private static List<String> expected(int from, int to) {
        final List<String> lines = new ArrayList<>();
        for (int i = from; i < to; i++) {
            lines.add(i + "@" + i / 50 + "=" + value(i));
        }
        return lines;
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

    private static Path lastSegment(Path store) throws IOException {
        try (Stream<Path> files = Files.list(store.resolve("log-0"))) {
            return files.filter(f -> f.toString().endsWith(".log"))
                    .sorted()
                    .reduce((a, b) -> b)
                    .orElseThrow();
        }
    }

    /** Bytes up to the zeroed tail, near enough for these values, which end with letters and a zero. */
    private static int usedBytes(Path file) throws IOException {
        final byte[] bytes = Files.readAllBytes(file);
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] == 0) {
            end--;
        }
        return end + 1;
    }

    private static void overwrite(Path file, long position, byte[] bytes) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(position);
            open.write(bytes);
        }
    }

    // A SIGKILL costs nothing: everything appended is there, over several segments.
    @Test
    void shouldKeepEverythingWhenTheProcessDies() throws IOException {
        final Path copy = killed(300);
        try (Log log = Log.open(copy, SMALL)) {
            assertTrue(log.recoveryReport().scanned());
            assertEquals(expected(0, 300), records(log, 0));
            assertEquals(5, log.latestEpoch());
            append(log, 6, "next");
            assertEquals(List.of("300@6=next"), records(log, 300));
        }
    }

    // ST-34: the last batch crosses a page and only its first page is there.
    @Test
    void shouldCutATornTail() throws IOException {
        final Path copy = killed(90);
        final Path last = lastSegment(copy);
        final int used = usedBytes(last);
        overwrite(last, used - 100, new byte[100]);
        try (Log log = Log.open(copy, SMALL)) {
            assertEquals(expected(0, 89), records(log, 0));
            append(log, 9, "s");
            assertEquals(List.of("89@9=s"), records(log, 89));
        }
        try (Log log = Log.open(copy, SMALL)) {
            assertFalse(log.recoveryReport().scanned());
            assertEquals(90, log.logEndOffset());
        }
    }

    // Bytes behind the torn batch must not come alive when the next batch fills the hole exactly.
    @Test
    void shouldNotReviveWhatStoodBehindATornBatch() throws IOException {
        final Path copy = killed(20);
        final Path last = lastSegment(copy);
        final int size = usedBytes(last) / 20;
        overwrite(last, 10L * size + 100, new byte[] {1, 2, 3});
        try (Log log = Log.open(copy, SMALL)) {
            assertEquals(expected(0, 10), records(log, 0));
            append(log, 0, value(10));
            final Path again = folder.resolve("again");
            copy(copy, again);
            try (Log other = Log.open(again, SMALL)) {
                assertEquals(11, other.logEndOffset());
            }
        }
    }

    // D-04: damage below the recovery point is reported with file and position, and nothing is cut.
    @Test
    void shouldReportDamageBelowTheRecoveryPoint() throws IOException {
        final Path live = folder.resolve("live");
        final Path copy = folder.resolve("killed");
        try (Log log = Log.open(live, SMALL)) {
            for (int i = 0; i < 20; i++) {
                append(log, 0, value(i));
            }
            log.flush();
            Files.createFile(folder.resolve("marker"));
            copy(live, copy);
        }
        Files.writeString(copy.resolve("recovery-point-offset-checkpoint"), "0\n1\nlog 0 20\n");
        final Path last = lastSegment(copy);
        final long size = Files.size(last);
        overwrite(last, 1000, new byte[] {1, 2, 3});
        final CorruptLogException error = assertThrows(CorruptLogException.class, () -> Log.open(copy, SMALL));
        assertTrue(String.valueOf(error.getMessage()).contains(FIRST + ".log"), error.getMessage());
        assertTrue(String.valueOf(error.getMessage()).contains("position="), error.getMessage());
        assertEquals(size, Files.size(last));
    }

    // ST-05: a recovery point beyond the end of a log that ends cleanly is clamped.
    @Test
    void shouldClampARecoveryPointBeyondTheEnd() throws IOException {
        final Path copy = killed(30);
        Files.writeString(copy.resolve("recovery-point-offset-checkpoint"), "0\n1\nlog 0 5000\n");
        try (Log log = Log.open(copy, SMALL)) {
            assertEquals(expected(0, 30), records(log, 0));
            assertTrue(log.flushedOffset() <= 30);
        }
    }

    // ST-13, ST-35, D-02: derived files may be missing, empty, short, long, or of another segment.
    @Test
    void shouldServeTheSameWhateverTheDerivedFilesSay() throws IOException {
        final Path live = folder.resolve("live");
        try (Log log = Log.open(live, SMALL)) {
            for (int i = 0; i < 300; i++) {
                append(log, i / 50, value(i));
            }
            log.maintain();
        }
        final List<Path> derived;
        try (Stream<Path> files = Files.list(live.resolve("log-0"))) {
            derived = files.filter(f -> f.toString().endsWith(".index") || f.endsWith("leader-epoch-checkpoint"))
                    .sorted()
                    .toList();
        }
        assertTrue(derived.size() > 3);
        for (final Path file : derived) {
            for (int damage = 0; damage < 5; damage++) {
                final Path copy = folder.resolve(file.getFileName() + "-" + damage);
                copy(live, copy);
                damage(copy.resolve("log-0").resolve(file.getFileName()), damage, derived.get(1));
                try (Log log = Log.open(copy, SMALL)) {
                    assertEquals(expected(0, 300), records(log, 0), file + " damage " + damage);
                    assertEquals(new EpochEnd(2, 150), log.endOffsetForEpoch(2), file + " damage " + damage);
                    try (LogSlice slice = new LogSlice()) {
                        for (int i = 0; i < 300; i++) {
                            assertTrue(log.read(i, 1, Long.MAX_VALUE, slice));
                            assertEquals(i, slice.baseOffset());
                        }
                    }
                }
            }
        }
    }

    private static void damage(Path file, int kind, Path other) throws IOException {
        final byte[] bytes = Files.readAllBytes(file);
        switch (kind) {
            case 0 -> Files.delete(file);
            case 1 -> Files.write(file, new byte[0]);
            case 2 -> Files.write(file, java.util.Arrays.copyOf(bytes, Math.max(0, bytes.length - 3)));
            case 3 -> Files.write(file, Files.readAllBytes(other));
            default -> {
                bytes[bytes.length / 2] ^= 0x10;
                Files.write(file, bytes);
            }
        }
    }

    // ST-21: a longer temporary file that was left over does not show behind the new content.
    @Test
    void shouldIgnoreLeftOverFiles() throws IOException {
        final Path copy = killed(30);
        Files.writeString(copy.resolve("recovery-point-offset-checkpoint.tmp"), "x".repeat(10_000));
        Files.writeString(copy.resolve("log-0").resolve(FIRST + ".log.deleted"), "dead");
        Files.writeString(copy.resolve("log-0").resolve("00000000000000000777.index"), "orphan");
        Files.writeString(copy.resolve("log-0").resolve("unknown"), "kept");
        try (Log log = Log.open(copy, SMALL)) {
            assertEquals(expected(0, 30), records(log, 0));
        }
        assertTrue(Files.exists(copy.resolve("log-0").resolve("unknown")));
        assertFalse(Files.exists(copy.resolve("log-0").resolve("00000000000000000777.index")));
        assertEquals("0\n1\nlog 0 30\n", Files.readString(copy.resolve("recovery-point-offset-checkpoint")));
    }
}

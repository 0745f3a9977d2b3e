package io.tidemark.log;

import static io.tidemark.log.TimestampLookupTest.copy;
import static io.tidemark.log.TimestampLookupTest.files;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * D-02, ST-13, ST-35: the files that were derived from the batches are damaged in every way, for the oldest, a middle
 * and the last segment, after a clean stop. What is served does not change, nothing is truncated, and good ones are
 * written again.
 */
class IndexRepairTest {
    private static final LogConfig SMALL = LogConfig.builder()
            .segmentBytes(2048)
            .batchBytesMax(1024)
            .indexIntervalBytes(100)
            .build();
    private static final List<String> DERIVED = List.of(".index", ".timeindex", ".summary");

    @TempDir
    Path folder;

    private Path good = Path.of("");
    private List<String> records = List.of();
    private List<Long> byTime = List.of();

    /** Timestamps that go up and down, so that a wrong entry of a time index would be noticed. */
    @BeforeEach
    void writeLog() throws IOException {
        good = folder.resolve("good");
        final SplittableRandom random = new SplittableRandom(13);
        try (Log log = Log.open(good, SMALL)) {
            for (int i = 0; i < 80; i++) {
                final BatchBuilder batch =
                        TimestampLookupTest.timed(Compression.NONE, 20, 2L * i + random.nextInt(60), i);
                log.append(batch.buffer(), 0, batch.length(), i / 20);
            }
            records = TestBatches.records(log, 0);
            byTime = byTime(log);
        }
    }

    private static List<Long> byTime(Log log) {
        final List<Long> offsets = new ArrayList<>();
        for (long timestamp = -1; timestamp < 230; timestamp++) {
            offsets.add(log.offsetForTimestamp(timestamp));
        }
        offsets.add(log.maxTimestamp());
        return offsets;
    }

    /** Ways to damage a file. */
    enum Damage {
        MISSING,
        EMPTY,
        SHORT,
        LONG,
        HALF_AN_ENTRY,
        ZEROED,
        FLIPPED_FIRST,
        FLIPPED_MIDDLE,
        FLIPPED_LAST,
        HUGE_NUMBERS;

        void apply(Path file) throws IOException {
            final byte[] bytes = Files.readAllBytes(file);
            switch (this) {
                case MISSING -> Files.delete(file);
                case EMPTY -> Files.write(file, new byte[0]);
                case SHORT -> Files.write(file, Arrays.copyOf(bytes, Math.max(0, bytes.length - entryBytes(file))));
                case LONG -> Files.write(file, Arrays.copyOf(bytes, bytes.length + entryBytes(file)));
                case HALF_AN_ENTRY -> Files.write(file, Arrays.copyOf(bytes, bytes.length - 3));
                case ZEROED -> Files.write(file, new byte[bytes.length]);
                case FLIPPED_FIRST -> flip(file, bytes, 0);
                case FLIPPED_MIDDLE -> flip(file, bytes, bytes.length / 2);
                case FLIPPED_LAST -> flip(file, bytes, bytes.length - 1);
                case HUGE_NUMBERS -> {
                    Arrays.fill(bytes, (byte) 0x7f);
                    Files.write(file, bytes);
                }
            }
        }

        private static int entryBytes(Path file) {
            return file.toString().endsWith(".index") ? 8 : 12;
        }

        private static void flip(Path file, byte[] bytes, int at) throws IOException {
            bytes[at] ^= 0x01;
            Files.write(file, bytes);
        }
    }

    @ParameterizedTest
    @EnumSource(Damage.class)
    void shouldServeTheSameWhenADerivedFileIsDamaged(Damage damage) throws IOException {
        for (final String suffix : DERIVED) {
            final int count = files(good, suffix).size();
            for (final int which : new int[] {0, count / 2, count - 1}) {
                final Path copy = folder.resolve(damage + suffix + which);
                copy(good, copy);
                damage.apply(files(copy, suffix).get(which));
                assertServed(copy, suffix + " " + which);
                if (which == count - 1) {
                    assertGoesOn(copy, suffix + " " + which);
                }
            }
        }
    }

    private void assertServed(Path store, String what) throws IOException {
        try (Log log = Log.open(store, SMALL)) {
            assertFalse(log.recoveryReport().scanned(), what);
            assertEquals(byTime, byTime(log), what);
            assertEquals(records, TestBatches.records(log, 0), what);
            for (long offset = 0; offset < log.logEndOffset(); offset += 7) {
                try (LogSlice slice = new LogSlice()) {
                    log.read(offset, 1, Long.MAX_VALUE, slice);
                    assertEquals(offset / 2 * 2, slice.baseOffset(), what);
                }
            }
        }
    }

    /** Appended to and closed: the same again, from files that were written anew. */
    private void assertGoesOn(Path store, String what) throws IOException {
        try (Log log = Log.open(store, SMALL)) {
            assertEquals(byTime, byTime(log), what);
            TestBatches.append(log, 9, "one more");
            assertEquals(160, log.offsetForTimestamp(999), what);
        }
        try (Log log = Log.open(store, SMALL)) {
            assertEquals(160, log.offsetForTimestamp(999), what);
            assertEquals(byTime.get(100), log.offsetForTimestamp(99), what);
        }
    }

    // ST-35: indexes of two segments swapped; of another life of the log; ahead of the data after a truncation.
    @Test
    void shouldServeTheSameWhenIndexesBelongToOtherBatches() throws IOException {
        final Path swapped = folder.resolve("swapped");
        copy(good, swapped);
        for (final String suffix : DERIVED) {
            final List<Path> files = files(swapped, suffix);
            final byte[] first = Files.readAllBytes(files.get(0));
            Files.copy(files.get(1), files.get(0), StandardCopyOption.REPLACE_EXISTING);
            Files.write(files.get(1), first);
        }
        assertServed(swapped, "swapped");
        assertGoesOn(swapped, "swapped");

        final Path other = folder.resolve("other");
        try (Log log = Log.open(other, SMALL)) {
            for (int i = 0; i < 80; i++) {
                final BatchBuilder batch = TimestampLookupTest.timed(Compression.NONE, 20, 100L - i, 200L - i);
                log.append(batch.buffer(), 0, batch.length(), i / 20);
            }
        }
        final Path stale = folder.resolve("stale");
        copy(good, stale);
        for (final String suffix : DERIVED) {
            for (final Path file : files(other, suffix)) {
                final Path target = stale.resolve("log-0").resolve(file.getFileName());
                if (Files.exists(target)) {
                    Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
        assertServed(stale, "stale");
        assertGoesOn(stale, "stale");
    }

    // ST-35: the index of the longer segment comes back after a truncation, with offsets that are not there any more.
    @Test
    void shouldNotBelieveAnIndexThatIsAheadOfTheData() throws IOException {
        final Path cut = folder.resolve("cut");
        copy(good, cut);
        final List<Long> expected;
        final List<String> kept;
        try (Log log = Log.open(cut, SMALL)) {
            log.truncateTo(151);
            kept = TestBatches.records(log, 0);
            expected = byTime(log);
        }
        for (final String suffix : DERIVED) {
            for (final Path file : files(good, suffix)) {
                final Path target = cut.resolve("log-0").resolve(file.getFileName());
                Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
            }
        }
        try (Log log = Log.open(cut, SMALL)) {
            assertEquals(150, log.logEndOffset());
            assertEquals(kept, TestBatches.records(log, 0));
            assertEquals(expected, byTime(log));
            TestBatches.append(log, 9, "next");
            assertEquals(150, log.offsetForTimestamp(999));
        }
    }
}

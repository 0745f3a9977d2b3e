package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.io.FaultyFileSystem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What must be true of a folder that a {@link CrashScript} left in the middle. */
final class CrashCheck {
    private static final int EPOCHS = 10;

    /**
     * What a crash left.
     *
     * @param directory the folder
     * @param boot how the machine was started afterwards: another one than "boot-1" after a power failure
     * @param what says how it came to this
     * @param wasRecovered whether a recovery stood in between, which may have ended with a clean stop
     */
    record Image(Path directory, String boot, String what, boolean wasRecovered) {
        Image(Path directory, String boot, String what) {
            this(directory, boot, what, false);
        }

        boolean isPowerFailure() {
            return !boot.equals("boot-1");
        }

        FaultyFileSystem fileSystem(long seed) {
            final FaultyFileSystem fileSystem = new FaultyFileSystem(seed);
            fileSystem.reboot(boot);
            return fileSystem;
        }
    }

    private CrashCheck() {}

    /** Recovers an image, compares it with what was promised, goes on, and looks again. */
    static void check(CrashScript script, Image image) {
        final String what = image.what() + ", folder=" + image.directory();
        final List<String> first;
        try (LogStore store = CrashScript.open(image.directory(), image.fileSystem(1))) {
            final boolean wasClean = store.wasCleanlyStopped();
            checkStore(script, store, what);
            final Log log = store.openLog(CrashScript.PARTITION, CrashScript.TOPIC, script.config);
            first = checkedLines(log, what);
            if (image.isPowerFailure() && (image.wasRecovered() || !wasClean)) {
                checkPrefix(script, log, first, what);
            } else {
                checkKept(script, log, first, what);
            }
            // The next branch must not meet what was cut.
            TestBatches.append(log, EPOCHS, "after");
            log.truncateTo(log.logEndOffset() - 1);
        } catch (final RuntimeException e) {
            throw new AssertionError(what + ", files=" + Folders.describe(image.directory()), e);
        }
        try (LogStore store = CrashScript.open(image.directory(), image.fileSystem(2))) {
            assertTrue(store.wasCleanlyStopped(), what);
            final Log log = store.openLog(CrashScript.PARTITION, CrashScript.TOPIC, script.config);
            assertFalse(log.recoveryReport().scanned(), what);
            assertEquals(first, checkedLines(log, what), what);
        }
        checkTidy(image.directory(), what);
    }

    static void checkStore(CrashScript script, LogStore store, String what) {
        assertTrue(store.previousIncarnation() >= script.incarnation, what);
        assertTrue(store.highestControllerEpoch() >= script.controllerEpoch, what);
        final long highWatermark = store.checkpointedHighWatermark(CrashScript.PARTITION);
        assertTrue(
                highWatermark == script.highWatermarks[0] || highWatermark == script.highWatermarks[1],
                () -> what + ", highWatermark=" + highWatermark);
        if (script.isBound) {
            assertEquals("cluster-a", store.identity().clusterId().orElseThrow(), what);
        }
    }

    /** The lines of a log, each of which can be looked up; the history of epochs must be theirs. */
    static List<String> checkedLines(Log log, String what) {
        final List<String> lines = TestBatches.records(log, log.logStartOffset());
        try (LogSlice slice = new LogSlice()) {
            for (final String line : lines) {
                final long offset = CrashScript.offsetOf(line);
                assertTrue(log.read(offset, 1, Long.MAX_VALUE, slice), what);
                assertTrue(slice.baseOffset() <= offset && offset < slice.nextOffset(), () -> what + ": " + line);
                assertTrue(TestBatches.records(slice).contains(line), () -> what + ": " + line);
            }
        }
        assertTrue(
                lines.isEmpty() || log.logEndOffset() > CrashScript.offsetOf(lines.get(lines.size() - 1)),
                () -> what + ", logEndOffset=" + log.logEndOffset());
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
            assertEquals(endOf(log, lines, epoch), log.endOffsetForEpoch(epoch), what + ", epoch=" + epoch);
        }
        return lines;
    }

    private static EpochEnd endOf(Log log, List<String> lines, int epoch) {
        int known = Log.NO_EPOCH;
        long end = log.logStartOffset();
        for (int i = 0; i < lines.size(); i++) {
            if (CrashScript.epochOf(lines.get(i)) <= epoch) {
                known = CrashScript.epochOf(lines.get(i));
                // An epoch ends where the next one begins, in front of which there may be a gap.
                end = i + 1 < lines.size() ? CrashScript.offsetOf(lines.get(i + 1)) : log.logEndOffset();
            }
        }
        return new EpochEnd(known, end);
    }

    /** The page cache is still there: nothing is missing. */
    static void checkKept(CrashScript script, Log log, List<String> found, String what) {
        final List<String> truncatingTo = script.truncatingTo;
        if (truncatingTo != null) {
            checkPrefix(script, log, found, what);
            final int least = script.startNext >= 0 ? 0 : truncatingTo.size();
            assertTrue(found.size() >= least, () -> what + ", found=" + found.size() + ", kept at least=" + least);
            return;
        }
        final List<String> more = new ArrayList<>(script.lines);
        more.addAll(script.inFlight);
        assertTrue(
                found.equals(script.lines) || found.equals(more),
                () -> what + ", expected=" + script.lines + ", found=" + found);
        assertEquals(script.start, log.logStartOffset(), what);
    }

    static void checkPrefix(CrashScript script, Log log, List<String> found, String what) {
        // A log that is being emptied has no file for a moment, so that it may begin at 0.
        final boolean isRestarted = found.isEmpty()
                && script.startNext >= 0
                && (log.logStartOffset() == script.startNext || log.logStartOffset() == 0);
        final List<String> written = new ArrayList<>(script.lines);
        written.addAll(script.inFlight);
        final int size = found.size();
        assertTrue(size <= written.size(), () -> what + ", found=" + found + ", written=" + written);
        assertEquals(written.subList(0, size), found, what);
        assertTrue(
                size >= script.flushed.size(), () -> what + ", found=" + size + ", flushed=" + script.flushed.size());
        assertTrue(isRestarted || log.logStartOffset() == script.start, () -> what + ", start=" + log.logStartOffset());
    }

    /** After a clean stop there is nothing in the folder but what belongs there. */
    private static void checkTidy(Path directory, String what) {
        final String names = Folders.describe(directory.resolve(CrashScript.PARTITION.toString()));
        for (final String suffix : List.of(".tmp", ".deleted", ".truncated")) {
            assertFalse(names.contains(suffix), () -> what + ", files=" + names);
        }
    }
}

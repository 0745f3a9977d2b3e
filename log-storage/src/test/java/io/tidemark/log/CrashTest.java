package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.io.FaultyFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Scripts of everything that a log and its folder do are stopped at every single step of their input and output; then
 * the recovery from that is stopped as well. Every image that a crash may leave must be recovered to what was promised.
 */
class CrashTest {
    private static final LogConfig SMALL = LogConfig.builder()
            .segmentBytes(4096)
            .batchBytesMax(1024)
            .indexIntervalBytes(200)
            .indexBytes(4096)
            .build();
    private static final String SEED = "tidemark.crash.seed";

    private static final String WHOLE = "tidemark.crash.whole";

    private final long seed = Long.getLong(SEED, 20_261_201L);

    @TempDir(factory = MemoryDisk.class)
    Path folder;

    private long points;
    private long secondPoints;
    private long images;

    private static void everything(CrashScript script) {
        script.bind();
        script.beginIncarnation(4);
        script.openLog();
        for (int i = 0; i < 34; i++) {
            script.append(i / 30);
        }
        script.flush();
        script.checkpointHighWatermark(12);
        for (int i = 0; i < 30; i++) {
            script.append(2);
            script.maintain();
        }
        script.recordControllerEpoch(7);
        script.truncateAfter(58);
        script.append(3);
        script.truncateAfter(40);
        script.beginEpoch(4);
        script.append(4);
        script.appendReplicated(4, 5, 3);
        script.flush();
        script.truncateAfter(41);
        script.maintain();
        script.truncateAfter(10);
        for (int i = 0; i < 30; i++) {
            script.appendReplicated(5, i % 7 == 6 ? 2 : 0, 1 + i % 3);
        }
        script.maintain();
        script.restart();
        script.append(6);
        script.flush();
        script.restartAt(500);
        script.append(6);
        script.maintain();
        script.checkpointHighWatermark(501);
    }

    /** Each kind of call, once. */
    private static void briefly(CrashScript script) {
        script.openLog();
        for (int i = 0; i < 20; i++) {
            script.append(i / 15);
        }
        script.maintain();
        script.flush();
        script.append(2);
        script.truncateAfter(18);
        script.append(3);
    }

    // D-01, D-02, D-05, D-06, D-07, D-08, D-09, D-11, D-13, ST-06, ST-33: whatever the step, a process that dies keeps
    // everything, and a power failure leaves a prefix with everything that was forced; recovering again changes
    // nothing.
    @Test
    void shouldRecoverFromACrashAtEveryStep() throws IOException {
        walk(CrashTest::everything, 2, 1);
        assertTrue(points > 300, () -> "points=" + points);
    }

    // D-01: recovery itself may be stopped at any of its steps: at some of them, by the seed, or at each with
    // -Dtidemark.crash.whole=true (7,800 of them, minutes).
    @Test
    void shouldRecoverFromACrashAtEveryStepOfEveryRecovery() throws IOException {
        walk(CrashTest::briefly, 1, Boolean.getBoolean(WHOLE) ? Integer.MAX_VALUE : 5);
        assertTrue(secondPoints > 500, () -> "secondPoints=" + secondPoints);
    }

    private void walk(CrashScript.Steps steps, int powerImages, int secondCrashes) throws IOException {
        System.err.println(
                "seed=" + seed + "; replay: mvn -pl log-storage test -Dtest=CrashTest -D" + SEED + "=" + seed);
        final FaultyFileSystem whole = new FaultyFileSystem(seed);
        new CrashScript(folder.resolve("whole"), whole, SMALL).run(steps);
        final long count = whole.calls();
        for (long step = 1; step <= count + 1; step++) {
            crash(steps, step, step > count, powerImages, secondCrashes);
            points++;
        }
        System.err.println("points=" + points + ", images=" + images + ", points in recoveries=" + secondPoints);
    }

    private void crash(CrashScript.Steps steps, long step, boolean isEnd, int powerImages, int secondCrashes)
            throws IOException {
        final Path directory = folder.resolve("step-" + step);
        final FaultyFileSystem fileSystem = new FaultyFileSystem(seed + step);
        final CrashScript script = new CrashScript(directory, fileSystem, SMALL);
        fileSystem.crashAt(step);
        fileSystem.startTrace();
        try {
            script.run(steps);
            assertTrue(isEnd, () -> "step=" + step);
        } catch (final StorageException e) {
            assertTrue(fileSystem.hasCrashed(), () -> "step=" + step + ": " + e);
        }
        final String what = "seed=" + seed + ", step=" + step + " " + stepName(fileSystem, step);
        for (final CrashCheck.Image image : images(fileSystem, directory, step, what, powerImages)) {
            final Path kept = folder.resolve("kept");
            Folders.copy(image.directory(), kept);
            CrashCheck.check(script, image);
            if (image.what().endsWith("image 0")) {
                secondCrashes(script, new CrashCheck.Image(kept, image.boot(), image.what()), step, secondCrashes);
            }
            Folders.deleteAll(image.directory());
            Folders.deleteAll(kept);
            images++;
        }
        Folders.deleteAll(directory);
        powerFailuresAfterDeath(steps, step, what, secondCrashes);
    }

    /** The process dies; the recovery by the next one is stopped by a power failure, nothing being forced yet. */
    private void powerFailuresAfterDeath(CrashScript.Steps steps, long step, String what, int limit)
            throws IOException {
        final SplittableRandom random = new SplittableRandom(seed * 11 + step);
        long at = 1;
        boolean isOver = false;
        for (int i = 0; i < limit && !isOver; i++) {
            final Path directory = folder.resolve("died");
            final FaultyFileSystem fileSystem = new FaultyFileSystem(seed + step);
            final CrashScript script = new CrashScript(directory, fileSystem, SMALL);
            fileSystem.crashAt(step);
            try {
                script.run(steps);
            } catch (final StorageException e) {
                assertTrue(fileSystem.hasCrashed(), () -> what + ": " + e);
            }
            fileSystem.restartProcess();
            fileSystem.crashAt(limit == Integer.MAX_VALUE ? at++ : 1 + random.nextLong(30));
            try {
                recover(directory, fileSystem);
                isOver = true;
            } catch (final StorageException e) {
                assertTrue(fileSystem.hasCrashed(), () -> what + ": " + e);
            }
            final Path power = folder.resolve("died-power");
            fileSystem.writePowerFailureImage(directory, power, seed + step * 17 + i);
            final String then = what + ", process died, then power failed at step " + i + " of the recovery";
            CrashCheck.check(script, new CrashCheck.Image(power, "boot-2", then, true));
            Folders.deleteAll(directory);
            Folders.deleteAll(power);
            secondPoints++;
        }
    }

    private static String stepName(FaultyFileSystem fileSystem, long step) {
        return fileSystem.trace().stream()
                .filter(line -> line.startsWith(step + " "))
                .findFirst()
                .orElse("end");
    }

    private List<CrashCheck.Image> images(
            FaultyFileSystem fileSystem, Path directory, long step, String what, int powerImages) throws IOException {
        final List<CrashCheck.Image> result = new ArrayList<>();
        final Path live = folder.resolve("live-" + step);
        Folders.copy(directory, live);
        result.add(new CrashCheck.Image(live, "boot-1", what + ", process died"));
        final Path durable = folder.resolve("durable-" + step);
        fileSystem.writeDurableImage(directory, durable);
        result.add(new CrashCheck.Image(durable, "boot-2", what + ", power failed, nothing more"));
        for (int i = 0; i < powerImages; i++) {
            final Path some = folder.resolve("power-" + step + "-" + i);
            fileSystem.writePowerFailureImage(directory, some, seed * 31 + step * 101 + i);
            result.add(new CrashCheck.Image(some, "boot-2", what + ", power failed, image " + i));
        }
        return result;
    }

    /** Stops the recovery of an image at its steps, or at some of them, and recovers what that leaves. */
    private void secondCrashes(CrashScript script, CrashCheck.Image image, long step, int limit) throws IOException {
        final Path first = folder.resolve("first");
        Folders.copy(image.directory(), first);
        final FaultyFileSystem whole = image.fileSystem(0);
        recover(first, whole);
        Folders.deleteAll(first);
        final long count = whole.calls();
        final SplittableRandom random = new SplittableRandom(seed * 7 + step);
        final long visited = Math.min(limit, count);
        for (long i = 1; i <= visited; i++) {
            final long at = visited == count ? i : 1 + random.nextLong(count);
            final Path again = folder.resolve("again");
            Folders.copy(image.directory(), again);
            final FaultyFileSystem fileSystem = image.fileSystem(seed + at);
            fileSystem.crashAt(at);
            try {
                recover(again, fileSystem);
                assertFalse(fileSystem.hasCrashed());
            } catch (final StorageException e) {
                assertTrue(fileSystem.hasCrashed(), () -> image.what() + ": " + e);
            }
            final String what = image.what() + ", then recovery stopped at step " + at;
            final Path live = folder.resolve("again-live");
            Folders.copy(again, live);
            CrashCheck.check(script, new CrashCheck.Image(live, image.boot(), what + ", process died", true));
            final Path power = folder.resolve("again-power");
            fileSystem.writePowerFailureImage(again, power, seed + step * 13 + at);
            CrashCheck.check(script, new CrashCheck.Image(power, "boot-3", what + ", power failed", true));
            Folders.deleteAll(again);
            Folders.deleteAll(live);
            Folders.deleteAll(power);
            secondPoints++;
        }
    }

    private static void recover(Path directory, FaultyFileSystem fileSystem) {
        try (LogStore store = CrashScript.open(directory, fileSystem)) {
            store.openLog(CrashScript.PARTITION, CrashScript.TOPIC, SMALL);
        }
    }
}

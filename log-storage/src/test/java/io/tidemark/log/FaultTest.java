package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.io.FaultyFileSystem;
import io.tidemark.log.io.FaultyFileSystem.Call;
import io.tidemark.log.io.NoSpaceException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The disk fails once, at any call, and the process lives on. */
class FaultTest {
    private static final LogConfig SMALL = LogConfig.builder()
            .segmentBytes(4096)
            .batchBytesMax(1024)
            .indexIntervalBytes(200)
            .indexBytes(4096)
            .build();
    private static final String SEED = "tidemark.fault.seed";
    private static final TopicPartition OTHER = new TopicPartition("other", 0);

    private final long seed = Long.getLong(SEED, 20_261_201L);

    @TempDir(factory = MemoryDisk.class)
    Path folder;

    private static void script(CrashScript script) {
        script.beginIncarnation(1);
        script.openLog();
        for (int i = 0; i < 25; i++) {
            script.append(i / 10);
        }
        script.flush();
        script.maintain();
        script.checkpointHighWatermark(3);
        for (int i = 0; i < 10; i++) {
            script.append(3);
            script.maintain();
        }
        script.truncateAfter(20);
        script.append(4);
        script.flush();
        script.restart();
        script.append(5);
        script.restartAt(60);
        script.append(6);
        script.flush();
    }

    private interface FailureOfCall {
        Throwable at(int step);
    }

    private int walk(int stride, FailureOfCall failure) throws IOException {
        System.err.println(
                "seed=" + seed + "; replay: mvn -pl log-storage test -Dtest=FaultTest -D" + SEED + "=" + seed);
        int step = 1;
        boolean isOver = false;
        for (; !isOver; step += stride) {
            final Path directory = folder.resolve("step-" + step);
            final FaultyFileSystem fileSystem = new FaultyFileSystem(seed + step);
            final CrashScript script = new CrashScript(directory, fileSystem, SMALL);
            fileSystem.startTrace();
            fileSystem.failAt(step, failure.at(step));
            String refused = "nothing";
            try {
                script.run(FaultTest::script);
            } catch (final StorageException e) {
                refused = String.valueOf(e.getMessage());
                assertTrue(refused.contains("; "), refused);
            }
            isOver = fileSystem.isFaultPending();
            fileSystem.heal();
            final String what = "seed=" + seed + ", step=" + step + " of "
                    + fileSystem.trace().size() + ", refused: " + refused;
            checkAfterFault(script, fileSystem, what);
            Folders.deleteAll(directory);
        }
        return step;
    }

    /** The folder is opened again by the same machine; what is forced then survives a power failure. */
    private void checkAfterFault(CrashScript script, FaultyFileSystem fileSystem, String what) throws IOException {
        final List<String> found;
        try (LogStore store = CrashScript.open(script.directory, fileSystem)) {
            CrashCheck.checkStore(script, store, what);
            final Log log = store.openLog(CrashScript.PARTITION, CrashScript.TOPIC, SMALL);
            found = CrashCheck.checkedLines(log, what);
            CrashCheck.checkKept(script, log, found, what);
            log.flush();
            assertEquals(log.logEndOffset(), log.flushedOffset(), what);
            final Path power = folder.resolve("power");
            fileSystem.writeDurableImage(script.directory, power);
            final CrashCheck.Image image = new CrashCheck.Image(power, "boot-2", what + ", forced, power failed");
            try (LogStore after = CrashScript.open(power, image.fileSystem(3))) {
                final Log recovered = after.openLog(CrashScript.PARTITION, CrashScript.TOPIC, SMALL);
                assertEquals(found, CrashCheck.checkedLines(recovered, image.what()), image.what());
            }
            Folders.deleteAll(power);
        } catch (final StorageException e) {
            throw new AssertionError(what + ", files=" + Folders.describe(script.directory), e);
        }
    }

    // D-05, D-06, D-07, ST-07, ST-08: EIO at every call; the pages of a failed force are clean but not durable.
    @Test
    void shouldKeepItsPromisesWhenAnyCallFails() throws IOException {
        final int steps = walk(1, step -> new IOException("Input/output error"));
        assertTrue(steps > 150, () -> "steps=" + steps);
    }

    // ST-09, ST-16: ENOSPC at every call.
    @Test
    void shouldKeepItsPromisesWhenAnyCallFindsNoSpace() throws IOException {
        final int steps = walk(3, step -> new NoSpaceException("No space left on device"));
        assertTrue(steps > 150, () -> "steps=" + steps);
    }

    private static Predicate<Path> named(String part) {
        return path -> path.toString().contains(part);
    }

    // ST-08: after a failed force nobody is told that anything is durable, until the log was recovered.
    @Test
    void shouldNotBelieveAForceAfterAFailedOne() throws IOException {
        final FaultyFileSystem fileSystem = new FaultyFileSystem(seed);
        try (LogStore store = CrashScript.open(folder.resolve("data"), fileSystem)) {
            final Log log = store.openLog(CrashScript.PARTITION, CrashScript.TOPIC, SMALL);
            TestBatches.append(log, 0, "a");
            fileSystem.failNth(Call.FORCE, named(".log"), 1, new IOException("Input/output error"));
            final StorageException error = assertThrows(StorageException.class, log::flush);
            assertTrue(String.valueOf(error.getMessage()).contains("log cannot be forced"), error.getMessage());
            assertThrows(StorageException.class, log::flush);
            assertThrows(StorageException.class, () -> log.truncateTo(0));
            assertThrows(StorageException.class, () -> log.truncateFullyAndStartAt(0));
            assertThrows(StorageException.class, () -> log.startEpoch(4));
            assertThrows(StorageException.class, () -> TestBatches.append(log, 0, "b"));
            assertEquals(0, log.flushedOffset());
            // What was stored can still be read.
            assertEquals(List.of("0@0=a"), TestBatches.records(log, 0));
        }
        try (LogStore store = CrashScript.open(folder.resolve("data"), fileSystem)) {
            assertFalse(store.wasCleanlyStopped());
        }
    }

    // ST-09: no space at a start after a crash: an error that says so, no marker of a clean stop, and a second start.
    @Test
    void shouldRecoverAfterAStartWithoutSpace() throws IOException {
        final FaultyFileSystem fileSystem = new FaultyFileSystem(seed);
        final Path data = folder.resolve("data");
        final LogStore killed = CrashScript.open(data, fileSystem);
        final Log log = killed.openLog(CrashScript.PARTITION, CrashScript.TOPIC, SMALL);
        for (int i = 0; i < 20; i++) {
            TestBatches.append(log, 0, "value-" + i + "z".repeat(300));
        }
        final List<String> lines = TestBatches.records(log, 0);
        killed.abandon();
        fileSystem.fillDisk();
        final StorageException error = assertThrows(StorageException.class, () -> {
            try (LogStore store = CrashScript.open(data, fileSystem)) {
                store.openLog(CrashScript.PARTITION, CrashScript.TOPIC, SMALL);
            }
        });
        assertTrue(String.valueOf(error.getMessage()).contains(data.toString()), error.getMessage());
        fileSystem.heal();
        try (LogStore store = CrashScript.open(data, fileSystem)) {
            assertFalse(store.wasCleanlyStopped());
            final Log again = store.openLog(CrashScript.PARTITION, CrashScript.TOPIC, SMALL);
            assertTrue(again.recoveryReport().scanned());
            assertEquals(lines, TestBatches.records(again, 0));
        }
    }

    // DESIGN 2.2: the fault of a mapping arrives later, in a call that has nothing to do with it.
    @Test
    void shouldFailOnlyTheLogWhoseMappingFaults() throws IOException {
        final FaultyFileSystem fileSystem = new FaultyFileSystem(seed);
        try (LogStore store = CrashScript.open(folder.resolve("data"), fileSystem)) {
            final Log log = store.openLog(CrashScript.PARTITION, CrashScript.TOPIC, SMALL);
            final Log other = store.openLog(OTHER, CrashScript.TOPIC, SMALL);
            for (int i = 0; i < 20; i++) {
                TestBatches.append(log, 0, "z".repeat(400));
                TestBatches.append(other, 0, "z".repeat(400));
            }
            fileSystem.failNth(
                    Call.FORCE, named(CrashScript.PARTITION.toString()), 1, new InternalError("a fault occurred"));
            store.maintain();
            assertTrue(log.isFailed());
            assertFalse(other.isFailed());
            TestBatches.append(other, 0, "goes on");
            fileSystem.failNth(Call.OPEN, named("other-0"), 1, new InternalError("a fault occurred"));
            assertThrows(StorageException.class, () -> {
                for (int i = 0; i < 20; i++) {
                    TestBatches.append(other, 0, "z".repeat(400));
                }
            });
            assertTrue(other.isFailed());
        }
    }

    // Readers of a failing disk get an exception that names the file, and the log goes on.
    @Test
    void shouldReportWhatCannotBeRead() throws IOException {
        final FaultyFileSystem fileSystem = new FaultyFileSystem(seed);
        try (LogStore store = CrashScript.open(folder.resolve("data"), fileSystem)) {
            final Log log = store.openLog(CrashScript.PARTITION, CrashScript.TOPIC, SMALL);
            for (int i = 0; i < 20; i++) {
                TestBatches.append(log, 0, "z".repeat(400));
            }
            store.maintain();
        }
        try (LogStore store = CrashScript.open(folder.resolve("data"), fileSystem)) {
            final Log log = store.openLog(CrashScript.PARTITION, CrashScript.TOPIC, SMALL);
            fileSystem.failAll(Call.OPEN, named(".log"), new IOException("Too many open files"));
            final StorageException error = assertThrows(StorageException.class, () -> TestBatches.records(log, 0));
            assertTrue(String.valueOf(error.getMessage()).contains(".log; "), error.getMessage());
            assertFalse(log.isFailed());
            fileSystem.heal();
            assertEquals(20, TestBatches.records(log, 0).size());
        }
    }
}

package io.tidemark.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.log.Log;
import io.tidemark.log.LogConfig;
import io.tidemark.log.LogStore;
import io.tidemark.log.LogStoreConfig;
import io.tidemark.log.TopicPartition;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code log recover} does and says: operators and scripts rely on its lines and exit codes. */
class LogRecoverCommandTest {
    private static final String SEGMENT = "00000000000000000000.log";

    @TempDir
    Path root = Path.of("");

    /** Two partitions as a killed process leaves them; the recovery points say that all of it was forced. */
    private void kill() {
        LogStore store = LogStore.open(
                root, LogStoreConfig.builder().checkpointInterval(Duration.ZERO).build());
        for (int i = 0; i < 2; i++) {
            Log log = store.openLog(new TopicPartition("orders", i), new UUID(1, 2), LogConfig.defaults());
            log.append(new byte[] {1}, new byte[100]);
            log.append(new byte[] {2}, new byte[100]);
            log.flush();
        }
        store.maintain();
        store.abandon();
    }

    private long size() throws IOException {
        return Files.size(root.resolve("orders-0").resolve(SEGMENT));
    }

    // The dry run says what the recovery then does; after it there is nothing left to do.
    @Test
    void shouldRecoverWhatTheDryRunAnnounced() throws IOException {
        kill();
        long before = size();

        CommandRun dry = CommandRun.of("log", "recover", "--dry-run", root.toString());
        long afterDry = size();
        CommandRun real = CommandRun.of("log", "recover", "--threads", "1", root.toString());
        CommandRun again = CommandRun.of("log", "recover", root.toString());

        assertEquals(0, dry.exitCode(), dry.describe());
        assertEquals(before, afterDry);
        assertTrue(dry.out().contains(" would be recovered: endOffset=2 goodBytes="), dry.describe());
        assertTrue(dry.out().endsWith("total logs=2 clean=0 recovered=2 damaged=0 (dry run)\n"), dry.describe());
        assertEquals(0, real.exitCode(), real.describe());
        assertTrue(real.outLines().get(0).startsWith("[1/2] orders-0 recovered: endOffset=2 "), real.describe());
        assertEquals(
                "total logs=2 clean=0 recovered=2 damaged=0", real.outLines().get(2));
        assertTrue(size() < before);
        assertEquals(List.of("total logs=2 clean=2 recovered=0 damaged=0"), again.outLines());
        assertEquals(0, again.exitCode());
    }

    // Damage is named with its file, left as it is, and makes the command fail; the other log is recovered.
    @Test
    void shouldReportDamageAndRecoverTheRest() throws IOException {
        kill();
        Path file = root.resolve("orders-1").resolve(SEGMENT);
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(80);
            open.write(77);
        }
        long size = Files.size(file);

        CommandRun run = CommandRun.of("log", "recover", root.toString());

        assertEquals(1, run.exitCode(), run.describe());
        assertTrue(
                run.out().contains("orders-1 DAMAGED: damage below the recovery point: file=" + file), run.describe());
        assertTrue(run.out().endsWith("total logs=2 clean=0 recovered=1 damaged=1\n"), run.describe());
        assertEquals(size, Files.size(file));
    }

    // What is no data folder is refused, and not made one.
    @Test
    void shouldRefuseWhatIsNoDataFolder() {
        Path missing = root.resolve("missing");

        CommandRun run = CommandRun.of("log", "recover", missing.toString());

        assertEquals(1, run.exitCode(), run.describe());
        assertTrue(run.err().startsWith("tidemark log recover: no data folder: path=" + missing), run.describe());
        assertFalse(Files.exists(missing));
    }

    // A folder that a broker uses is left alone.
    @Test
    void shouldRefuseAFolderInUse() {
        try (LogStore store = LogStore.open(root, LogStoreConfig.defaults())) {
            CommandRun run = CommandRun.of("log", "recover", root.toString());

            assertEquals(1, run.exitCode(), run.describe());
            assertTrue(run.err().contains("data folder is in use"), run.describe());
            assertTrue(store.existing().isEmpty());
        }
    }
}

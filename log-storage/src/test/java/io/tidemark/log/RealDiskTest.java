package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only a real disk and a real process show; each in a JVM of its own, which must not crash. */
class RealDiskTest {
    private static final String SEED = "tidemark.disk.seed";

    private final long seed = Long.getLong(SEED, 20_261_201L);

    // What is tested is the page cache; a disk behind it would only take time.
    @TempDir(factory = MemoryDisk.class)
    Path folder;

    private ForkedJvm start(String what, Path directory, String... more) throws IOException {
        final List<String> arguments = new java.util.ArrayList<>(List.of(what, directory.toString()));
        arguments.addAll(List.of(more));
        return ForkedJvm.start(folder, RealDiskMain.class, arguments);
    }

    private static String run(String... command) throws IOException, InterruptedException {
        final Process process =
                new ProcessBuilder(command).redirectErrorStream(true).start();
        final String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() == 0 ? "" : "exit code " + process.exitValue() + ": " + text.strip();
    }

    // ST-16: a full disk refuses appends with an exception, reads go on, and with space again the log goes on.
    @Test
    void shouldSurviveAFullDisk() throws IOException, InterruptedException {
        final Path mount = Files.createDirectory(folder.resolve("small"));
        final String refused = run("mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", mount.toString());
        if (!refused.isEmpty()) {
            System.err.println("NOT RUN: RealDiskTest.shouldSurviveAFullDisk: mounting a tmpfs is not permitted here ("
                    + refused + "); run the tests as root to have it");
        }
        assumeTrue(refused.isEmpty(), "mounting a tmpfs is not permitted: " + refused);
        try (ForkedJvm jvm = start("full", mount)) {
            final String text = jvm.awaitSuccess();
            assertTrue(text.contains("refused at offset="), text);
            assertTrue(text.contains("no space left"), text);
            assertTrue(text.endsWith("done\n"), text);
        } finally {
            assertEquals("", run("umount", "-l", mount.toString()));
        }
    }

    // ST-16 where nothing can be mounted: the system refuses to make files longer than 600 KiB.
    @Test
    void shouldSurviveALimitOnFiles() throws IOException, InterruptedException {
        final List<String> limited = List.of("bash", "-c", "ulimit -f 600; exec \"$0\" \"$@\"");
        try (ForkedJvm jvm =
                ForkedJvm.start(limited, folder, RealDiskMain.class, List.of("limit", folder.toString()))) {
            final String text = jvm.awaitSuccess();
            assertTrue(text.contains("refused at offset="), text);
            assertTrue(text.endsWith("done\n"), text);
        }
    }

    // DESIGN 2.2, D-12: readers and appender of a file that somebody cut get an exception that names the log.
    @Test
    void shouldSurviveFilesThatAreCutFromOutside() throws IOException, InterruptedException {
        try (ForkedJvm jvm = start("cut", folder)) {
            final String text = jvm.awaitSuccess();
            for (final String who : List.of("reader", "summing reader", "appender", "opening")) {
                assertTrue(text.contains("\n" + who + " got: ") || text.startsWith(who + " got: "), text);
            }
            assertTrue(text.endsWith("done\n"), text);
        }
    }

    // ST-17, D-12: leases outlive truncation, emptying and closing.
    @Test
    void shouldKeepLeasedBytesWhateverHappensToTheLog() throws IOException, InterruptedException {
        System.err.println("seed=" + seed + "; replay with -D" + SEED + "=" + seed);
        try (ForkedJvm jvm = start("unmap", folder, Long.toString(seed))) {
            assertTrue(jvm.awaitSuccess().endsWith("done\n"), jvm::output);
        }
    }

    // ST-18, ST-19, D-12: descriptors and mappings are back where they were.
    @Test
    void shouldGiveBackDescriptorsAndMappings() throws IOException, InterruptedException {
        try (ForkedJvm jvm = start("leak", folder, "100")) {
            assertTrue(jvm.awaitSuccess().endsWith("done\n"), jvm::output);
        }
    }

    // F01: a killed process loses nothing that it appended, however often it is killed.
    @Test
    void shouldLoseNothingWhenKilledUnderLoad() throws IOException, InterruptedException {
        System.err.println("seed=" + seed + "; replay with -D" + SEED + "=" + seed);
        final SplittableRandom random = new SplittableRandom(seed);
        final Path data = folder.resolve("data");
        for (int round = 0; round < 3; round++) {
            final long least = loadUntilKilled(data, random);
            try (Log log = Log.open(data, RealDiskMain.loadConfig())) {
                RealDiskMain.verify(log);
                final long end = log.logEndOffset();
                assertTrue(end >= least, "round=" + round + ", logEndOffset=" + end + ", appended=" + least);
                // The second opening follows a clean stop and sees the same.
            }
            try (Log log = Log.open(data, RealDiskMain.loadConfig())) {
                assertTrue(!log.recoveryReport().scanned());
                RealDiskMain.verify(log);
            }
        }
    }

    /** Returns the least end that the log must have. */
    private long loadUntilKilled(Path data, SplittableRandom random) throws IOException, InterruptedException {
        try (ForkedJvm jvm = start("load", data, Long.toString(random.nextLong()))) {
            final int lines = 40 + random.nextInt(200);
            long least = 0;
            for (int i = 0; i < lines; i++) {
                least = leastAfter(jvm.readLine(), jvm);
            }
            jvm.kill();
            for (String line = jvm.readLine(); line != null; line = jvm.readLine()) {
                if (line.matches("(appended|truncating) \\d+")) {
                    least = leastAfter(line, jvm);
                }
            }
            return least;
        }
    }

    private static long leastAfter(@Nullable String line, ForkedJvm jvm) {
        if (line == null || !line.matches("(appended|truncating) \\d+")) {
            throw new AssertionError(line + "\n" + jvm.output());
        }
        return Long.parseLong(line.substring(line.indexOf(' ') + 1));
    }
}

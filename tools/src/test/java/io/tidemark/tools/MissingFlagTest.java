package io.tidemark.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A JVM without the flag that Agrona needs: one line that names it. */
@Timeout(60)
class MissingFlagTest {
    private static final String FLAG = "--add-exports java.base/jdk.internal.misc=ALL-UNNAMED";

    @TempDir
    Path root = Path.of("");

    @Test
    void shouldNameTheFlag() throws Exception {
        assertFlagNamed("topic", "list", "--brokers", "127.0.0.1:1");
        assertFlagNamed("broker", "--id", "1", "--data", root.resolve("data").toString(), "--coordination", "local:");
        assertFalse(Files.exists(root.resolve("data")));
    }

    // Log files can be looked into all the same.
    @Test
    void shouldDumpLogsWithoutIt() throws Exception {
        Path segment = Files.createFile(root.resolve("00000000000000000000.log"));
        Process process = start("log", "dump", segment.toString());
        assertEquals("total batches=0 records=0 endOffset=0 unusedBytes=0\n", output(process));
        assertEquals(0, process.waitFor());
    }

    private static void assertFlagNamed(String... args) throws Exception {
        Process process = start(args);
        String output = output(process);
        assertTrue(output.contains(FLAG), output);
        assertEquals(1, output.lines().count(), output);
        assertEquals(1, process.waitFor());
    }

    private static String output(Process process) throws Exception {
        process.getOutputStream().close();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private static Process start(String... args) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "io.tidemark.tools.Tidemark"));
        command.addAll(List.of(args));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }
}

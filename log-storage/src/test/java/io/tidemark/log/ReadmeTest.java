package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.ToolProvider;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README shows the program that is compiled and run here, with nothing beside it but this module and Agrona. */
class ReadmeTest {
    private static final Path PROGRAM = Path.of("src/it/quickstart/LogQuickstart.java");

    @TempDir
    Path folder;

    // The program stands twice, for readers and for the compiler; this keeps the two the same.
    @Test
    void shouldShowTheProgramThatIsCompiledAndRun() throws IOException {
        final String readme = Files.readString(Path.of("../README.md"));
        assertTrue(
                readme.contains("```java\n" + Files.readString(PROGRAM) + "```"),
                "README.md and " + PROGRAM + " differ: copy the program from one to the other");
    }

    // It compiles against the public packages, ends by itself, and says what it stored.
    @Test
    void shouldRunTheProgram() throws IOException, InterruptedException {
        final String classPath = placeOf(Log.class) + ":" + placeOf(DirectBuffer.class);
        final int compiled = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-cp", classPath, "-d", folder.toString(), PROGRAM.toString());
        assertEquals(0, compiled);
        final Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--add-exports",
                        "java.base/jdk.internal.misc=ALL-UNNAMED",
                        "-Djava.io.tmpdir=" + folder,
                        "-cp",
                        folder + ":" + classPath,
                        "LogQuickstart"))
                .redirectErrorStream(true)
                .start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        assertEquals("0 two pears\n1 three plums\nfour figs\n", output);
    }

    private static Path placeOf(Class<?> type) {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath());
    }
}

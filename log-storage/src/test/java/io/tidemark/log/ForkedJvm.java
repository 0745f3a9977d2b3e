package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A JVM of its own, which may die without taking the tests along. */
final class ForkedJvm implements AutoCloseable {
    private static final int DEADLINE_S = 120;

    private final Process process;
    private final BufferedReader output;
    private final StringBuilder read = new StringBuilder();
    private final Path errors;

    private ForkedJvm(Process process, Path errors) {
        this.process = process;
        this.errors = errors;
        this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Starts the main method of a class; a crash of the JVM leaves its report in a folder. */
    static ForkedJvm start(Path errors, Class<?> main, List<String> arguments) throws IOException {
        return start(List.of(), errors, main, arguments);
    }

    /** The same behind the words of another command. */
    static ForkedJvm start(List<String> before, Path errors, Class<?> main, List<String> arguments) throws IOException {
        final List<String> command = new ArrayList<>(before);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "--add-exports",
                "java.base/jdk.internal.misc=ALL-UNNAMED",
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-XX:-CreateCoredumpOnCrash",
                "-XX:ErrorFile=" + errors.resolve("hs_err_%p.log"),
                "-ea",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(arguments);
        return new ForkedJvm(
                new ProcessBuilder(command).redirectErrorStream(true).start(), errors);
    }

    /** The next line that it writes; null at the end. */
    @Nullable
    String readLine() throws IOException {
        final String line = output.readLine();
        if (line != null) {
            read.append(line).append('\n');
        }
        return line;
    }

    /** Everything that it wrote, once it ended by itself with exit code 0. */
    String awaitSuccess() throws IOException, InterruptedException {
        String line = readLine();
        while (line != null) {
            line = readLine();
        }
        assertTrue(process.waitFor(DEADLINE_S, TimeUnit.SECONDS), () -> "does not end:\n" + read);
        try (Stream<Path> files = Files.list(errors)) {
            final List<Path> reports =
                    files.filter(file -> file.toString().contains("hs_err_")).toList();
            assertEquals(List.of(), reports, () -> "the JVM crashed:\n" + read);
        }
        assertEquals(0, process.exitValue(), read::toString);
        return read.toString();
    }

    /** SIGKILL. */
    void kill() throws InterruptedException {
        // By the handle, because the process object would throw away what was written and not read yet.
        process.toHandle().destroyForcibly();
        assertTrue(process.waitFor(DEADLINE_S, TimeUnit.SECONDS));
    }

    /** What it wrote so far. */
    String output() {
        return read.toString();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}

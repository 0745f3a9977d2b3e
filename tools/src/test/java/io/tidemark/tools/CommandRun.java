package io.tidemark.tools;

import io.tidemark.tools.system.Terminal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What a command did, run inside the test's process.
 *
 * @param exitCode its exit code
 * @param out what it wrote to standard output
 * @param err what it wrote to standard error
 */
public record CommandRun(int exitCode, String out, String err) {
    /** Runs a command without input. */
    public static CommandRun of(String... args) {
        return withInput("", args);
    }

    /** Runs a command with text as its standard input. */
    public static CommandRun withInput(String input, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Terminal terminal = new Terminal(
                new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                false);
        int exitCode = Tidemark.run(terminal, args);
        return new CommandRun(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** The lines of standard output. */
    public List<String> outLines() {
        return out.lines().toList();
    }

    /** Everything, for the message of a failed assertion. */
    public String describe() {
        return "exitCode=" + exitCode + "\n--- out\n" + out + "--- err\n" + err;
    }
}

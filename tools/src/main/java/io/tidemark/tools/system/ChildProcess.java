package io.tidemark.tools.system;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A JVM started from our own class path, whose output goes to a file. Its standard input is a pipe that we hold, so
 * that it notices our end ({@link ParentWatch}). Any thread.
 */
public final class ChildProcess {
    private static final int TAIL_LINES = 20;
    private static final int TAIL_BYTES_MAX = 1 << 20;

    private final String name;
    private final Process process;
    private final Path output;
    private final long outputStart;

    private ChildProcess(String name, Process process, Path output, long outputStart) {
        this.name = name;
        this.process = process;
        this.output = output;
        this.outputStart = outputStart;
    }

    /**
     * What to start.
     *
     * @param name the name of the child in messages
     * @param mainClass the class to run
     * @param jvmOptions options of the JVM, beside those that we always set
     * @param arguments the arguments of the class
     * @param output receives standard output and standard error, appended
     */
    public record Command(
            String name, Class<?> mainClass, List<String> jvmOptions, List<String> arguments, Path output) {}

    /**
     * Starts a child.
     *
     * @param command what to start
     * @return the running child
     * @throws CommandFailure if it cannot be started
     */
    public static ChildProcess start(Command command) {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.add("--add-exports");
        line.add("java.base/jdk.internal.misc=ALL-UNNAMED");
        line.addAll(command.jvmOptions());
        line.add("-cp");
        line.add(absoluteClassPath());
        line.add(command.mainClass().getName());
        line.addAll(command.arguments());
        try {
            long outputStart = Files.exists(command.output()) ? Files.size(command.output()) : 0;
            Process process = new ProcessBuilder(line)
                    .redirectErrorStream(true)
                    .redirectOutput(
                            ProcessBuilder.Redirect.appendTo(command.output().toFile()))
                    .start();
            return new ChildProcess(command.name(), process, command.output(), outputStart);
        } catch (IOException e) {
            throw new CommandFailure("cannot start " + command.name() + ": " + e.getMessage(), e);
        }
    }

    private static String absoluteClassPath() {
        return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(System.getProperty("java.class.path"))
                .map(part -> Path.of(part).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /**
     * The number of the process.
     *
     * @return the pid
     */
    public long pid() {
        return process.pid();
    }

    /**
     * Tells whether the process runs.
     *
     * @return false once it ended
     */
    public boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Waits for a line of the output of this very process.
     *
     * @param prefix how the line begins
     * @param timeout how long to wait at most
     * @return what follows the prefix
     * @throws CommandFailure if the process ends before, or the time is over; tells the end of the output
     */
    public String awaitLine(String prefix, Duration timeout) {
        List<String> found = new ArrayList<>(1);
        Machine.await(
                name + " to be ready",
                timeout,
                () -> {
                    boolean alive = isAlive();
                    findLine(prefix).ifPresent(found::add);
                    if (found.isEmpty() && !alive) {
                        throw new CommandFailure(
                                name + " ended before it was ready: exitCode=" + process.exitValue() + "; " + tail());
                    }
                    return !found.isEmpty();
                },
                this::tail);
        return found.get(0);
    }

    private Optional<String> findLine(String prefix) {
        String text = readFrom(outputStart);
        int end = text.lastIndexOf('\n');
        return text.substring(0, Math.max(end, 0))
                .lines()
                .filter(line -> line.startsWith(prefix))
                .map(line -> line.substring(prefix.length()).trim())
                .findFirst();
    }

    /**
     * The end of the output, for messages.
     *
     * @return the last lines, each on a line of its own
     */
    public String tail() {
        List<String> lines = readFrom(outputStart).lines().toList();
        List<String> last = lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size());
        return "end of " + output + ":" + System.lineSeparator()
                + (last.isEmpty() ? "  (empty)" : "  " + String.join(System.lineSeparator() + "  ", last));
    }

    private String readFrom(long start) {
        try (var channel = Files.newByteChannel(output)) {
            long from = Math.max(start, channel.size() - TAIL_BYTES_MAX);
            channel.position(from);
            byte[] bytes = new byte[(int) Math.max(0, Math.min(TAIL_BYTES_MAX, channel.size() - from))];
            var buffer = java.nio.ByteBuffer.wrap(bytes);
            int count = 0;
            while (buffer.hasRemaining() && count >= 0) {
                count = channel.read(buffer);
            }
            return new String(bytes, 0, buffer.position(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "(cannot read " + output + ": " + e.getMessage() + ")";
        }
    }

    /** Ends the process at once (SIGKILL); it can do nothing about it. Returns before it is gone. */
    public void kill() {
        process.destroyForcibly();
    }

    /** Asks the process to end (SIGTERM). */
    public void terminate() {
        process.destroy();
    }

    /**
     * Waits for the end of the process.
     *
     * @param timeout how long to wait at most
     * @return true if it has ended
     */
    public boolean awaitEnd(Duration timeout) {
        try {
            return process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return !process.isAlive();
        }
    }
}

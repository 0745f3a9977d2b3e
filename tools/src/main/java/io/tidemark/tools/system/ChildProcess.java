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
 * A JVM started from our own class path, or another program, whose output goes to a file. Its standard input is a pipe
 * that we hold, so that it notices our end ({@link ParentWatch}); for another program a shell does that, and kills it.
 * Any thread.
 */
public final class ChildProcess {
    /** Kills the program when our end of its standard input is closed, by whatever. */
    private static final String GUARD =
            "exec 3<&0; \"$@\" & child=$!; (cat > /dev/null; kill -9 $child) <&3 & wait $child";

    private static final int TAIL_LINES = 20;
    private static final int TAIL_BYTES_MAX = 1 << 20;

    private final String name;
    private final Process process;
    private final Path output;
    private final long outputStart;
    /** What the process has started, once it was told to end. */
    private volatile List<ProcessHandle> below = List.of();

    private ChildProcess(String name, Process process, Path output, long outputStart) {
        this.name = name;
        this.process = process;
        this.output = output;
        this.outputStart = outputStart;
    }

    /**
     * Another program to start.
     *
     * @param name the name of the child in messages
     * @param line the program and its arguments
     * @param output receives standard output and standard error, appended
     */
    public record Program(String name, List<String> line, Path output) {
        /**
         * Keeps a copy of the arguments.
         *
         * @param name the name of the child in messages
         * @param line the program and its arguments
         * @param output receives its output
         */
        public Program {
            line = List.copyOf(line);
        }
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
        return start(command.name(), line, command.output());
    }

    /**
     * Starts another program under a guard.
     *
     * @param program what to start
     * @return the running child
     * @throws CommandFailure if it cannot be started
     */
    public static ChildProcess start(Program program) {
        List<String> line = new ArrayList<>(List.of("sh", "-c", GUARD, "guard"));
        line.addAll(program.line());
        return start(program.name(), line, program.output());
    }

    private static ChildProcess start(String name, List<String> line, Path output) {
        try {
            long outputStart = Files.exists(output) ? Files.size(output) : 0;
            Process process = new ProcessBuilder(line)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                    .start();
            return new ChildProcess(name, process, output, outputStart);
        } catch (IOException e) {
            throw new CommandFailure("cannot start " + name + ": " + e.getMessage(), e);
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
        rememberBelow();
        process.destroyForcibly();
        below.forEach(ProcessHandle::destroyForcibly);
    }

    private void rememberBelow() {
        if (below.isEmpty()) {
            below = process.descendants().toList();
        }
    }

    /** Asks the process to end (SIGTERM). */
    public void terminate() {
        rememberBelow();
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
            return process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS) && awaitBelow(timeout);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return !process.isAlive();
        }
    }

    private boolean awaitBelow(Duration timeout) throws InterruptedException {
        long deadlineNs = Machine.nanoTime() + timeout.toNanos();
        for (ProcessHandle child : below) {
            while (child.isAlive()) {
                if (Machine.nanoTime() - deadlineNs > 0) {
                    return false;
                }
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                Machine.park(1_000_000);
            }
        }
        return true;
    }
}

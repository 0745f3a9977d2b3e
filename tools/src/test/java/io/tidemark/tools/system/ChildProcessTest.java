package io.tidemark.tools.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Children: readiness, ends, and what they say when they fail. */
class ChildProcessTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    @TempDir
    Path folder = Path.of("");

    private final List<ChildProcess> started = new ArrayList<>();

    @AfterEach
    void killAll() {
        started.forEach(ChildProcess::kill);
    }

    /** A child that says that it is ready and then waits for its parent's end. */
    public static final class Waiting {
        private Waiting() {}

        /** Runs. */
        public static void main(String[] args) {
            System.out.println("ready " + args[0]);
            ParentWatch.start(System.in, () -> Runtime.getRuntime().halt(7));
            while (true) {
                Machine.park(1_000_000_000);
            }
        }
    }

    /** A child that fails at once. */
    public static final class Failing {
        private Failing() {}

        /** Runs. */
        public static void main(String[] args) {
            System.err.println("the port is taken");
            Runtime.getRuntime().halt(3);
        }
    }

    @Test
    void shouldTellWhatFollowsTheReadyLine() {
        ChildProcess child = start(Waiting.class, "a b");

        assertEquals("a b", child.awaitLine("ready ", TIMEOUT));
        assertTrue(child.isAlive());
        child.kill();
        assertTrue(child.awaitEnd(TIMEOUT));
        assertFalse(child.isAlive());
    }

    // The next child of the same name appends to the same file, and is not taken for ready because of the first.
    @Test
    void shouldNotReadTheLinesOfTheProcessBefore() {
        ChildProcess first = start(Waiting.class, "first");
        first.awaitLine("ready ", TIMEOUT);
        first.kill();
        assertTrue(first.awaitEnd(TIMEOUT));

        assertEquals("second", start(Waiting.class, "second").awaitLine("ready ", TIMEOUT));
    }

    @Test
    void shouldTellWhatAFailedChildSaidLast() {
        ChildProcess child = start(Failing.class, "x");

        CommandFailure e = assertThrows(CommandFailure.class, () -> child.awaitLine("ready ", TIMEOUT));
        assertTrue(text(e).startsWith("child ended before it was ready: exitCode=3; end of "), text(e));
        assertTrue(text(e).endsWith("  the port is taken"), text(e));
    }

    @Test
    void shouldTellWhatItWaitedFor() {
        ChildProcess child = start(Waiting.class, "x");
        child.awaitLine("ready ", TIMEOUT);

        CommandFailure e = assertThrows(CommandFailure.class, () -> child.awaitLine("nothing like it ", Duration.ZERO));
        assertTrue(text(e).startsWith("timed out waiting for child to be ready: timeout=0s; end of "), text(e));
    }

    private static String text(Exception e) {
        return String.valueOf(e.getMessage());
    }

    private ChildProcess start(Class<?> mainClass, String argument) {
        ChildProcess child = ChildProcess.start(new ChildProcess.Command(
                "child", mainClass, List.of("-Xmx32m"), List.of(argument), folder.resolve("child.log")));
        started.add(child);
        return child;
    }
}

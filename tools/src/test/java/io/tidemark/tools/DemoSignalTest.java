package io.tidemark.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.tools.system.ChildProcess;
import io.tidemark.tools.system.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A demo that is ended from outside leaves no process, and where it can, no folder. */
@Timeout(180)
class DemoSignalTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @TempDir
    Path root = Path.of("");

    private @Nullable ChildProcess demo;
    private List<ProcessHandle> children = List.of();

    @AfterEach
    void killAll() {
        if (demo != null) {
            demo.kill();
        }
        children.forEach(ProcessHandle::destroyForcibly);
    }

    // Ctrl-C in the middle of the sending, with four children.
    @Test
    void shouldLeaveNothingAfterCtrlC() throws Exception {
        ChildProcess running = startDemo();

        int exitCode = new ProcessBuilder("kill", "-INT", Long.toString(running.pid()))
                .start()
                .waitFor();

        assertEquals(0, exitCode);
        assertTrue(running.awaitEnd(TIMEOUT), running::tail);
        assertChildrenEnd();
        assertEquals(List.of(), entries(root.resolve("tmp")), "folders must be removed");
    }

    // Nobody can clean up after a SIGKILL, but the children notice that their parent is gone.
    @Test
    void shouldLeaveNoProcessAfterItsOwnSigkill() {
        ChildProcess running = startDemo();

        running.kill();

        assertTrue(running.awaitEnd(TIMEOUT), running::tail);
        assertChildrenEnd();
    }

    private ChildProcess startDemo() {
        Path tmp = root.resolve("tmp");
        tmp.toFile().mkdirs();
        ChildProcess started = ChildProcess.start(new ChildProcess.Command(
                "demo",
                Tidemark.class,
                List.of("-Xmx256m", "-Djava.io.tmpdir=" + tmp),
                List.of("demo", "--records", "5000000", "--kill", "none"),
                root.resolve("demo.log")));
        demo = started;
        started.awaitLine("acknowledged", TIMEOUT);
        children = ProcessHandle.of(started.pid()).orElseThrow().descendants().toList();
        assertEquals(4, children.size(), "three brokers and a ZooKeeper server");
        return started;
    }

    private void assertChildrenEnd() {
        Machine.await(
                "the end of the children",
                TIMEOUT,
                () -> children.stream().noneMatch(ProcessHandle::isAlive),
                () -> children.stream().filter(ProcessHandle::isAlive).toList().toString());
    }

    private static List<Path> entries(Path folder) throws IOException {
        try (Stream<Path> found = Files.list(folder)) {
            return found.filter(path -> !path.getFileName().toString().startsWith("hsperfdata"))
                    .toList();
        }
    }
}

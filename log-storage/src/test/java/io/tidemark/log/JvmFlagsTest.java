package io.tidemark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only another process can show: a missing JVM flag, and a folder that is in use. */
class JvmFlagsTest {
    @TempDir
    Path folder;

    /** The program of the other process. */
    static final class Opener {
        private Opener() {}

        public static void main(String[] arguments) {
            try (LogStore store = LogStore.open(Path.of(arguments[0]), LogStoreConfig.defaults())) {
                System.out.println("opened " + store.existing());
            } catch (final IllegalStateException | StorageException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    private String run(List<String> flags) throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.addAll(
                List.of("-cp", System.getProperty("java.class.path"), Opener.class.getName(), folder.toString()));
        final Process process =
                new ProcessBuilder(command).redirectErrorStream(true).start();
        final String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), text);
        return text;
    }

    // The first line of a user without the flag names the flag.
    @Test
    void shouldNameTheMissingFlag() throws IOException, InterruptedException {
        final String text = run(List.of());
        assertTrue(text.contains("--add-exports java.base/jdk.internal.misc=ALL-UNNAMED"), text);
    }

    // A second process is refused while the folder is in use, and let in afterwards.
    @Test
    void shouldRefuseASecondProcess() throws IOException, InterruptedException {
        final List<String> flags = List.of("--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED");
        try (LogStore store = LogStore.open(folder, LogStoreConfig.defaults())) {
            assertTrue(store.existing().isEmpty());
            final String text = run(flags);
            assertTrue(text.contains("data folder is in use"), text);
        }
        final String text = run(flags);
        assertTrue(text.contains("opened []"), text);
    }
}

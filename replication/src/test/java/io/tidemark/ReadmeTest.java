package io.tidemark;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The README shows the program that the build compiles and runs, and no other. */
final class ReadmeTest {
    // The program stands twice, for readers and for the compiler; this keeps the two the same.
    @Test
    void shouldShowTheQuickstartThatIsCompiledAndRun() throws IOException {
        String readme = Files.readString(Path.of("../README.md"));
        String program = Files.readString(Path.of("src/it/quickstart/src/main/java/Quickstart.java"));

        assertTrue(
                readme.contains("```java\n" + program + "```"),
                "README.md and src/it/quickstart differ: copy the program from one to the other");
    }
}

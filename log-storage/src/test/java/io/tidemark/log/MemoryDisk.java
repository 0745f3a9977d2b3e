package io.tidemark.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/** Makes folders in memory where the machine has such a file system: for tests of very many small files. */
final class MemoryDisk implements TempDirFactory {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext test) throws IOException {
        return createFolder();
    }

    /** A new folder. */
    static Path createFolder() throws IOException {
        return Files.isWritable(SHARED_MEMORY)
                ? Files.createTempDirectory(SHARED_MEMORY, "tidemark-test-")
                : Files.createTempDirectory("tidemark-test-");
    }
}

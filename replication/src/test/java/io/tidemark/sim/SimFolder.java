package io.tidemark.sim;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Folders of runs: in memory where the machine has such a place, and gone after the run. */
final class SimFolder implements AutoCloseable {
    private final Path root;
    private int count;

    SimFolder() {
        Path memory = Path.of("/dev/shm");
        try {
            root = Files.isWritable(memory)
                    ? Files.createTempDirectory(memory, "tidemark-sim-")
                    : Files.createTempDirectory("tidemark-sim-");
        } catch (IOException failed) {
            throw new UncheckedIOException("no folder for the simulation", failed);
        }
    }

    /** A folder for the next run; the last one's is deleted. */
    Path next() {
        delete(root.resolve("run-" + count));
        return root.resolve("run-" + ++count);
    }

    private static void delete(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("a folder of the simulation cannot be deleted: " + folder, failed);
        }
    }

    @Override
    public void close() {
        delete(root);
    }
}

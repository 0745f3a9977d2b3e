package io.tidemark.jmh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A folder for the files of one benchmark, below the system's temporary one. */
final class BenchmarkFolder {
    private final Path path;

    /**
     * Makes the folder.
     *
     * @throws IOException if there is no place for temporary files
     */
    BenchmarkFolder() throws IOException {
        path = Files.createTempDirectory("tidemark-jmh");
    }

    /**
     * The folder.
     *
     * @return its path
     */
    Path path() {
        return path;
    }

    /**
     * Removes the folder and everything in it.
     *
     * @throws IOException if something cannot be removed
     */
    void delete() throws IOException {
        List<Path> all;
        try (Stream<Path> paths = Files.walk(path)) {
            all = paths.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : all) {
            Files.delete(each);
        }
    }
}

package io.tidemark.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Whole folders, for tests. */
final class Folders {
    private Folders() {}

    /** Names and sizes of the files in a folder. */
    static String describe(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            final StringBuilder text = new StringBuilder();
            for (final Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                text.append(directory.relativize(file))
                        .append(':')
                        .append(Files.size(file))
                        .append(' ');
            }
            return text.toString();
        } catch (final IOException e) {
            return e.toString();
        }
    }

    /** Copies a folder; one that is not there becomes an empty one. */
    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (final Path file : files.toList()) {
                final Path target = to.resolve(from.relativize(file));
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target);
                }
            }
        } catch (final NoSuchFileException e) {
            Files.createDirectories(to);
        }
    }

    /** Deletes a folder, if it is there. */
    static void deleteAll(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> files = Files.walk(directory)) {
                for (final Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}

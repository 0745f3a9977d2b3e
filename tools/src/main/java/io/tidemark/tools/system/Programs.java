package io.tidemark.tools.system;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/** Finds programs that are installed on this machine. Stateless. */
public final class Programs {
    private Programs() {}

    /**
     * Looks where the shell would.
     *
     * @param name the name of the program
     * @return where it is, or empty if it is not installed
     */
    public static Optional<Path> find(String name) {
        return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(String.valueOf(System.getenv("PATH")))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
    }
}

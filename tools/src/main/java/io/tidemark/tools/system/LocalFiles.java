package io.tidemark.tools.system;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Single files that a user named. Any thread. */
public final class LocalFiles {
    private LocalFiles() {}

    /**
     * Reads a whole file.
     *
     * @param file the file
     * @param what what it is, for the error: "cannot read the …"
     * @param remedy what to do if it cannot be read
     * @return its bytes
     * @throws CommandFailure if it cannot be read
     */
    public static byte[] read(Path file, String what, String remedy) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new CommandFailure(
                    "cannot read the " + what + ": file=" + file + ", cause=" + Folders.describe(e) + "; " + remedy, e);
        }
    }

    /**
     * Writes a whole file, as UTF-8.
     *
     * @param file the file; replaced if it is there
     * @param text what to write
     * @param what what it is, for the error: "cannot write the …"
     * @param remedy what to do if it cannot be written
     * @throws CommandFailure if it cannot be written
     */
    public static void write(Path file, String text, String what, String remedy) {
        try {
            Files.writeString(file, text, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new CommandFailure(
                    "cannot write the " + what + ": file=" + file + ", cause=" + Folders.describe(e) + "; " + remedy,
                    e);
        }
    }

    /**
     * Tells whether a file could be written.
     *
     * @param file the file, need not exist
     * @return false if it is a folder, or its folder cannot be written
     */
    public static boolean isWritable(Path file) {
        Path folder = file.toAbsolutePath().getParent();
        return folder != null && Files.isWritable(folder) && !Files.isDirectory(file);
    }

    /**
     * Tells whether a file can be read.
     *
     * @param file the file
     * @return false if it is absent or protected
     */
    public static boolean isReadable(Path file) {
        return Files.isReadable(file);
    }
}

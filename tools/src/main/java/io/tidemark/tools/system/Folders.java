package io.tidemark.tools.system;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes and removes whole folders. Any thread. */
public final class Folders {
    private static final int DELETE_ATTEMPTS_MAX = 20;
    private static final long DELETE_PAUSE_NS = 20_000_000;

    private Folders() {}

    /**
     * Reads a small file.
     *
     * @param file the file
     * @return all its bytes
     * @throws IOException if it cannot be read
     */
    public static byte[] bytes(Path file) throws IOException {
        return Files.readAllBytes(file);
    }

    /**
     * Makes a fresh folder among the temporary files.
     *
     * @param prefix begins its name
     * @return the folder
     * @throws CommandFailure if it cannot be made
     */
    public static Path createTemporary(String prefix) {
        try {
            return Files.createTempDirectory(prefix);
        } catch (IOException e) {
            throw new CommandFailure(
                    "cannot make a temporary folder: folder=" + System.getProperty("java.io.tmpdir") + ", cause="
                            + describe(e) + "; make it writable or set TIDEMARK_OPTS=-Djava.io.tmpdir=DIR",
                    e);
        }
    }

    /**
     * Makes a folder that must be new or empty.
     *
     * @param folder the folder
     * @return true if it was made, false if it was there and empty
     * @throws CommandFailure if it holds something, is a file, or cannot be made or written
     */
    public static boolean createEmpty(Path folder) {
        if (Files.exists(folder)) {
            requireEmpty(folder);
            return false;
        }
        create(folder);
        return true;
    }

    private static void requireEmpty(Path folder) {
        if (!Files.isDirectory(folder)) {
            throw new CommandFailure("not a folder: path=" + folder + "; name a new or empty folder");
        }
        try (Stream<Path> entries = Files.list(folder)) {
            if (entries.findAny().isPresent()) {
                throw new CommandFailure("the folder is not empty: folder=" + folder + "; name a new or empty folder");
            }
        } catch (IOException e) {
            throw new CommandFailure("cannot read the folder: folder=" + folder + ", cause=" + describe(e), e);
        }
        if (!Files.isWritable(folder)) {
            throw new CommandFailure("cannot write into the folder: folder=" + folder + "; change its permissions");
        }
    }

    /**
     * Makes a folder and its parents.
     *
     * @param folder the folder
     * @throws CommandFailure if it cannot be made
     */
    public static void create(Path folder) {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new CommandFailure(
                    "cannot make the folder: folder=" + folder + ", cause=" + describe(e)
                            + "; name a place where you may write",
                    e);
        }
    }

    /**
     * Removes a folder and everything in it. Tries again while somebody still puts files into it.
     *
     * @param folder the folder; may be absent
     * @throws CommandFailure if something stays
     */
    public static void delete(Path folder) {
        IOException failure = null;
        for (int attempt = 0; attempt < DELETE_ATTEMPTS_MAX; attempt++) {
            try {
                deleteOnce(folder);
                return;
            } catch (NoSuchFileException | DirectoryNotEmptyException busy) {
                failure = busy;
                Machine.park(DELETE_PAUSE_NS);
            } catch (IOException e) {
                throw new CommandFailure("cannot remove the folder: folder=" + folder + ", cause=" + describe(e), e);
            }
        }
        throw new CommandFailure("cannot remove the folder: folder=" + folder + ", cause=" + failure);
    }

    private static void deleteOnce(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException e) throws IOException {
                Files.deleteIfExists(dir);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /**
     * Says in words what went wrong with a file; many exceptions of the file system carry nothing but its name.
     *
     * @param e the exception
     * @return a few words
     */
    public static String describe(IOException e) {
        if (e instanceof NoSuchFileException absent) {
            return absent.getReason() == null ? "no such file or folder" : absent.getReason();
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileAlreadyExistsException) {
            return "a file of this name is in the way";
        }
        if (e instanceof FileSystemException other && other.getReason() != null) {
            return other.getReason();
        }
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }
}

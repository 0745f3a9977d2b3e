package io.tidemark.log;

import io.tidemark.log.io.FileSystem;
import io.tidemark.log.io.LockHeldException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** Takes a data folder against other processes and other stores, and gives it back when it cannot be opened. */
final class StoreLock {
    private static final String LOCK = ".lock";

    private StoreLock() {}

    /**
     * Makes the folder if need be, and locks it.
     *
     * @param fileSystem that holds it
     * @param directory the folder
     * @return to be closed to give it back
     * @throws StorageException when it is in use or cannot be written
     */
    static Closeable take(FileSystem fileSystem, Path directory) {
        try {
            fileSystem.createDirectories(directory);
            return fileSystem.lock(directory.resolve(LOCK));
        } catch (final LockHeldException e) {
            throw new StorageException(
                    "data folder is in use: folder=" + directory + "; stop the other process or choose another folder",
                    e);
        } catch (final IOException e) {
            throw notOpened(directory, e);
        }
    }

    /**
     * Gives a folder back that cannot be opened.
     *
     * @param lock that was taken
     * @param directory the folder
     * @param cause why
     * @return what to throw
     */
    static StorageException giveBack(Closeable lock, Path directory, Exception cause) {
        final StorageException error = cause instanceof StorageException known ? known : notOpened(directory, cause);
        try {
            lock.close();
        } catch (final IOException e) {
            error.addSuppressed(e);
        }
        return error;
    }

    private static StorageException notOpened(Path directory, Exception cause) {
        return new StorageException(
                "data folder cannot be opened: folder=" + directory + "; check that it can be written", cause);
    }
}

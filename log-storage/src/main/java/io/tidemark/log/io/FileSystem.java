package io.tidemark.log.io;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/**
 * What a log asks of a disk. An implementation is used by any thread. Failures are {@link IOException}s;
 * {@link NoSpaceException} when, and only when, there is no space or quota left.
 */
public interface FileSystem {
    /** How a file is opened. */
    enum OpenMode {
        /** An existing file, to be read only. */
        READ,
        /** An existing file, to be read and written. */
        WRITE,
        /** A file to be read and written that is made when it is not there. */
        CREATE,
        /** A file to be read and written that must not be there yet. */
        CREATE_NEW
    }

    /**
     * Opens a file.
     *
     * @param path of the file
     * @param mode see {@link OpenMode}
     * @return the open file; the caller closes it
     * @throws IOException when it cannot be opened
     */
    FileHandle open(Path path, OpenMode mode) throws IOException;

    /**
     * Whether a file or folder is there.
     *
     * @param path to look for
     * @return true when it is
     */
    boolean exists(Path path);

    /**
     * Whether a folder is there.
     *
     * @param path to look for
     * @return true when it is and is a folder
     */
    boolean isDirectory(Path path);

    /**
     * The size of a file.
     *
     * @param path of the file
     * @return bytes
     * @throws IOException when it cannot be had
     */
    long sizeOf(Path path) throws IOException;

    /**
     * The entries of a folder.
     *
     * @param directory to list
     * @return full paths, sorted by name
     * @throws IOException when it cannot be read
     */
    List<Path> list(Path directory) throws IOException;

    /**
     * Makes a folder and those above it; nothing happens when it is there.
     *
     * @param directory to make
     * @throws IOException when it cannot be made
     */
    void createDirectories(Path directory) throws IOException;

    /**
     * Renames a file or folder at once, replacing a file of the new name.
     *
     * @param from the old path
     * @param to the new path
     * @throws IOException when it cannot be renamed
     */
    void rename(Path from, Path to) throws IOException;

    /**
     * Deletes a file or an empty folder.
     *
     * @param path to delete
     * @return false when it was not there
     * @throws IOException when it is there and cannot be deleted
     */
    boolean delete(Path path) throws IOException;

    /**
     * Makes earlier creations, renamings and deletions in a folder durable.
     *
     * @param directory whose entries changed
     * @throws IOException when they may not be durable
     */
    void syncDirectory(Path directory) throws IOException;

    /**
     * Takes the lock that a file stands for, against other processes and against others in this JVM.
     *
     * @param path of the lock file, made when it is not there
     * @return to be closed to give the lock back
     * @throws LockHeldException when somebody else holds it
     * @throws IOException when the file cannot be opened or locked
     */
    Closeable lock(Path path) throws IOException;

    /**
     * Names this start of the machine: as long as it is the same, the page cache has not been lost.
     *
     * @return a text that changes with every boot, empty when it is not known
     */
    String bootId();

    /**
     * Names the mount that a folder lies on.
     *
     * @param directory that exists
     * @return a text that changes with device and mount, empty when it is not known
     */
    String mountId(Path directory);

    /**
     * When the content of a file last changed.
     *
     * @param path of the file
     * @return milliseconds since the epoch, by the clock of the machine at that time
     * @throws IOException when it cannot be had
     */
    long lastModifiedMs(Path path) throws IOException;

    /**
     * How much more can be written to the disk that holds a folder.
     *
     * @param directory that exists
     * @return bytes
     * @throws IOException when it cannot be had
     */
    long usableBytes(Path directory) throws IOException;

    /**
     * The size of the disk that holds a folder.
     *
     * @param directory that exists
     * @return bytes
     * @throws IOException when it cannot be had
     */
    long totalBytes(Path directory) throws IOException;

    /**
     * A fresh id for a folder.
     *
     * @return an id that was never returned before
     */
    UUID newId();
}

package io.tidemark.log;

import io.tidemark.log.io.FileHandle;
import io.tidemark.log.io.FileSystem;
import io.tidemark.log.io.MappedFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/**
 * A file system that reads what is there and takes every change for done without doing it, but for the lock. A recovery
 * on it says what a recovery would do. Any thread.
 */
final class DryRunFileSystem implements FileSystem {
    private final FileSystem real;

    /**
     * A file system that changes nothing.
     *
     * @param real that is read
     */
    DryRunFileSystem(FileSystem real) {
        this.real = real;
    }

    @Override
    public FileHandle open(Path path, OpenMode mode) throws IOException {
        return mode == OpenMode.READ || mode == OpenMode.WRITE || real.exists(path)
                ? new Unchanged(real.open(path, OpenMode.READ))
                : new Missing();
    }

    @Override
    public boolean exists(Path path) {
        return real.exists(path);
    }

    @Override
    public boolean isDirectory(Path path) {
        return real.isDirectory(path);
    }

    @Override
    public long sizeOf(Path path) throws IOException {
        return real.sizeOf(path);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        return real.list(directory);
    }

    @Override
    public void createDirectories(Path directory) {
        // Taken for done.
    }

    @Override
    public void rename(Path from, Path to) {
        // Taken for done.
    }

    @Override
    public boolean delete(Path path) {
        return real.exists(path);
    }

    @Override
    public void syncDirectory(Path directory) {
        // Taken for done.
    }

    @Override
    public Closeable lock(Path path) throws IOException {
        return real.lock(path);
    }

    @Override
    public String bootId() {
        return real.bootId();
    }

    @Override
    public String mountId(Path directory) {
        return real.mountId(directory);
    }

    @Override
    public long lastModifiedMs(Path path) throws IOException {
        return real.lastModifiedMs(path);
    }

    @Override
    public long usableBytes(Path directory) throws IOException {
        return real.usableBytes(directory);
    }

    @Override
    public long totalBytes(Path directory) throws IOException {
        return real.totalBytes(directory);
    }

    @Override
    public UUID newId() {
        return real.newId();
    }

    /** A file that is read, and written without effect. */
    private static final class Unchanged implements FileHandle {
        private final FileHandle file;

        Unchanged(FileHandle file) {
            this.file = file;
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            return file.read(target, position);
        }

        @Override
        public void write(ByteBuffer source, long position) {
            source.position(source.limit());
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public void truncate(long size) {
            // Taken for done.
        }

        @Override
        public void force() {
            // Taken for done.
        }

        @Override
        public MappedFile map(int size, boolean writable) throws IOException {
            return file.map(size, false);
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    /** A file that would have been made. */
    private static final class Missing implements FileHandle {
        @Override
        public int read(ByteBuffer target, long position) {
            return 0;
        }

        @Override
        public void write(ByteBuffer source, long position) {
            source.position(source.limit());
        }

        @Override
        public long size() {
            return 0;
        }

        @Override
        public void truncate(long size) {
            // Taken for done.
        }

        @Override
        public void force() {
            // Taken for done.
        }

        @Override
        public MappedFile map(int size, boolean writable) throws IOException {
            throw new IOException("a file that a dry run did not make cannot be mapped");
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}

package io.tidemark.coordination.local;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** A folder on the machine's disk; the one class of this package that touches files. */
final class DiskFolder implements StoreFolder {
    private static final String LOCK_FILE = "coordination.lock";

    private final Path folder;
    private @Nullable FileChannel lockChannel;

    /**
     * Names a folder; nothing is touched yet.
     *
     * @param folder where it is
     */
    DiskFolder(Path folder) {
        this.folder = folder.toAbsolutePath().normalize();
    }

    @Override
    public String path() {
        return folder.toString();
    }

    @Override
    public boolean tryLock() throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder);
            Path parent = folder.getParent();
            if (parent != null) {
                forceFolder(parent);
            }
        }
        FileChannel channel =
                FileChannel.open(folder.resolve(LOCK_FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean taken = false;
        try {
            taken = channel.tryLock() != null;
        } catch (OverlappingFileLockException ownProcess) {
            return false;
        } finally {
            if (!taken) {
                channel.close();
            }
        }
        if (taken) {
            lockChannel = channel;
        }
        return taken;
    }

    @Override
    public byte @Nullable [] read(String name) throws IOException {
        try {
            return Files.readAllBytes(folder.resolve(name));
        } catch (NoSuchFileException absent) {
            return null;
        }
    }

    @Override
    public Output create(String name) throws IOException {
        return new DiskOutput(FileChannel.open(
                folder.resolve(name),
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(
                folder.resolve(from),
                folder.resolve(to),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void force() throws IOException {
        forceFolder(folder);
    }

    private static void forceFolder(Path which) throws IOException {
        try (FileChannel channel = FileChannel.open(which, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public void close() throws IOException {
        FileChannel channel = lockChannel;
        lockChannel = null;
        if (channel != null) {
            // The lock file stays: who removed it could remove the one that another process has just locked.
            channel.close();
        }
    }

    /**
     * A file on the disk.
     *
     * @param channel its channel, at the end
     */
    private record DiskOutput(FileChannel channel) implements Output {
        @Override
        public void write(byte[] bytes) throws IOException {
            ByteBuffer left = ByteBuffer.wrap(bytes);
            while (left.hasRemaining()) {
                channel.write(left);
            }
        }

        @Override
        public void force() throws IOException {
            channel.force(true);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}

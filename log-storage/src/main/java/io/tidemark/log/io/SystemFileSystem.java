package io.tidemark.log.io;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The file system of the machine, by {@code java.nio}. Has no state. */
public final class SystemFileSystem implements FileSystem {
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");

    /** The file system of the machine. */
    public SystemFileSystem() {}

    @Override
    public FileHandle open(Path path, OpenMode mode) throws IOException {
        final OpenOption[] options = switch (mode) {
            case READ -> new OpenOption[] {StandardOpenOption.READ};
            case WRITE -> new OpenOption[] {StandardOpenOption.READ, StandardOpenOption.WRITE};
            case CREATE ->
                new OpenOption[] {StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE};
            case CREATE_NEW ->
                new OpenOption[] {StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW};
        };
        try {
            return new ChannelHandle(path, mode, FileChannel.open(path, options));
        } catch (final IOException e) {
            throw translated(path, e);
        }
    }

    /**
     * Tells a full disk from other failures: Java has no type for it.
     *
     * @param path of the file
     * @param e what Java says
     * @return the same, or a {@link NoSpaceException}
     */
    static IOException translated(Path path, IOException e) {
        final String text = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
        if (text.contains("no space left") || text.contains("quota exceeded") || text.contains("not enough space")) {
            return new NoSpaceException("no space left: file=" + path, e);
        }
        return e;
    }

    @Override
    public boolean exists(Path path) {
        return Files.exists(path);
    }

    @Override
    public boolean isDirectory(Path path) {
        return Files.isDirectory(path);
    }

    @Override
    public long sizeOf(Path path) throws IOException {
        return Files.size(path);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.sorted().toList();
        }
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        try {
            Files.createDirectories(directory);
        } catch (final IOException e) {
            throw translated(directory, e);
        }
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (final IOException e) {
            throw translated(to, e);
        }
    }

    @Override
    public boolean delete(Path path) throws IOException {
        return Files.deleteIfExists(path);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public Closeable lock(Path path) throws IOException {
        final FileChannel channel =
                FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            final FileLock lock = channel.tryLock();
            if (lock != null) {
                return channel;
            }
        } catch (final OverlappingFileLockException e) {
            channel.close();
            throw new LockHeldException("lock is held by another user in this JVM: file=" + path);
        } catch (final IOException e) {
            channel.close();
            throw e;
        }
        channel.close();
        throw new LockHeldException("lock is held by another process: file=" + path);
    }

    @Override
    public String bootId() {
        final String text = textOf(BOOT_ID);
        return text == null ? "" : text.strip();
    }

    @Override
    public String mountId(Path directory) {
        try {
            final Object device = Files.getAttribute(directory, "unix:dev");
            final String mount = mountOf(directory.toRealPath());
            return mount == null ? "" : "dev=" + device + ",mount=" + mount;
        } catch (final IOException | UnsupportedOperationException | IllegalArgumentException e) {
            // Not a Unix, or not readable: an unknown mount counts as a new one at each start, which is safe.
            return "";
        }
    }

    /** The id of the mount with the longest mount point above the folder. */
    private static @Nullable String mountOf(Path directory) {
        final String text = textOf(MOUNTS);
        if (text == null) {
            return null;
        }
        String best = null;
        int bestLength = -1;
        for (final String line : text.split("\n", -1)) {
            final String[] fields = line.split(" ", -1);
            if (fields.length > 4) {
                final Path point = Path.of(fields[4].replace("\\040", " "));
                if (point.getNameCount() >= bestLength && directory.startsWith(point)) {
                    best = fields[0];
                    bestLength = point.getNameCount();
                }
            }
        }
        return best;
    }

    private static @Nullable String textOf(Path path) {
        try {
            return Files.readString(path, StandardCharsets.UTF_8);
        } catch (final IOException e) {
            return null;
        }
    }

    @Override
    public long lastModifiedMs(Path path) throws IOException {
        return Files.getLastModifiedTime(path).toMillis();
    }

    @Override
    public long usableBytes(Path directory) throws IOException {
        // Not by a FileStore, which reads the table of all mounts each time.
        final File folder = directory.toFile();
        final long usable = folder.getUsableSpace();
        if (usable == 0 && folder.getTotalSpace() == 0) {
            throw new IOException("free space cannot be had: folder=" + directory);
        }
        return usable;
    }

    @Override
    public long totalBytes(Path directory) throws IOException {
        final long total = directory.toFile().getTotalSpace();
        if (total == 0) {
            throw new IOException("size of the disk cannot be had: folder=" + directory);
        }
        return total;
    }

    @Override
    public UUID newId() {
        return UUID.randomUUID();
    }
}

package io.tidemark.sim;

import io.tidemark.log.io.FaultyFileSystem;
import io.tidemark.log.io.FileHandle;
import io.tidemark.log.io.FileSystem;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;

/** The disk of a machine as one process sees it: the faulty file system, with ids that the seed gives. */
final class SimDisk implements FileSystem {
    private final FaultyFileSystem disk;
    private final SplittableRandom random;

    SimDisk(FaultyFileSystem disk, SplittableRandom random) {
        this.disk = disk;
        this.random = random;
    }

    /** Makes everything that is in a folder durable: it is what a power failure left. */
    static void settle(FaultyFileSystem disk, Path folder) throws IOException {
        if (!disk.exists(folder)) {
            return;
        }
        disk.createDirectories(folder);
        for (Path entry : disk.list(folder)) {
            if (disk.isDirectory(entry)) {
                settle(disk, entry);
            } else {
                try (FileHandle file = disk.open(entry, OpenMode.WRITE)) {
                    file.force();
                }
            }
        }
        disk.syncDirectory(folder);
    }

    @Override
    public FileHandle open(Path path, OpenMode mode) throws IOException {
        return disk.open(path, mode);
    }

    @Override
    public boolean exists(Path path) {
        return disk.exists(path);
    }

    @Override
    public boolean isDirectory(Path path) {
        return disk.isDirectory(path);
    }

    @Override
    public long sizeOf(Path path) throws IOException {
        return disk.sizeOf(path);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        return disk.list(directory).stream().sorted().toList();
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        disk.createDirectories(directory);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        disk.rename(from, to);
    }

    @Override
    public boolean delete(Path path) throws IOException {
        return disk.delete(path);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        disk.syncDirectory(directory);
    }

    @Override
    public Closeable lock(Path path) throws IOException {
        return disk.lock(path);
    }

    @Override
    public String bootId() {
        return disk.bootId();
    }

    @Override
    public String mountId(Path directory) {
        return disk.mountId(directory);
    }

    @Override
    public long lastModifiedMs(Path path) throws IOException {
        return disk.lastModifiedMs(path);
    }

    @Override
    public long usableBytes(Path directory) {
        return disk.usableBytes(directory);
    }

    @Override
    public long totalBytes(Path directory) {
        return disk.totalBytes(directory);
    }

    @Override
    public UUID newId() {
        return new UUID(random.nextLong(), random.nextLong());
    }
}

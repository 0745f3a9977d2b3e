package io.tidemark.log.segment;

import io.tidemark.log.io.FileSystem;
import io.tidemark.log.io.NoSpaceException;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Keeps segments from taking the last free space of a disk, which the host, checkpoints and recovery need. Whoever
 * wants more blocks asks first; what was granted since the disk was last asked is counted against it. Once it refused,
 * it goes on refusing until a quarter more than the reserve is free, so that appends do not flicker between good and
 * bad. Any thread; the monitor is held for a system call of some microseconds, and only where blocks are written.
 */
public final class DiskReserve {
    private final FileSystem fileSystem;
    private final Path directory;
    private final long reserveBytes;
    private long grantable;
    private volatile boolean isLow;

    /**
     * A reserve.
     *
     * @param fileSystem that holds the folder
     * @param directory on the disk
     * @param reserveBytes free bytes that are not granted to anybody; 0 leaves it to the disk to say that it is full
     */
    public DiskReserve(FileSystem fileSystem, Path directory, long reserveBytes) {
        this.fileSystem = fileSystem;
        this.directory = directory;
        this.reserveBytes = reserveBytes;
    }

    /**
     * Asks for blocks.
     *
     * @param bytes wanted, granted as a whole or not at all
     * @throws NoSpaceException when that would take from the reserve
     */
    public synchronized void take(long bytes) throws NoSpaceException {
        if (reserveBytes == 0) {
            return;
        }
        if (bytes > grantable || isLow) {
            final long usable = refresh();
            if (bytes > grantable || isLow) {
                isLow = true;
                throw new NoSpaceException("free space is at its reserve: folder=" + directory + ", usableBytes="
                        + usable + ", reserveBytes=" + reserveBytes + ", wantedBytes=" + bytes
                        + "; reads go on, appends do once " + (reserveBytes + margin()) + " bytes are free");
            }
        }
        grantable -= bytes;
    }

    /**
     * Asks for blocks that nobody needs yet. A refusal has no consequence for others.
     *
     * @param bytes wanted
     * @return whether they were granted
     */
    public synchronized boolean tryTake(long bytes) {
        if (reserveBytes == 0) {
            return true;
        }
        if (bytes > grantable || isLow) {
            refresh();
        }
        if (bytes > grantable - margin() || isLow) {
            return false;
        }
        grantable -= bytes;
        return true;
    }

    private long margin() {
        return reserveBytes / 4;
    }

    /**
     * Asks the disk anew.
     *
     * @return usable bytes
     */
    public synchronized long refresh() {
        long usable;
        try {
            usable = fileSystem.usableBytes(directory);
        } catch (final IOException e) {
            // Not known: the disk itself still says when it is full.
            usable = Long.MAX_VALUE;
        }
        grantable = usable - reserveBytes;
        if (isLow && grantable >= margin() && grantable > 0) {
            isLow = false;
        }
        return usable;
    }

    /**
     * Whether something was refused and would be again.
     *
     * @return true until enough space was freed and {@link #refresh()} has seen it
     */
    public boolean isLow() {
        return isLow;
    }
}

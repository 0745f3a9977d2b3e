package io.tidemark.log.segment;

import io.tidemark.log.CorruptLogException;
import io.tidemark.log.StorageException;
import io.tidemark.log.format.BatchDescriptor;
import io.tidemark.log.io.FileHandle;
import io.tidemark.log.io.FileSystem.OpenMode;
import io.tidemark.log.io.MappedFile;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One file of batches with its two indexes, seen by readers. It is mapped when somebody reads, and unmapped when it
 * was not used for long; the file itself is open only while it is appended to or not yet forced. What lies at or
 * beyond {@link #size()} does not belong to the segment. Any thread, except where a method names its owner; the
 * segment's own monitor guards mapping, index and handle while they are changed, which is rare.
 */
public final class Segment {
    private static final long UNKNOWN = Long.MIN_VALUE;
    private static final int CHUNK_BYTES = 1 << 16;
    private static final VarHandle SIZE;

    static {
        try {
            SIZE = MethodHandles.lookup().findVarHandle(Segment.class, "size", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final SegmentFolder folder;
    private final long baseOffset;
    private final Path path;

    @SuppressWarnings("UnusedVariable") // by SIZE
    private int size;

    private int lastUsed;
    private volatile @Nullable MappedFile mapping;
    private volatile @Nullable OffsetIndex index;
    private volatile @Nullable TimeIndex times;
    private volatile long sealedMaxTimestamp = UNKNOWN;
    private volatile boolean retired;
    private volatile boolean sealed;
    private boolean pinned;
    private final List<MappedFile> evicted = new ArrayList<>(0);
    private @Nullable FileHandle handle;
    private int doubtFrom;
    private int doubtTo;

    /**
     * A segment whose file exists.
     *
     * @param folder that holds it
     * @param baseOffset first offset that it may hold
     * @param size bytes of it that belong to the log
     * @param index of its batches, null when it shall be loaded or rebuilt on demand
     * @param times of its batches, null when they shall be loaded or rebuilt on demand
     * @param sealed whether it is forced, cut and has its indexes on disk
     */
    public Segment(
            SegmentFolder folder,
            long baseOffset,
            int size,
            @Nullable OffsetIndex index,
            @Nullable TimeIndex times,
            boolean sealed) {
        this.folder = folder;
        this.baseOffset = baseOffset;
        this.path = folder.path(baseOffset, SegmentFileName.LOG);
        this.size = size;
        this.index = index;
        this.times = times;
        this.sealed = sealed;
    }

    /**
     * A segment that holds nothing yet.
     *
     * @param folder that holds it
     * @param baseOffset first offset that it may hold
     * @return the segment
     */
    public static Segment empty(SegmentFolder folder, long baseOffset) {
        final int bytesMax = folder.indexBytesMax();
        return new Segment(folder, baseOffset, 0, new OffsetIndex(bytesMax), new TimeIndex(bytesMax), false);
    }

    /**
     * First offset that the segment may hold.
     *
     * @return an offset
     */
    public long baseOffset() {
        return baseOffset;
    }

    /**
     * The file.
     *
     * @return its path
     */
    public Path path() {
        return path;
    }

    /**
     * Bytes that belong to the log.
     *
     * @return a size in bytes
     */
    public int size() {
        // Acquire: pairs with the release in publish, so that the bytes below the size are seen.
        return (int) SIZE.getAcquire(this);
    }

    /**
     * Shows more bytes to readers. Owned by the thread that appends.
     *
     * @param newSize bytes that are complete
     */
    void publish(int newSize) {
        SIZE.setRelease(this, newSize);
    }

    /**
     * The mark of the last use.
     *
     * @return a tick of the cache
     */
    int lastUsed() {
        return lastUsed;
    }

    /**
     * Takes a reference of the mapping, and maps the file when it is not mapped.
     *
     * @return the mapping, to be released; null when the segment was retired
     * @throws StorageException when the file cannot be mapped
     */
    public @Nullable MappedFile acquire() {
        while (true) {
            final MappedFile current = mapping;
            if (current != null && current.tryRetain()) {
                lastUsed = folder.cache().tick();
                return current;
            }
            if (!mapOnDemand()) {
                return null;
            }
            folder.cache().add(this);
            if (retired) {
                folder.cache().remove(this);
            }
        }
    }

    private synchronized boolean mapOnDemand() {
        if (retired) {
            return false;
        }
        if (mapping == null) {
            try (FileHandle file = folder.fileSystem().open(path, OpenMode.READ)) {
                final int bytes = size();
                if (file.size() < bytes) {
                    throw new CorruptLogException("segment file is shorter than the log that it held: file=" + path
                            + ", sizeBytes=" + file.size() + ", expectedBytes=" + bytes
                            + "; restore the file or fetch the log from another replica");
                }
                mapping = file.map(bytes, false);
            } catch (final IOException e) {
                throw new StorageException("segment cannot be mapped: file=" + path + "; check the disk", e);
            }
        }
        return true;
    }

    /**
     * Puts the writer's mapping in place of one that readers made, and keeps it from being dropped.
     *
     * @param writable the mapping; the segment takes over the caller's reference
     */
    synchronized void pin(MappedFile writable) {
        final MappedFile before = mapping;
        mapping = writable;
        pinned = true;
        if (before != null) {
            before.release();
        }
    }

    /**
     * Makes the segment independent of its file's name, which is about to change: mapping and index are there and stay
     * until {@link #retire()}. Readers of an older view would look for them under the old name otherwise.
     */
    public synchronized void hold() {
        pinned = true;
        if (size() > 0) {
            index();
            mapOnDemand();
        }
    }

    /** Lets the mapping be dropped when others are used more: the segment is not appended to any more. */
    public void unpin() {
        synchronized (this) {
            pinned = false;
            if (mapping == null) {
                return;
            }
        }
        folder.cache().add(this);
    }

    /** Drops mapping and index until somebody reads again; leases go on. */
    void evict() {
        final MappedFile dropped;
        synchronized (this) {
            // A retired one keeps its index: its file may have another name by now, and readers may still need it.
            if (pinned || retired) {
                return;
            }
            dropped = mapping;
            mapping = null;
            if (sealed) {
                index = null;
                times = null;
            }
            if (dropped != null) {
                evicted.removeIf(MappedFile::isUnmapped);
                evicted.add(dropped);
            }
        }
        if (dropped != null) {
            dropped.release();
        }
    }

    /**
     * Takes the segment out of use; {@link #acquire()} returns null from now on, leases go on.
     *
     * @return the mappings on which there may be leases, also those that were dropped for want of use: the file must
     *     not be cut before they are gone
     * @throws IOException when the file cannot be closed
     */
    public List<MappedFile> retire() throws IOException {
        final MappedFile dropped;
        final FileHandle open;
        final List<MappedFile> leased;
        synchronized (this) {
            retired = true;
            pinned = false;
            dropped = mapping;
            mapping = null;
            open = handle;
            handle = null;
            leased = new ArrayList<>(evicted);
            evicted.clear();
        }
        folder.cache().remove(this);
        if (dropped != null) {
            leased.add(dropped);
            dropped.release();
        }
        if (open != null) {
            open.close();
        }
        leased.removeIf(MappedFile::isUnmapped);
        return leased;
    }

    /**
     * The position of the first batch that ends at or after an offset.
     *
     * @param buffer the mapping's
     * @param offset to look for
     * @param limit size of the segment as the caller saw it
     * @return a position, {@code limit} when there is no such batch
     * @throws CorruptLogException when what stands there is no batch
     */
    public int positionOf(DirectBuffer buffer, long offset, int limit) {
        OffsetIndex current = index();
        long entry = current.floor(offset - baseOffset);
        if (entry != OffsetIndex.NO_ENTRY && !isSound(buffer, entry, limit)) {
            current = rebuildIndex();
            entry = current.floor(offset - baseOffset);
        }
        int at = entry == OffsetIndex.NO_ENTRY ? 0 : OffsetIndex.position(entry);
        while (at < limit) {
            final int bytes = batchSizeAt(buffer, at, limit);
            if (BatchDescriptor.lastOffset(buffer, at) >= offset) {
                return at;
            }
            at += bytes;
        }
        return limit;
    }

    /**
     * The entry of the index with the greatest position that is not above the one given, if the log proves it.
     *
     * @param buffer the mapping's
     * @param position place in the segment
     * @param limit size of the segment as the caller saw it
     * @return an entry or {@link OffsetIndex#NO_ENTRY}
     */
    public long entryAtPosition(DirectBuffer buffer, long position, int limit) {
        final long entry = index().floorByPosition(position);
        return entry != OffsetIndex.NO_ENTRY && isSound(buffer, entry, limit) ? entry : OffsetIndex.NO_ENTRY;
    }

    /** Whether a batch stands where an entry says, and ends with the entry's offset. */
    private boolean isSound(DirectBuffer buffer, long entry, int limit) {
        final int at = OffsetIndex.position(entry);
        if (at < 0 || limit - at < BatchDescriptor.HEADER_LENGTH) {
            return false;
        }
        final long bytes = BatchDescriptor.sizeInBytes(buffer, at);
        return bytes >= BatchDescriptor.HEADER_LENGTH
                && bytes <= limit - at
                && buffer.getByte(at + BatchDescriptor.MAGIC) == BatchDescriptor.MAGIC_VALUE
                && BatchDescriptor.lastOffset(buffer, at) - baseOffset == OffsetIndex.relativeOffset(entry);
    }

    /**
     * The size of the batch at a position, after a check that a batch can stand there.
     *
     * @param buffer the mapping's
     * @param at position
     * @param limit size of the segment as the caller saw it
     * @return bytes
     * @throws CorruptLogException when what stands there is no batch
     */
    public int batchSizeAt(DirectBuffer buffer, int at, int limit) {
        final int left = limit - at;
        final long bytes = left < BatchDescriptor.HEADER_LENGTH ? -1 : BatchDescriptor.sizeInBytes(buffer, at);
        if (bytes < BatchDescriptor.HEADER_LENGTH
                || bytes > left
                || buffer.getByte(at + BatchDescriptor.MAGIC) != BatchDescriptor.MAGIC_VALUE) {
            throw new CorruptLogException("no batch where one was written: file=" + path + ", position=" + at
                    + ", sizeBytes=" + limit + "; the file is damaged, fetch the log from another replica");
        }
        return (int) bytes;
    }

    /**
     * The index, loaded from its file or rebuilt from the batches when it is not in memory.
     *
     * @return the index
     * @throws StorageException when the batches cannot be read
     */
    public OffsetIndex index() {
        final OffsetIndex current = index;
        return current != null ? current : loadIndex();
    }

    private synchronized OffsetIndex loadIndex() {
        OffsetIndex current = index;
        if (current == null) {
            current = folder.readIndex(baseOffset, size());
            if (current == null) {
                return rebuildIndex();
            }
            index = current;
        }
        return current;
    }

    private synchronized OffsetIndex rebuildIndex() {
        final IndexBuilder rebuilt = folder.buildIndexes(this);
        index = rebuilt.index();
        if (times == null) {
            // One that is there is right, and may be the one that is added to.
            times = rebuilt.times();
        }
        writeBack(rebuilt);
        return rebuilt.index();
    }

    /** Spares the next opening of a closed segment the scan. */
    private void writeBack(IndexBuilder rebuilt) {
        if (sealed && !retired) {
            try {
                folder.writeIndexes(this, rebuilt.index(), rebuilt.times());
            } catch (final IOException e) {
                // Derived files: what is there now is no worse than what was there before, and proves itself or is
                // built
                // again. The scan has told what the reader wanted to know.
                sealedMaxTimestamp = rebuilt.times().maxTimestamp();
            }
        }
    }

    /**
     * The time index, loaded from its file or rebuilt from the batches when it is not in memory.
     *
     * @return the index
     * @throws StorageException when the batches cannot be read
     */
    public TimeIndex times() {
        final TimeIndex current = times;
        return current != null ? current : loadTimes();
    }

    private synchronized TimeIndex loadTimes() {
        TimeIndex current = times;
        if (current == null) {
            current = folder.readTimes(this);
            if (current == null) {
                final IndexBuilder rebuilt = folder.buildIndexes(this);
                current = rebuilt.times();
                if (index == null) {
                    index = rebuilt.index();
                }
                writeBack(rebuilt);
            }
            times = current;
        }
        return current;
    }

    /**
     * The greatest timestamp of the segment's batches. It is never taken from a file that nothing proves. Costs a small
     * read for a closed segment that was not asked before, and a scan when its summary is missing.
     *
     * @return milliseconds since the epoch of Unix, -1 when no batch has a timestamp
     * @throws StorageException when the batches cannot be read
     */
    public long maxTimestamp() {
        final TimeIndex current = times;
        if (current != null) {
            return current.maxTimestamp();
        }
        if (!sealed) {
            return times().maxTimestamp();
        }
        long known = sealedMaxTimestamp;
        if (known == UNKNOWN) {
            final SegmentSummary summary = folder.readSummary(this);
            known = summary == null ? times().maxTimestamp() : summary.maxTimestamp();
            sealedMaxTimestamp = known;
        }
        return known;
    }

    /**
     * Whether the segment is forced, cut and has its index on disk.
     *
     * @return true when nothing is left to do for it
     */
    public boolean isSealed() {
        return sealed;
    }

    /**
     * The open file; it is opened when it is not. It stays open until {@link #seal()} or {@link #retire()}, because the
     * system reports a failed write only to files that were open then.
     *
     * @return the handle
     * @throws IOException when it cannot be opened
     */
    synchronized FileHandle handle() throws IOException {
        FileHandle open = handle;
        if (open == null) {
            open = folder.fileSystem().open(path, OpenMode.WRITE);
            handle = open;
        }
        return open;
    }

    /**
     * The open file for a writer; it stays open until {@link #unpin()} at least.
     *
     * @return the handle
     * @throws IOException when it cannot be opened
     */
    synchronized FileHandle openForAppend() throws IOException {
        pinned = true;
        return handle();
    }

    /**
     * Closes the file if no writer needs it. Everything was forced before, and nobody else forces it meanwhile.
     *
     * @throws IOException when it cannot be closed
     */
    public void closeIfIdle() throws IOException {
        final FileHandle open;
        synchronized (this) {
            if (pinned || handle == null) {
                return;
            }
            open = handle;
            handle = null;
        }
        open.close();
    }

    /**
     * Gives the open file to another view of the same file.
     *
     * @param successor that takes the handle, if there is one
     */
    public void handOver(Segment successor) {
        final FileHandle open;
        synchronized (this) {
            open = handle;
            handle = null;
        }
        synchronized (successor) {
            successor.handle = open;
        }
        successor.doubt(doubtFrom, Math.min(doubtTo, successor.size()));
    }

    /**
     * Says that a process before this one stored a part of the file. If a force of it failed, the system takes the
     * pages for clean although they never got to the disk, and no force will bring them there: they must be stored
     * again before. Guarded by the log's flush lock.
     *
     * @param from where the part begins
     * @param to where it ends
     */
    public void doubt(int from, int to) {
        doubtFrom = from;
        doubtTo = to;
    }

    /** The same bytes, in place: readers and leases see no difference. */
    private void storeAgain() throws IOException {
        final FileHandle file = handle();
        final ByteBuffer chunk = ByteBuffer.allocate(Math.min(CHUNK_BYTES, doubtTo - doubtFrom));
        int at = doubtFrom;
        while (at < doubtTo) {
            chunk.clear().limit(Math.min(chunk.capacity(), doubtTo - at));
            final int n = file.read(chunk, at);
            if (n == 0) {
                throw new IOException("segment file became shorter: file=" + path + ", position=" + at
                        + ", expectedBytes=" + doubtTo);
            }
            file.write(chunk.flip(), at);
            at += n;
        }
        doubtFrom = doubtTo;
    }

    /**
     * Makes the content durable.
     *
     * @throws IOException when it may not be durable; asking again proves nothing
     */
    public void force() throws IOException {
        if (!sealed) {
            if (doubtFrom < doubtTo) {
                storeAgain();
            }
            handle().force();
        }
    }

    /**
     * Cuts what lies beyond the size, unless a mapping of another size may still show it.
     *
     * @throws IOException when it cannot be cut
     */
    public void cut() throws IOException {
        handle().truncate(size());
    }

    /**
     * Writes the indexes and closes the file: nothing will be appended and everything is forced. Indexes are derived,
     * so they are not forced.
     *
     * @throws IOException when an index cannot be written
     */
    public void seal() throws IOException {
        folder.writeIndexes(this, index(), times());
        final FileHandle open;
        synchronized (this) {
            sealed = true;
            open = handle;
            handle = null;
        }
        if (open != null) {
            open.close();
        }
    }
}

package io.tidemark.log.segment;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.tidemark.log.format.AppendTimeStamp;
import io.tidemark.log.format.BatchDescriptor;
import io.tidemark.log.io.FileHandle;
import io.tidemark.log.io.MappedFile;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Stores batches into the mapping of the active segment, or gathers them and writes them through its channel; readers
 * use the mapping either way. The mapping covers the whole capacity; blocks exist up to
 * {@link #allocatedBytes()} only, and nothing is ever stored beyond, so that a full disk is met by the preallocation
 * as an exception and never by a store as a signal.
 *
 * <p>Storing is owned by the log's owner thread. Preallocation is done by the maintenance thread, or by the owner when
 * it has caught up; the monitor of this object keeps the two apart and is not taken by a store that has room.
 */
public final class SegmentWriter {
    /**
     * How segments are written.
     *
     * @param segmentBytes greatest size of a segment
     * @param indexIntervalBytes bytes of batches between two index entries
     * @param extentMin bytes of the first extent
     * @param extentMax bytes of the largest extent
     * @param reserve that is asked before blocks are written
     * @param isGathering whether batches are collected and written through the channel, not stored into the mapping
     */
    public record Settings(
            int segmentBytes,
            int indexIntervalBytes,
            int extentMin,
            int extentMax,
            DiskReserve reserve,
            boolean isGathering) {}

    private static final int PAGE = 4096;
    private static final int SCRATCH_MIN = 16 * 1024;
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(64 * 1024).asReadOnlyBuffer();

    private final Segment segment;
    private final FileHandle file;
    private final MappedFile mapping;
    private final UnsafeBuffer buffer;
    private final int capacity;
    private final Settings settings;
    private final IndexBuilder index;
    private volatile int allocated;
    private volatile long stalls;
    private boolean stopped;
    private @Nullable ByteBuffer scratch;
    private @Nullable UnsafeBuffer scratchBuffer;
    private int gathered;

    /**
     * Maps a segment for appending.
     *
     * @param segment whose file ends at its size
     * @param settings how it is written
     * @throws IOException when the file cannot be opened or mapped
     */
    public SegmentWriter(Segment segment, Settings settings) throws IOException {
        this.segment = segment;
        this.settings = settings;
        final int size = segment.size();
        capacity = Math.max(settings.segmentBytes(), size);
        final OffsetIndex existing = segment.index();
        final long last = existing.floorByPosition(Integer.MAX_VALUE);
        final int indexed = last == OffsetIndex.NO_ENTRY ? 0 : OffsetIndex.position(last);
        index = new IndexBuilder(
                existing, segment.times(), segment.baseOffset(), settings.indexIntervalBytes(), size - indexed);
        file = segment.openForAppend();
        mapping = file.map(capacity, true);
        buffer = mapping.buffer();
        allocated = size;
        // Taken over by the segment, which keeps it until it is rolled, truncated or closed.
        segment.pin(mapping);
    }

    /**
     * The segment that is appended to.
     *
     * @return the segment
     */
    public Segment segment() {
        return segment;
    }

    /**
     * End of the part that has blocks on the disk.
     *
     * @return a position
     */
    public int allocatedBytes() {
        return allocated;
    }

    /**
     * How often an append had to preallocate because the maintenance was behind.
     *
     * @return a count
     */
    public long stalls() {
        return stalls;
    }

    /**
     * Whether a batch must go into another segment.
     *
     * @param sizeInBytes of the batch
     * @param lastOffset of the batch
     * @return true when it does not fit by bytes, relative offset or index
     */
    public boolean mustRoll(int sizeInBytes, long lastOffset) {
        final int size = segment.size() + gathered;
        return lastOffset - segment.baseOffset() > Integer.MAX_VALUE
                || (size > 0 && (sizeInBytes > capacity - size || index.isFull()));
    }

    /**
     * Makes sure that blocks exist for so many bytes after the size.
     *
     * @param sizeInBytes of the batch to come
     * @throws IOException when the disk is full or fails
     */
    public void reserve(int sizeInBytes) throws IOException {
        final int end = segment.size() + gathered + sizeInBytes;
        if (end > allocated) {
            allocate(end);
        }
    }

    private synchronized void allocate(int end) throws IOException {
        if (end > allocated) {
            stalls = stalls + 1;
            final int extentMin = settings.extentMin();
            final long extents = (end - (long) allocated + extentMin - 1) / extentMin;
            final int to = (int) Math.min(capacity, roundedUp(allocated + extents * extentMin));
            settings.reserve().take(to - (long) allocated);
            extend(to);
        }
    }

    private static long roundedUp(long position) {
        return (position + PAGE - 1) / PAGE * PAGE;
    }

    /**
     * Preallocates the next extent when the writer has used most of the blocks. Called by the maintenance thread.
     *
     * @return the number of extents made, 0 or 1
     * @throws IOException when the disk is full or fails
     */
    public synchronized int preallocateAhead() throws IOException {
        final int from = allocated;
        final int used = segment.size();
        if (stopped || used == 0 || from >= capacity || from - used >= Math.min(settings.extentMax(), from / 2)) {
            return 0;
        }
        final long extent = Math.max(settings.extentMin(), Math.min(settings.extentMax(), from));
        final int to = (int) Math.min(capacity, roundedUp(from + extent));
        if (!settings.reserve().tryTake(to - (long) from)) {
            // No error: there is room left, and the append that has none asks for less.
            return 0;
        }
        extend(to);
        if (settings.isGathering()) {
            // So that the blocks are the file's on the disk too, and a force of batches writes nothing but batches.
            file.force();
        }
        return 1;
    }

    /**
     * Writes zeros, so that the blocks exist, and then stores into each page once: the first store into a page that was
     * only written by the channel costs a fault, which is taken here and not in an append (PEERS: 54 ns against 84).
     */
    private void extend(int to) throws IOException {
        final int from = allocated;
        final ByteBuffer zeros = ZEROS.duplicate();
        int at = from;
        while (at < to) {
            zeros.limit(Math.min(zeros.capacity(), to - at)).position(0);
            file.write(zeros, at);
            at += zeros.limit();
        }
        for (int page = settings.isGathering() ? to : from; page < to; page = (page / PAGE + 1) * PAGE) {
            buffer.putByte(page, (byte) 0);
        }
        allocated = to;
    }

    /**
     * Stores one checked batch at the end. Readers do not see it before {@link #publish}.
     *
     * @param batch that holds the bytes
     * @param from where the batch begins
     * @param length of the batch; {@link #reserve} was called for it
     * @param baseOffset to be given to it
     * @param leaderEpoch to be given to it
     * @param stamp the time of the append to be given to it, null when it keeps that of its producer
     * @return false when the memory does not hold what was stored: the disk failed under the mapping
     */
    public boolean store(
            DirectBuffer batch,
            int from,
            int length,
            long baseOffset,
            int leaderEpoch,
            @Nullable AppendTimeStamp stamp) {
        if (settings.isGathering()) {
            gather(batch, from, length, baseOffset, leaderEpoch, stamp);
            return true;
        }
        final int at = segment.size();
        final UnsafeBuffer target = buffer;
        final int skipped = BatchDescriptor.MAGIC;
        target.putBytes(at + skipped, batch, from + skipped, length - skipped);
        if (stamp != null) {
            stamp.store(target, at);
        }
        target.putInt(at + BatchDescriptor.LEADER_EPOCH, leaderEpoch, BIG_ENDIAN);
        target.putInt(at + BatchDescriptor.LENGTH, length - BatchDescriptor.LENGTH_OVERHEAD, BIG_ENDIAN);
        // The offset is not covered by the checksum. It comes last, so that a process killed in between leaves a zero
        // offset, which recovery refuses by its order, and never a wrong one. The fence keeps the compiler to that.
        VarHandle.releaseFence();
        target.putLong(at + BatchDescriptor.BASE_OFFSET, baseOffset, BIG_ENDIAN);
        // Keeps the compiler from answering the loads below out of its registers.
        VarHandle.acquireFence();
        final int tail = length - Long.BYTES;
        return target.getLong(at + BatchDescriptor.BASE_OFFSET, BIG_ENDIAN) == baseOffset
                && target.getLong(at + tail) == batch.getLong(from + tail);
    }

    private void gather(
            DirectBuffer batch,
            int from,
            int length,
            long baseOffset,
            int leaderEpoch,
            @Nullable AppendTimeStamp stamp) {
        final UnsafeBuffer target = scratchFor(length);
        target.putBytes(gathered, batch, from, length);
        if (stamp != null) {
            stamp.store(target, gathered);
        }
        target.putLong(gathered + BatchDescriptor.BASE_OFFSET, baseOffset, BIG_ENDIAN);
        target.putInt(gathered + BatchDescriptor.LEADER_EPOCH, leaderEpoch, BIG_ENDIAN);
    }

    private UnsafeBuffer scratchFor(int length) {
        final ByteBuffer before = scratch;
        UnsafeBuffer target = scratchBuffer;
        if (before == null || target == null || before.capacity() - gathered < length) {
            final int needed = Math.max(SCRATCH_MIN, Integer.highestOneBit(gathered + length - 1) << 1);
            final ByteBuffer larger = ByteBuffer.allocateDirect(needed);
            target = new UnsafeBuffer(larger);
            if (before != null) {
                larger.put(before.clear().limit(gathered)).clear();
            }
            scratch = larger;
            scratchBuffer = target;
        }
        return target;
    }

    /**
     * Bytes that were gathered and not written yet.
     *
     * @return a size, 0 when batches are stored into the mapping
     */
    public int gatheredBytes() {
        return gathered;
    }

    /**
     * Writes what was gathered and shows it to readers of this segment.
     *
     * @throws IOException when not all of it could be written; nothing of it is shown
     */
    public void writeGathered() throws IOException {
        final ByteBuffer source = scratch;
        if (gathered > 0 && source != null) {
            final int at = segment.size();
            file.write(source.clear().limit(gathered), at);
            segment.publish(at + gathered);
            gathered = 0;
        }
    }

    /**
     * Indexes the stored batch and shows it to readers of this segment, unless it was only gathered.
     *
     * @param lastOffset of the batch
     * @param length of the batch
     */
    public void publish(long lastOffset, int length) {
        final int at = segment.size();
        if (settings.isGathering()) {
            final UnsafeBuffer source = scratchFor(length);
            index.add(lastOffset, at + gathered, length, BatchDescriptor.maxTimestamp(source, gathered));
            gathered += length;
        } else {
            index.add(lastOffset, at, length, BatchDescriptor.maxTimestamp(buffer, at));
            segment.publish(at + length);
        }
    }

    /**
     * Ends appending: no extent is added any more, and the unused tail is cut.
     *
     * @throws IOException when the file cannot be cut
     */
    public synchronized void stop() throws IOException {
        stopped = true;
        index.finish();
        segment.cut();
    }

    /** Ends appending without touching the file: what lies beyond the size may still be leased. */
    public synchronized void abandon() {
        stopped = true;
        index.finish();
    }
}

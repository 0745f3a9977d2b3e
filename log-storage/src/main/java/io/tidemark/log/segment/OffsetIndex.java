package io.tidemark.log.segment;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A sparse index from offsets to positions in one segment, in memory. An entry says that the batch at its position ends
 * with its offset (relative to the segment's base); entries grow strictly in both. In a file each takes eight bytes,
 * big-endian: relative offset (4), position (4). Appended to by one thread, read by any.
 */
public final class OffsetIndex {
    /** Bytes of an entry in a file. */
    public static final int ENTRY_BYTES = 8;
    /** Returned when no entry fits. */
    public static final long NO_ENTRY = -1;

    private static final VarHandle COUNT;

    static {
        try {
            COUNT = MethodHandles.lookup().findVarHandle(OffsetIndex.class, "count", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int entriesMax;
    // Volatile: whoever sees a grown array sees what was copied into it.
    private volatile long[] entries = new long[16];
    private int count;

    /**
     * An empty index.
     *
     * @param bytesMax greatest size of its file
     */
    public OffsetIndex(int bytesMax) {
        entriesMax = bytesMax / ENTRY_BYTES;
    }

    /**
     * The relative offset of an entry.
     *
     * @param entry as a look-up returned it
     * @return offset minus base offset
     */
    public static int relativeOffset(long entry) {
        return (int) (entry >>> 32);
    }

    /**
     * The position of an entry.
     *
     * @param entry as a look-up returned it
     * @return place in the segment in bytes
     */
    public static int position(long entry) {
        return (int) entry;
    }

    /**
     * Whether no entry can be added.
     *
     * @return true when the file would pass its greatest size
     */
    public boolean isFull() {
        return count >= entriesMax;
    }

    /**
     * The number of entries.
     *
     * @return a count
     */
    public int entryCount() {
        // Acquire: pairs with the release in append, so that the entries below the count are seen.
        return (int) COUNT.getAcquire(this);
    }

    /**
     * Adds an entry at the end. Owned by the thread that appends to the segment.
     *
     * @param relativeOffset last offset of the batch minus the base offset, above that of the entry before
     * @param position of the batch, above that of the entry before
     */
    public void append(int relativeOffset, int position) {
        final int at = count;
        if (at >= entriesMax) {
            throw new IllegalStateException("offset index is full: entries=" + at + "; roll the segment");
        }
        long[] target = entries;
        if (at == target.length) {
            target = new long[(int) Math.min(entriesMax, at * 2L)];
            System.arraycopy(entries, 0, target, 0, at);
            entries = target;
        }
        target[at] = ((long) relativeOffset << 32) | position;
        // Release: pairs with the acquire in entryCount; array and entry are visible before the count.
        COUNT.setRelease(this, at + 1);
    }

    /**
     * The entry with the greatest offset that is not above the one given.
     *
     * @param relativeOffset offset minus base offset
     * @return an entry or {@link #NO_ENTRY}
     */
    public long floor(long relativeOffset) {
        final int n = entryCount();
        final long[] array = entries;
        int low = 0;
        int high = n - 1;
        while (low <= high) {
            final int middle = (low + high) >>> 1;
            if (relativeOffset(array[middle]) <= relativeOffset) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high < 0 ? NO_ENTRY : array[high];
    }

    /**
     * The entry with the greatest position that is not above the one given.
     *
     * @param position place in the segment in bytes
     * @return an entry or {@link #NO_ENTRY}
     */
    public long floorByPosition(long position) {
        final int n = entryCount();
        final long[] array = entries;
        int low = 0;
        int high = n - 1;
        while (low <= high) {
            final int middle = (low + high) >>> 1;
            if (position(array[middle]) <= position) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high < 0 ? NO_ENTRY : array[high];
    }

    /**
     * The bytes for a file.
     *
     * @param sizeBytes size of the segment; entries at or beyond it are left out
     * @return a new buffer, ready to be written
     */
    public ByteBuffer encode(int sizeBytes) {
        int n = entryCount();
        final long[] array = entries;
        while (n > 0 && position(array[n - 1]) >= sizeBytes) {
            n--;
        }
        final ByteBuffer bytes = ByteBuffer.allocate(n * ENTRY_BYTES);
        for (int i = 0; i < n; i++) {
            bytes.putLong(array[i]);
        }
        return bytes.flip();
    }

    /**
     * Reads the bytes of a file. What they say is not proved by this, only that it is possible.
     *
     * @param bytes of the file
     * @param sizeBytes size of the segment
     * @param bytesMax greatest size of an index file
     * @return the index; null when length, order or positions are impossible
     */
    public static @Nullable OffsetIndex decode(ByteBuffer bytes, int sizeBytes, int bytesMax) {
        if (bytes.remaining() % ENTRY_BYTES != 0) {
            return null;
        }
        final int n = bytes.remaining() / ENTRY_BYTES;
        final OffsetIndex index = new OffsetIndex(Math.max(bytesMax, bytes.remaining()));
        int lastOffset = -1;
        int lastPosition = -1;
        for (int i = 0; i < n; i++) {
            final long entry = bytes.getLong();
            final int offset = relativeOffset(entry);
            final int position = position(entry);
            if (offset <= lastOffset || position <= lastPosition || position >= sizeBytes) {
                return null;
            }
            lastOffset = offset;
            lastPosition = position;
            index.append(offset, position);
        }
        return index;
    }
}

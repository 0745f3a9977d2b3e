package io.tidemark.log.segment;

import io.tidemark.log.format.BatchDescriptor;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A sparse index from timestamps to offsets in one segment, in memory. An entry says that its timestamp is the greatest
 * one of all batches up to the one that ends with its offset; entries grow strictly in both. In a file each takes
 * twelve bytes, big-endian: timestamp (8), offset minus the segment's base (4); the last entry of a closed segment
 * holds the greatest timestamp of all. Appended to by one thread, read by any.
 */
public final class TimeIndex {
    /** Bytes of an entry in a file. */
    public static final int ENTRY_BYTES = 12;
    /** Returned when no entry fits. */
    public static final long NO_ENTRY = -1;

    private static final int SLOTS = 2;
    private static final VarHandle COUNT;
    private static final VarHandle MAX_TIMESTAMP;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            COUNT = lookup.findVarHandle(TimeIndex.class, "count", int.class);
            MAX_TIMESTAMP = lookup.findVarHandle(TimeIndex.class, "maxTimestamp", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int entriesMax;
    // Timestamp and offset take turns. Volatile: whoever sees a grown array sees what was copied into it.
    private volatile long[] entries = new long[8 * SLOTS];
    private int count;
    private long maxTimestamp = BatchDescriptor.NO_TIMESTAMP;
    private long offsetOfMax;

    /**
     * An empty index.
     *
     * @param bytesMax greatest size of its file
     */
    public TimeIndex(int bytesMax) {
        entriesMax = bytesMax / ENTRY_BYTES;
    }

    /**
     * Takes a batch into account. Owned by the thread that appends to the segment.
     *
     * @param timestamp greatest one of the batch
     * @param relativeOffset last offset of the batch minus the base offset
     */
    public void add(long timestamp, long relativeOffset) {
        if (timestamp > maxTimestamp) {
            offsetOfMax = relativeOffset;
            // Release: pairs with the acquire in maxTimestamp.
            MAX_TIMESTAMP.setRelease(this, timestamp);
        }
    }

    /** Adds an entry for the greatest timestamp so far, if there is none and there is room. By the appending thread. */
    public void addEntry() {
        if (!isFull()) {
            finish();
        }
    }

    /** Adds the last entry, for which there always is room, if the greatest timestamp has none. */
    public void finish() {
        final int at = count;
        final long[] current = entries;
        final long before = at == 0 ? BatchDescriptor.NO_TIMESTAMP : current[(at - 1) * SLOTS];
        // An offset too far from the base (ST-02) has no place in an entry.
        if (maxTimestamp <= before || offsetOfMax > Integer.MAX_VALUE) {
            return;
        }
        long[] target = current;
        if (at * SLOTS == current.length) {
            target = new long[2 * current.length];
            System.arraycopy(current, 0, target, 0, current.length);
        }
        target[at * SLOTS] = maxTimestamp;
        target[at * SLOTS + 1] = offsetOfMax;
        if (target != current) {
            entries = target;
        }
        // Release: pairs with the acquire in entryCount; array and entry are visible before the count.
        COUNT.setRelease(this, at + 1);
    }

    /**
     * Whether the segment should be rolled: one more entry would pass the greatest size of the file.
     *
     * @return true when only the last entry has room
     */
    public boolean isFull() {
        return count >= entriesMax - 1;
    }

    /**
     * The number of entries.
     *
     * @return a count
     */
    public int entryCount() {
        // Acquire: pairs with the release in finish, so that the entries below the count are seen.
        return (int) COUNT.getAcquire(this);
    }

    /**
     * The greatest timestamp of all batches so far, whether it has an entry or not.
     *
     * @return milliseconds since the epoch of Unix, -1 when no batch has a timestamp
     */
    public long maxTimestamp() {
        // Acquire: pairs with the release in add.
        return (long) MAX_TIMESTAMP.getAcquire(this);
    }

    /**
     * The end of what is surely older than a timestamp: no batch up to this offset has a timestamp at or above it.
     *
     * @param timestamp to look for
     * @return offset minus base offset, {@link #NO_ENTRY} when no entry is older
     */
    public long floorBelow(long timestamp) {
        final int n = entryCount();
        final long[] array = entries;
        int low = 0;
        int high = n - 1;
        while (low <= high) {
            final int middle = (low + high) >>> 1;
            if (array[middle * SLOTS] < timestamp) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high < 0 ? NO_ENTRY : array[high * SLOTS + 1];
    }

    /**
     * The bytes for a file.
     *
     * @return a new buffer, ready to be written
     */
    public ByteBuffer encode() {
        final int n = entryCount();
        final long[] array = entries;
        final ByteBuffer bytes = ByteBuffer.allocate(n * ENTRY_BYTES);
        for (int i = 0; i < n; i++) {
            bytes.putLong(array[i * SLOTS]).putInt((int) array[i * SLOTS + 1]);
        }
        return bytes.flip();
    }

    /**
     * Reads the bytes of a file that a {@link SegmentSummary} vouches for.
     *
     * @param bytes of the file
     * @param maxTimestamp greatest timestamp of the segment
     * @param bytesMax greatest size of an index file
     * @return the index; null when length or order are impossible
     */
    public static @Nullable TimeIndex decode(ByteBuffer bytes, long maxTimestamp, int bytesMax) {
        if (bytes.remaining() % ENTRY_BYTES != 0) {
            return null;
        }
        final TimeIndex index = new TimeIndex(Math.max(bytesMax, bytes.remaining()));
        long lastOffset = -1;
        while (bytes.hasRemaining()) {
            final long timestamp = bytes.getLong();
            final int offset = bytes.getInt();
            if (timestamp <= index.maxTimestamp || offset <= lastOffset) {
                return null;
            }
            lastOffset = offset;
            index.add(timestamp, offset);
            index.finish();
        }
        if (maxTimestamp < index.maxTimestamp) {
            return null;
        }
        // Only a segment with offsets too far from its base has a greatest timestamp without an entry.
        index.add(maxTimestamp, Long.MAX_VALUE);
        return index;
    }
}

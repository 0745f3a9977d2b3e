package io.tidemark.log;

import io.tidemark.log.io.MappedFile;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A lease on consecutive whole batches of a log, in place. The bytes stay readable and unchanged until the lease is
 * closed, even if the log is truncated, deleted or closed meanwhile. Give leases back before the same JVM opens the
 * folder again: a new store does not know of them. One object is used again and again by {@link Log#read}; a new read
 * closes the lease held before. Not thread-safe.
 */
public final class LogSlice implements AutoCloseable {
    private @Nullable MappedFile mapping;
    private int index;
    private int length;
    private long baseOffset = Log.NO_OFFSET;
    private long nextOffset = Log.NO_OFFSET;
    // Where the last read ended, so that the next one in order needs no look-up.
    private @Nullable Object source;
    private @Nullable ByteBuffer view;
    private @Nullable MappedFile viewOf;

    /** A slice without a lease. */
    public LogSlice() {}

    /**
     * Takes over a reference of a mapping which the caller has taken, and gives back the one held before.
     *
     * @param held the mapping
     * @param atIndex where the first batch begins
     * @param bytes length of all batches
     * @param firstOffset of the first batch
     * @param endOffset after the last batch
     */
    void take(MappedFile held, int atIndex, int bytes, long firstOffset, long endOffset) {
        close();
        mapping = held;
        index = atIndex;
        length = bytes;
        baseOffset = firstOffset;
        nextOffset = endOffset;
    }

    /**
     * Remembers what the last read came from.
     *
     * @param key compared by identity
     */
    void rememberSource(@Nullable Object key) {
        source = key;
    }

    /**
     * The position after the last read, when the next read continues it.
     *
     * @param key what the next read comes from
     * @param fromOffset where it begins
     * @return a position, -1 when it does not continue the last read
     */
    int positionAfter(Object key, long fromOffset) {
        return key == source && fromOffset == nextOffset ? index + length : -1;
    }

    /**
     * Whether a lease is held.
     *
     * @return false before the first successful read and after {@link #close()}
     */
    public boolean isOpen() {
        return mapping != null;
    }

    private MappedFile held() {
        final MappedFile held = mapping;
        if (held == null) {
            throw new IllegalStateException("the slice holds no lease; read into it first");
        }
        return held;
    }

    /**
     * The buffer that holds the batches. It may be larger than the slice: bytes outside of it must not be touched.
     *
     * @return a mapped buffer, never to be written, never to be touched after {@link #close()}
     * @throws IllegalStateException when no lease is held
     */
    public DirectBuffer buffer() {
        return held().buffer();
    }

    /**
     * Where the first batch begins in the buffer.
     *
     * @return an index
     */
    public int index() {
        return index;
    }

    /**
     * The length of all batches together.
     *
     * @return bytes, 0 when no lease is held
     */
    public int length() {
        return length;
    }

    /**
     * The first offset of the first batch, which may be smaller than the one asked for.
     *
     * @return an offset
     */
    public long baseOffset() {
        return baseOffset;
    }

    /**
     * The offset after the last batch: what to read next.
     *
     * @return an offset
     */
    public long nextOffset() {
        return nextOffset;
    }

    /**
     * The same bytes for writing to a channel.
     *
     * @return a read-only view whose position and limit are the slice's; the same object is returned as long as slices
     *     of the same mapping follow each other, so a write must be over before the next read into this slice
     * @throws IllegalStateException when no lease is held
     */
    public ByteBuffer byteBuffer() {
        final MappedFile held = held();
        ByteBuffer cached = view;
        if (cached == null || viewOf != held) {
            cached = held.newView();
            view = cached;
            viewOf = held;
        }
        cached.limit(index + length).position(index);
        return cached;
    }

    /**
     * Moves the lease to another slice, which gives its own back; this one holds none afterwards.
     *
     * @param other that takes the lease
     * @throws IllegalStateException when no lease is held
     */
    public void transferTo(LogSlice other) {
        if (other == this) {
            return;
        }
        other.take(held(), index, length, baseOffset, nextOffset);
        mapping = null;
        forget();
    }

    /** Gives the lease back; nothing happens when none is held. */
    @Override
    public void close() {
        final MappedFile held = mapping;
        mapping = null;
        forget();
        if (held != null) {
            held.release();
            if (held.isUnmapped()) {
                view = null;
                viewOf = null;
            }
        }
    }

    /** Shows nothing any more, but keeps the position for the next read: index + length stays what it was. */
    private void forget() {
        index += length;
        length = 0;
    }
}

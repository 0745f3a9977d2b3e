package io.tidemark.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;

/**
 * Direct memory of one size, in which frames are collected before they are written. Used again and again; owned by the
 * transport's thread, and empty after {@link #close()}.
 */
final class ChunkPool {
    /** Size of a chunk: what one system call usually takes. */
    static final int CHUNK_BYTES = 64 * 1024;

    /** Most free chunks kept; what comes back beyond is freed. */
    static final int FREE_MAX = 64;

    private final ByteBufAllocator allocator;
    private final ArrayDeque<ByteBuf> free = new ArrayDeque<>();
    private boolean closed;

    /**
     * A pool without chunks.
     *
     * @param allocator gives the memory
     */
    ChunkPool(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /**
     * An empty chunk, to be given back.
     *
     * @return a chunk with one reference
     */
    ByteBuf acquire() {
        final ByteBuf chunk = free.pollFirst();
        return chunk != null ? chunk : allocator.directBuffer(CHUNK_BYTES, CHUNK_BYTES);
    }

    /**
     * Takes a chunk back that nobody else refers to.
     *
     * @param chunk with one reference
     */
    void giveBack(ByteBuf chunk) {
        if (closed || free.size() == FREE_MAX) {
            chunk.release();
        } else {
            free.addFirst(chunk.clear());
        }
    }

    /** Frees the chunks, and from now on those that come back. */
    void close() {
        closed = true;
        free.forEach(ByteBuf::release);
        free.clear();
    }
}

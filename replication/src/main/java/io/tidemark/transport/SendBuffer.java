package io.tidemark.transport;

import static io.tidemark.wire.FrameDescriptor.HEADER_OFFSET;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.tidemark.log.LogSlice;
import io.tidemark.wire.FrameDescriptor;
import java.util.ArrayDeque;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Collects what one connection sends. Headers and small payloads are copied into chunks; large slices of logs are
 * queued as they lie, between the chunks, and go out in the same gathering write.
 *
 * <p>A chunk that was handed to Netty has two references, one of them ours; when Netty has written it, ours is the last
 * one and the chunk can be used again.
 */
final class SendBuffer {
    /** Slices up to this length are copied: that costs less than one more element of a gathering write. */
    static final int COPY_MAX = 16 * 1024;

    private final Channel channel;
    private final ChunkPool pool;
    private final ArrayDeque<ByteBuf> handedOver = new ArrayDeque<>();
    private final ArrayDeque<LogSlice> idleSlices = new ArrayDeque<>();
    private @Nullable ByteBuf current;
    private boolean dirty;

    /**
     * An empty buffer.
     *
     * @param channel that writes
     * @param pool gives the chunks
     */
    SendBuffer(Channel channel, ChunkPool pool) {
        this.channel = channel;
        this.pool = pool;
    }

    /**
     * Collects the two lengths and the header of a frame.
     *
     * @param header that holds it
     * @param index where it starts
     * @param length of it
     * @param payloadLength bytes that the caller appends next
     */
    void beginFrame(DirectBuffer header, int index, int length, int payloadLength) {
        final ByteBuf chunk = room(HEADER_OFFSET);
        chunk.writeIntLE((int) FrameDescriptor.frameLength(length, payloadLength));
        chunk.writeIntLE(length);
        copy(header, index, length);
    }

    /**
     * Collects bytes by copying them.
     *
     * @param source that holds them
     * @param index where they start
     * @param length how many there are
     */
    void copy(DirectBuffer source, int index, int length) {
        int from = index;
        int left = length;
        while (left > 0) {
            final ByteBuf chunk = room(1);
            final int count = Math.min(left, chunk.writableBytes());
            // The byte buffer is Netty's own view of the chunk, so nothing is allocated.
            source.getBytes(from, chunk.internalNioBuffer(chunk.writerIndex(), count), count);
            chunk.writerIndex(chunk.writerIndex() + count);
            from += count;
            left -= count;
        }
        dirty = true;
    }

    /**
     * Collects the bytes of a slice and takes its lease over.
     *
     * @param slice that holds a lease; holds none afterwards
     */
    void add(LogSlice slice) {
        if (slice.length() <= COPY_MAX) {
            copy(slice.buffer(), slice.index(), slice.length());
            slice.close();
            return;
        }
        handOverCurrent();
        final LogSlice idle = idleSlices.pollFirst();
        final LogSlice mine = idle != null ? idle : new LogSlice();
        slice.transferTo(mine);
        final ChannelPromise written = channel.newPromise();
        written.addListener(done -> {
            mine.close();
            idleSlices.addFirst(mine);
        });
        final ChannelFuture unused = channel.write(Unpooled.wrappedBuffer(mine.byteBuffer()), written);
        dirty = true;
    }

    /** Hands everything to the operating system, as far as it takes it now. */
    void flush() {
        if (!dirty) {
            return;
        }
        dirty = false;
        handOverCurrent();
        channel.flush();
        reclaim();
    }

    /** Takes back the chunks that are written by now. */
    void reclaim() {
        ByteBuf first = handedOver.peekFirst();
        while (first != null && first.refCnt() == 1) {
            handedOver.pollFirst();
            pool.giveBack(first);
            first = handedOver.peekFirst();
        }
    }

    /** Gives the chunks back; the channel is closed, so Netty has dropped its references. */
    void release() {
        if (current != null) {
            pool.giveBack(current);
            current = null;
        }
        reclaim();
    }

    private ByteBuf room(int bytes) {
        ByteBuf chunk = current;
        if (chunk != null && chunk.writableBytes() >= bytes) {
            return chunk;
        }
        handOverCurrent();
        reclaim();
        chunk = pool.acquire();
        current = chunk;
        return chunk;
    }

    private void handOverCurrent() {
        final ByteBuf chunk = current;
        if (chunk == null) {
            return;
        }
        current = null;
        handedOver.addLast(chunk);
        final ChannelFuture unused = channel.write(chunk.retain(), channel.voidPromise());
    }
}

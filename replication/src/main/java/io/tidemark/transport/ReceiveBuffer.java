package io.tidemark.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The one buffer into which a transport reads, whatever the connection: its bytes are handled before the next read
 * begins, so one is enough and nothing is allocated per read.
 */
final class ReceiveBuffer extends DefaultMaxMessagesRecvByteBufAllocator {
    /** Bytes read at once at most. */
    static final int CAPACITY = 256 * 1024;

    /** Reads of one connection in a row, before the others have their turn. */
    private static final int READS_MAX = 4;

    private final ByteBuf bytes;
    private final UnsafeBuffer view;

    /**
     * A buffer.
     *
     * @param allocator gives the memory
     */
    ReceiveBuffer(ByteBufAllocator allocator) {
        super(READS_MAX);
        bytes = allocator.directBuffer(CAPACITY, CAPACITY);
        view = new UnsafeBuffer(bytes.nioBuffer(0, CAPACITY));
    }

    /**
     * The bytes as our code sees them.
     *
     * @return the same indices as Netty's buffer
     */
    DirectBuffer view() {
        return view;
    }

    /** Frees the memory. */
    void release() {
        bytes.release();
    }

    @Override
    @SuppressWarnings("deprecation") // Netty has no other way to give a channel its handle.
    public RecvByteBufAllocator.Handle newHandle() {
        return new SharedHandle();
    }

    private final class SharedHandle extends MaxMessageHandle {
        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            if (bytes.refCnt() != 1) {
                throw new IllegalStateException(
                        "a read began before the bytes of the last one were handled: references=" + bytes.refCnt());
            }
            return bytes.clear().retain();
        }

        @Override
        public int guess() {
            return CAPACITY;
        }
    }
}

package io.tidemark.log.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import java.io.IOException;

/**
 * Zstandard, by calls on whole arrays: a stream would reserve the window that the frame claims, while these use the
 * target as window.
 */
final class ZstdCodec implements Codec {
    private static final int LEVEL = 3;
    private static final int GUESS = 4;

    /** The codec. */
    ZstdCodec() {}

    @Override
    public int compress(byte[] from, int length, byte[] to, int room) throws IOException {
        return (int) result(() -> Zstd.compressByteArray(to, 0, room, from, 0, length, LEVEL));
    }

    @Override
    public void decompress(byte[] from, int length, BoundedBytes to) throws IOException {
        int room = Math.max(to.array().length, length <= to.bytesMax() / GUESS ? length * GUESS : to.bytesMax());
        final long claimed = Zstd.getFrameContentSize(from, 0, length);
        if (claimed > 0) {
            room = (int) Math.min(Math.max(claimed, room), Integer.MAX_VALUE);
        }
        while (true) {
            to.reserve(room);
            final byte[] target = to.array();
            final long n = result(() -> Zstd.decompressByteArray(target, 0, target.length, from, 0, length));
            if (n != NO_ROOM) {
                to.added((int) n);
                return;
            }
            room = target.length == to.bytesMax()
                    ? to.bytesMax() + 1
                    : (int) Math.min(2L * target.length, to.bytesMax());
        }
    }

    /** A call of the library. */
    private interface Call {
        /**
         * Does it.
         *
         * @return number of bytes, or a code of the library
         */
        long run();
    }

    private static long result(Call call) throws IOException {
        final long code;
        try {
            final long n = call.run();
            if (!Zstd.isError(n)) {
                return n;
            }
            code = Zstd.getErrorCode(n);
        } catch (final ZstdException e) {
            if (e.getErrorCode() == Zstd.errDstSizeTooSmall()) {
                return NO_ROOM;
            }
            throw new IOException("zstd: " + e.getMessage(), e);
        }
        if (code == Zstd.errDstSizeTooSmall()) {
            return NO_ROOM;
        }
        throw new IOException("zstd error: code=" + code);
    }
}

package io.tidemark.log.codec;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.xerial.snappy.Snappy;

/**
 * Snappy in the frames of snappy-java's streams: eight bytes {@code 82 'SNAPPY' 00}, version 1 and least compatible
 * version 1 (4 bytes each, big-endian), then blocks of a length (4 bytes) and so many bytes. Bytes without this
 * beginning are taken for one bare block, as Kafka takes them. The frames are walked here and not by the library's
 * stream, because that one reserves as much as a block claims.
 */
final class SnappyCodec implements Codec {
    private static final long MAGIC = 0x82534e4150505900L;
    private static final int VERSION = 1;
    private static final int HEADER = 16;
    private static final int BLOCK = 32 * 1024;

    /** The codec. */
    SnappyCodec() {}

    @Override
    public int compress(byte[] from, int length, byte[] to, int room) throws IOException {
        if (room < HEADER) {
            return NO_ROOM;
        }
        final ByteBuffer target = ByteBuffer.wrap(to, 0, room);
        target.putLong(MAGIC).putInt(VERSION).putInt(VERSION);
        final byte[] block = new byte[Snappy.maxCompressedLength(BLOCK)];
        for (int at = 0; at < length; at += BLOCK) {
            final int n = Snappy.compress(from, at, Math.min(BLOCK, length - at), block, 0);
            if (target.remaining() < Integer.BYTES + n) {
                return NO_ROOM;
            }
            target.putInt(n).put(block, 0, n);
        }
        return target.position();
    }

    @Override
    public void decompress(byte[] from, int length, BoundedBytes to) throws IOException {
        final ByteBuffer source = ByteBuffer.wrap(from, 0, length);
        if (length < Long.BYTES || source.getLong(0) != MAGIC) {
            block(from, 0, length, to);
            return;
        }
        while (source.hasRemaining()) {
            if (source.remaining() >= HEADER && source.getLong(source.position()) == MAGIC) {
                final int least = source.getInt(source.position() + Long.BYTES + Integer.BYTES);
                if (least > VERSION) {
                    throw new IOException("snappy frames of a newer version: version=" + least);
                }
                source.position(source.position() + HEADER);
                continue;
            }
            final int bytes = source.remaining() < Integer.BYTES ? -1 : source.getInt();
            if (bytes < 1 || bytes > source.remaining()) {
                throw new IOException(
                        "snappy block does not fit: blockBytes=" + bytes + ", left=" + source.remaining());
            }
            block(from, source.position(), bytes, to);
            source.position(source.position() + bytes);
        }
    }

    private static void block(byte[] from, int index, int length, BoundedBytes to) throws IOException {
        final int claimed = Snappy.uncompressedLength(from, index, length);
        if (claimed < 0) {
            throw new IOException("snappy block claims a negative length: claimedBytes=" + claimed);
        }
        to.reserve(claimed);
        to.added(Snappy.uncompress(from, index, length, to.array(), to.length()));
    }
}

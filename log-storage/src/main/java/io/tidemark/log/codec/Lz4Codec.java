package io.tidemark.log.codec;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import net.jpountz.lz4.LZ4FrameInputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream.BLOCKSIZE;

/** LZ4 frames of independent blocks of 64 KiB without content checksum, as Kafka's producer writes them. */
final class Lz4Codec implements Codec {
    /** The codec. */
    Lz4Codec() {}

    @Override
    public int compress(byte[] from, int length, byte[] to, int room) throws IOException {
        final FixedOutput target = new FixedOutput(to, room);
        try (OutputStream stream = new LZ4FrameOutputStream(target, BLOCKSIZE.SIZE_64KB)) {
            stream.write(from, 0, length);
        }
        return target.result();
    }

    @Override
    public void decompress(byte[] from, int length, BoundedBytes to) throws IOException {
        try (InputStream stream = new LZ4FrameInputStream(new ByteArrayInputStream(from, 0, length))) {
            to.readAll(stream);
        }
    }
}

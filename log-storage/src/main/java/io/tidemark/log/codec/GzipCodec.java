package io.tidemark.log.codec;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** Gzip, as the JDK does it. */
final class GzipCodec implements Codec {
    private static final int CHUNK = 8192;

    /** The codec. */
    GzipCodec() {}

    @Override
    public int compress(byte[] from, int length, byte[] to, int room) throws IOException {
        final FixedOutput target = new FixedOutput(to, room);
        try (OutputStream stream = new GZIPOutputStream(target, CHUNK)) {
            stream.write(from, 0, length);
        }
        return target.result();
    }

    @Override
    public void decompress(byte[] from, int length, BoundedBytes to) throws IOException {
        try (InputStream stream = new GZIPInputStream(new ByteArrayInputStream(from, 0, length), CHUNK)) {
            to.readAll(stream);
        }
    }
}

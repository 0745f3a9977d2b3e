package io.tidemark.log.codec;

import io.tidemark.log.Compression;

/** Finds the codec of a compression. */
final class Codecs {
    private Codecs() {}

    /**
     * The codec; a class of its library is not touched before it is used.
     *
     * @param compression not {@link Compression#NONE}
     * @return a new object
     */
    static Codec of(Compression compression) {
        return switch (compression) {
            case NONE -> throw new IllegalArgumentException("nothing is compressed; there is no codec for it");
            case GZIP -> new GzipCodec();
            case SNAPPY -> new SnappyCodec();
            case LZ4 -> new Lz4Codec();
            case ZSTD -> new ZstdCodec();
        };
    }
}

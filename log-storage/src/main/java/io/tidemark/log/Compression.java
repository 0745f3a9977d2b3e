package io.tidemark.log;

import java.util.Locale;

/**
 * How the records of a batch are compressed. Reading and writing needs the library named here on the class path or the
 * module path, but for {@link #NONE} and {@link #GZIP}; none of them comes with this one.
 */
public enum Compression {
    /** Not at all. */
    NONE(0, ""),
    /** Gzip, by the JDK. */
    GZIP(1, ""),
    /** Snappy, in the frames of snappy-java. */
    SNAPPY(2, "org.xerial.snappy:snappy-java"),
    /** LZ4, in LZ4 frames. */
    LZ4(3, "at.yawk.lz4:lz4-java"),
    /** Zstandard. */
    ZSTD(4, "com.github.luben:zstd-jni");

    /**
     * Most bytes that the records of one batch may take when they are not compressed: 64 MiB. A batch that would take
     * more is refused by a leader and by a reader alike, whatever its size.
     */
    public static final int DECOMPRESSED_BYTES_MAX = 64 << 20;

    private final int id;
    private final String artifact;

    Compression(int id, String artifact) {
        this.id = id;
        this.artifact = artifact;
    }

    /**
     * The number in the attributes of a batch.
     *
     * @return 0 to 4
     */
    public int id() {
        return id;
    }

    /**
     * The name that people write.
     *
     * @return in lower case
     */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The library that must be there.
     *
     * @return {@code group:artifact} as Maven names it, empty when none is needed
     */
    public String artifact() {
        return artifact;
    }

    /**
     * The codec of a number.
     *
     * @param id as the attributes of a batch state it
     * @return the codec
     * @throws IllegalArgumentException when the format knows no such number
     */
    public static Compression ofId(int id) {
        return switch (id) {
            case 0 -> NONE;
            case 1 -> GZIP;
            case 2 -> SNAPPY;
            case 3 -> LZ4;
            case 4 -> ZSTD;
            default -> throw new IllegalArgumentException("no such codec: id=" + id + "; there are 0 to 4");
        };
    }
}

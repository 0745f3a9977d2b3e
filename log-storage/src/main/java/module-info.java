/** A segmented, memory-mapped commit log on one disk, in the batch format of Kafka. */
module io.tidemark.log {
    requires transitive org.agrona;
    requires static transitive org.jspecify;
    requires static com.github.luben.zstd_jni;
    requires static org.lz4.java;
    requires static org.xerial.snappy;

    exports io.tidemark.log;
    exports io.tidemark.log.io;
}

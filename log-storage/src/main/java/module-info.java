/** A segmented, memory-mapped commit log on one disk, in the batch format of Kafka. */
module io.tidemark.log {
    requires transitive org.agrona;
    requires static transitive org.jspecify;

    exports io.tidemark.log;
    exports io.tidemark.log.io;
}

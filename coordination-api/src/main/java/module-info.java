/** One interface over coordination services, and the back end inside the process. */
module io.tidemark.coordination {
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports io.tidemark.coordination;
    exports io.tidemark.coordination.local;
    exports io.tidemark.coordination.spi;

    uses io.tidemark.coordination.CoordinationProvider;

    provides io.tidemark.coordination.CoordinationProvider with
            io.tidemark.coordination.local.LocalCoordinationProvider;
}

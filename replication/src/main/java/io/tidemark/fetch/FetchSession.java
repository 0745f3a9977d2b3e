package io.tidemark.fetch;

import io.tidemark.transport.Connection;
import java.util.ArrayDeque;

/**
 * What a follower fetches over one connection: the partitions of its requests so far, and which of them have
 * something to say. Owned by the progress stage.
 */
public final class FetchSession {
    /** Connection of the follower. */
    final Connection connection;
    /** Id of the follower. */
    final int broker;
    /** Incarnation of the follower. */
    final long incarnation;
    /** Partitions mentioned so far. */
    final PartitionMap<FetchEntry> entries = new PartitionMap<>();
    /** Entries with data or an error, longest ready first. */
    final ArrayDeque<FetchEntry> ready = new ArrayDeque<>();
    /** Entries with a new high watermark or log start. */
    final ArrayDeque<FetchEntry> news = new ArrayDeque<>();
    /** Sequence of the next request. */
    int nextSequence;
    /** Whether a request is parked. */
    boolean waiting;
    /** Whether the connection is closed. */
    boolean closed;
    /** Of the request that is parked. */
    long correlationId;
    /** Payload that it allows. */
    int maxBytes;
    /** When it is answered in any case. */
    long parkedUntilNs;

    /**
     * Creates an empty session.
     *
     * @param connection of the follower
     * @param broker id of the follower
     * @param incarnation of the follower
     */
    FetchSession(Connection connection, int broker, long incarnation) {
        this.connection = connection;
        this.broker = broker;
        this.incarnation = incarnation;
    }

    /**
     * The follower.
     *
     * @return its broker id
     */
    public int broker() {
        return broker;
    }

    /**
     * The follower's process.
     *
     * @return its incarnation
     */
    public long incarnation() {
        return incarnation;
    }

    /**
     * Lists an entry as one with data or an error.
     *
     * @param entry of this session
     */
    void makeReady(FetchEntry entry) {
        if (!entry.ready) {
            entry.ready = true;
            ready.addLast(entry);
        }
    }

    /**
     * Lists an entry as one with a new high watermark or log start.
     *
     * @param entry of this session
     */
    void makeNews(FetchEntry entry) {
        if (!entry.hasNews) {
            entry.hasNews = true;
            news.addLast(entry);
        }
    }
}

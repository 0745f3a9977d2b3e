package io.tidemark.client;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A partition that a consumer reads.
 *
 * <p><b>Threading:</b> position and generation belong to the consumer's thread, what begins with "fetch" to the
 * client's thread; the resolved start and the number of chunks are shared.
 */
final class AssignedPartition {
    /** Stands for the first offset that is kept, until it is known. */
    static final long BEGINNING = -2;

    /** Stands for the end of what is committed, until it is known. */
    static final long END = -1;

    /**
     * A start offset that the broker told.
     *
     * @param generation of the seek that it answers
     * @param offset of the first record wanted
     */
    record Resolved(int generation, long offset) {}

    private final String topic;
    private final int partition;
    private final AtomicInteger chunks = new AtomicInteger();
    private volatile @Nullable Resolved resolved;

    // The consumer's thread.
    private int generation;
    private long position = BEGINNING;

    // The client's thread.
    private final LeaderRoute fetchRoute = new LeaderRoute();
    private int fetchGeneration;
    private long fetchOffset = BEGINNING;
    private boolean fetchInFlight;
    private boolean fetchStopped;
    private long fetchAtNs;
    private @Nullable UUID fetchTopicId;

    /**
     * A partition at its beginning.
     *
     * @param topic name
     * @param partition from 0
     */
    AssignedPartition(String topic, int partition) {
        this.topic = topic;
        this.partition = partition;
    }

    /**
     * Name of the topic. Any thread.
     *
     * @return the name
     */
    String topic() {
        return topic;
    }

    /**
     * Partition of the topic. Any thread.
     *
     * @return from 0
     */
    int partition() {
        return partition;
    }

    /**
     * Number of chunks fetched and not consumed. Any thread.
     *
     * @return the counter
     */
    AtomicInteger chunks() {
        return chunks;
    }

    /**
     * Number of the last seek; what was fetched for an earlier one is dropped. The consumer's thread.
     *
     * @return 0 before the first
     */
    int generation() {
        return generation;
    }

    /**
     * Next record wanted. The consumer's thread.
     *
     * @return offset; negative while it is not known
     */
    long position() {
        final Resolved known = resolved;
        if (position < 0 && known != null && known.generation == generation) {
            position = known.offset;
        }
        return position;
    }

    /**
     * Notes that records were handed over. The consumer's thread.
     *
     * @param next offset of the next record wanted
     */
    void advance(long next) {
        position = next;
    }

    /**
     * Goes elsewhere. The consumer's thread.
     *
     * @param offset next record wanted, or {@link #BEGINNING} or {@link #END}
     * @return the new generation
     */
    int seek(long offset) {
        position = offset;
        return ++generation;
    }

    /**
     * Goes elsewhere. The client's thread.
     *
     * @param newGeneration of the seek
     * @param offset as in {@link #seek}
     */
    void fetchFrom(int newGeneration, long offset) {
        fetchGeneration = newGeneration;
        fetchOffset = offset;
        fetchStopped = false;
        fetchTopicId = null;
    }

    /**
     * Whether a request should be sent. The client's thread. Asking where the log starts or ends brings no chunk, so it
     * does not wait for the consumer, who may wait for the answer while chunks of before a seek lie in the queue.
     *
     * @param nowNs now
     * @param chunksMax chunks that may wait to be consumed
     * @return false while one is under way, the consumer is behind, or a pause is not over
     */
    boolean wantsFetch(long nowNs, int chunksMax) {
        return !fetchInFlight
                && !fetchStopped
                && (fetchOffset < 0 || chunks.get() < chunksMax)
                && (fetchAtNs == 0 || Deadlines.passed(nowNs, fetchAtNs));
    }

    /**
     * Whether a request will be due without anything else happening. The client's thread.
     *
     * @param nowNs now
     * @return true while a pause after a failure lasts
     */
    boolean isPausing(long nowNs) {
        return !fetchInFlight && !fetchStopped && fetchAtNs != 0 && !Deadlines.passed(nowNs, fetchAtNs);
    }

    /**
     * Whether the topic is still the one that was read so far. The client's thread.
     *
     * @param id of the topic as known now
     * @return false if it was deleted and created anew
     */
    boolean isSameTopic(UUID id) {
        if (fetchTopicId == null) {
            fetchTopicId = id;
        }
        return fetchTopicId.equals(id);
    }

    /** Notes that a request is under way. The client's thread. */
    void fetchBegun() {
        fetchInFlight = true;
    }

    /**
     * Notes that a request has ended. The client's thread.
     *
     * @param askedIn generation of the request
     * @return false if the answer is for an earlier seek
     */
    boolean fetchEnded(int askedIn) {
        fetchInFlight = false;
        return askedIn == fetchGeneration;
    }

    /**
     * Waits before the next request. The client's thread.
     *
     * @param atNs not before
     */
    void fetchLater(long atNs) {
        fetchAtNs = atNs;
    }

    /** Sends no more requests until the next seek. The client's thread. */
    void fetchStop() {
        fetchStopped = true;
    }

    /**
     * Goes on behind what was fetched. The client's thread.
     *
     * @param next offset
     */
    void fetchedTo(long next) {
        fetchOffset = next;
        fetchAtNs = 0;
    }

    /**
     * Publishes a start that was asked for. The client's thread.
     *
     * @param offset that the broker told
     */
    void fetchResolved(long offset) {
        fetchedTo(offset);
        resolved = new Resolved(fetchGeneration, offset);
    }

    /**
     * Next offset to ask for. The client's thread.
     *
     * @return negative while it is not known
     */
    long fetchOffset() {
        return fetchOffset;
    }

    /**
     * Seek that is being fetched for. The client's thread.
     *
     * @return as {@link #seek} gave it
     */
    int fetchGeneration() {
        return fetchGeneration;
    }

    /**
     * Where the leader is. The client's thread.
     *
     * @return a cache
     */
    LeaderRoute fetchRoute() {
        return fetchRoute;
    }
}

package io.tidemark.pipeline;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** What a lane has done since it started. Written by the lane only, with release stores; read by any thread. */
public final class LaneCounters {
    private final AtomicLong isrShrinks = new AtomicLong();
    private final AtomicLong isrGrows = new AtomicLong();
    private final AtomicLong logTruncations = new AtomicLong();
    private final AtomicLong leaderEpochs = new AtomicLong();
    private final AtomicLong recordsAppended = new AtomicLong();
    private final AtomicLong batchesAppended = new AtomicLong();
    private final AtomicLong fetchReplies = new AtomicLong();
    private final AtomicLong acksSent = new AtomicLong();
    private final AtomicLong partitionsFailed = new AtomicLong();
    private final AtomicLong backPressure = new AtomicLong();

    /** Creates counters that stand at 0. */
    public LaneCounters() {}

    /**
     * All counters by name.
     *
     * @return a copy, sorted by name
     */
    public Map<String, Long> snapshot() {
        Map<String, Long> values = new TreeMap<>();
        values.put("isr.shrinks", isrShrinks.get());
        values.put("isr.grows", isrGrows.get());
        values.put("log.truncations", logTruncations.get());
        values.put("leader.epochs", leaderEpochs.get());
        values.put("records.appended", recordsAppended.get());
        values.put("batches.appended", batchesAppended.get());
        values.put("fetch.replies", fetchReplies.get());
        values.put("acks.sent", acksSent.get());
        values.put("partitions.failed", partitionsFailed.get());
        values.put("requests.refused", backPressure.get());
        return values;
    }

    /**
     * ISR records entered with fewer members.
     *
     * @return the counter
     */
    AtomicLong isrShrinks() {
        return isrShrinks;
    }

    /**
     * ISR records entered with more members.
     *
     * @return the counter
     */
    AtomicLong isrGrows() {
        return isrGrows;
    }

    /**
     * Truncations of logs.
     *
     * @return the counter
     */
    AtomicLong logTruncations() {
        return logTruncations;
    }

    /**
     * Epochs begun as leader.
     *
     * @return the counter
     */
    AtomicLong leaderEpochs() {
        return leaderEpochs;
    }

    /**
     * Records appended, as leader or follower.
     *
     * @return the counter
     */
    AtomicLong recordsAppended() {
        return recordsAppended;
    }

    /**
     * Batches appended, as leader or follower.
     *
     * @return the counter
     */
    AtomicLong batchesAppended() {
        return batchesAppended;
    }

    /**
     * Replies to followers.
     *
     * @return the counter
     */
    AtomicLong fetchReplies() {
        return fetchReplies;
    }

    /**
     * Produce requests acknowledged.
     *
     * @return the counter
     */
    AtomicLong acksSent() {
        return acksSent;
    }

    /**
     * Partitions fenced because of their log.
     *
     * @return the counter
     */
    AtomicLong partitionsFailed() {
        return partitionsFailed;
    }

    /**
     * Requests refused because a limit was reached.
     *
     * @return the counter
     */
    AtomicLong backPressure() {
        return backPressure;
    }

    /**
     * Adds to a counter of which the caller is the only writer.
     *
     * @param counter to add to
     * @param count to add
     */
    static void add(AtomicLong counter, long count) {
        counter.lazySet(counter.getPlain() + count);
    }
}

package io.tidemark.sim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What is true of one partition, whatever its brokers think. */
final class PartitionTruth {
    final int partition;
    private final History history;
    /** Committed batches, in order; what once stands here stays. */
    private final List<SeenBatch> committed = new ArrayList<>();
    /** Ids of committed records by offset. */
    private final List<Long> ids = new ArrayList<>();

    private final Set<Long> idempotentIds = new HashSet<>();
    /** All batches that ever were in a log, by epoch and first offset, with the one before each. */
    private final Map<Place, Link> links = new HashMap<>();
    /** Who leads or led each epoch. */
    private final Map<Integer, String> writers = new TreeMap<>();

    @Nullable
    SeenRecord record;

    /** The highest end that clients may have been told. */
    private long shownEnd;

    /** Where a batch stands. */
    private record Place(int epoch, long base) {}

    /** A batch and the place of its predecessor. */
    private record Link(SeenBatch batch, @Nullable Place before) {}

    PartitionTruth(int partition, History history) {
        this.partition = partition;
        this.history = history;
    }

    /** Exclusive end of what any leader ever justly called committed. */
    long committedEnd() {
        return committed.isEmpty() ? 0 : committed.get(committed.size() - 1).next();
    }

    long idAt(long offset) {
        return offset >= 0 && offset < ids.size() ? ids.get((int) offset) : -1;
    }

    boolean isCommitted(long id) {
        return ids.contains(id);
    }

    /** A leader's high watermark passed the batches up to an offset. */
    void commit(Mirror mirror, long highWatermark) {
        while (committedEnd() < highWatermark) {
            long at = committedEnd();
            SeenBatch batch = mirror.at(at);
            if (batch == null || batch.base() != at || batch.next() > highWatermark) {
                throw new SimViolation(
                        "I-20",
                        "the high watermark " + highWatermark + " of broker " + mirror.broker
                                + " does not end a batch: partition=" + partition + ", batch=" + batch);
            }
            committed.add(batch);
            for (long id : batch.ids()) {
                History.Sent sent = history.record(id);
                if (sent.idempotent && !idempotentIds.add(id)) {
                    throw new SimViolation("I-19", "committed a second time, at offset " + ids.size() + ": " + sent);
                }
                if (sent.outcome == History.Outcome.REFUSED) {
                    throw new SimViolation("I-18", "refused for good, then committed at " + ids.size() + ": " + sent);
                }
                ids.add(id);
            }
        }
    }

    /** The current leader would tell clients this end; gives the one that it went back from, -1 if it did not. */
    long show(long end) {
        if (end >= 0 && end < shownEnd) {
            return shownEnd;
        }
        shownEnd = Math.max(shownEnd, end);
        return -1;
    }

    /** Compares a replica with what is committed, up to an offset. */
    void compare(Mirror mirror, long toOffset, String invariant) {
        long end = Math.min(toOffset, committedEnd());
        long from = Math.max(mirror.verifiedEnd, mirror.start);
        if (from >= end) {
            return;
        }
        int place = placeOf(from);
        for (int i = mirror.placeOf(from);
                place < committed.size() && committed.get(place).base() < end;
                i++) {
            SeenBatch wanted = committed.get(place++);
            SeenBatch found = i < mirror.batches.size() ? mirror.batches.get(i) : null;
            if (found == null || !found.isSameAs(wanted)) {
                throw new SimViolation(
                        invariant,
                        "broker " + mirror.broker + " lacks a committed batch: partition="
                                + partition + ", committed=" + wanted + ", found=" + found + ", logEnd=" + mirror.end()
                                + ", committedEnd=" + committedEnd());
            }
            mirror.verifiedEnd = wanted.next();
        }
    }

    private int placeOf(long offset) {
        int low = 0;
        int high = committed.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (committed.get(middle).next() > offset) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** A batch was found at the end of a replica's log. */
    void link(Mirror mirror, SeenBatch batch) {
        if (batch.base() != mirror.end()) {
            throw new SimViolation(
                    "D-08",
                    "a gap in the log of broker " + mirror.broker + ": partition=" + partition + ", end=" + mirror.end()
                            + ", batch=" + batch);
        }
        if (batch.epoch() < mirror.lastEpoch()) {
            throw new SimViolation(
                    "I-06",
                    "epochs go back in the log of broker " + mirror.broker + ": partition=" + partition + ", before="
                            + mirror.lastEpoch() + ", batch=" + batch);
        }
        SeenBatch before = mirror.batches.isEmpty() ? null : mirror.batches.get(mirror.batches.size() - 1);
        Place beforeAt = before == null ? null : new Place(before.epoch(), before.base());
        Link known = links.putIfAbsent(new Place(batch.epoch(), batch.base()), new Link(batch, beforeAt));
        if (known != null && !known.batch.isSameAs(batch)) {
            throw new SimViolation(
                    "I-04",
                    "two batches at one offset and epoch: partition=" + partition + ", broker=" + mirror.broker
                            + ", batch=" + batch + ", other=" + known.batch);
        }
        if (known != null && beforeAt != null && known.before != null && !known.before.equals(beforeAt)) {
            throw new SimViolation(
                    "I-04",
                    "the logs before one batch differ: partition=" + partition + ", broker=" + mirror.broker
                            + ", batch=" + batch + ", before=" + beforeAt + ", other=" + known.before);
        }
        mirror.batches.add(batch);
    }

    /** Somebody acts as leader of an epoch. */
    void leads(int epoch, String who) {
        String other = writers.putIfAbsent(epoch, who);
        if (other != null && !other.equals(who)) {
            throw new SimViolation(
                    "I-05",
                    "two leaders of one epoch: partition=" + partition + ", epoch=" + epoch + ", leaders=" + other
                            + " and " + who);
        }
    }

    /** Number of epochs that had a leader at work. */
    int leadersSeen() {
        return writers.size();
    }

    /** Whether a batch is committed just so. */
    boolean isCommitted(SeenBatch batch) {
        int place = placeOf(batch.base());
        return place < committed.size() && committed.get(place).isSameAs(batch);
    }
}

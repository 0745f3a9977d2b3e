package io.tidemark.sim;

import io.tidemark.log.Log;
import io.tidemark.log.LogSlice;
import io.tidemark.pipeline.LaneView.ReplicaView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the oracle knows of one replica's log: all its batches, read after each step of its lane, and kept while the
 * process is dead.
 */
final class Mirror {
    private static final int READ_BYTES = 1 << 20;

    final int broker;
    final int partition;
    final List<SeenBatch> batches = new ArrayList<>();
    long start;
    /** Everything below was compared with what is committed. */
    long verifiedEnd;
    /** Whether the machine lost power since, so that nobody knows what is left. */
    boolean lost;
    /** Whether its disk was made to fail, so that less than was written may be found. */
    boolean damaged;

    /** Exclusive end of what was forced: no failure of power takes it away. */
    long flushed;
    /** How often its log had been truncated when it was looked at last. */
    long truncations;

    @Nullable
    Log log;

    String role = "NONE";
    int epoch = -1;
    long incarnation = -1;
    long highWatermark;

    Mirror(int broker, int partition) {
        this.broker = broker;
        this.partition = partition;
    }

    long end() {
        return batches.isEmpty() ? start : batches.get(batches.size() - 1).next();
    }

    int lastEpoch() {
        return batches.isEmpty() ? -1 : batches.get(batches.size() - 1).epoch();
    }

    /** The batch that holds an offset, null if none does. */
    @Nullable
    SeenBatch at(long offset) {
        int place = placeOf(offset);
        return place < batches.size() && batches.get(place).base() <= offset ? batches.get(place) : null;
    }

    /** Place of the first batch that ends above an offset. */
    int placeOf(long offset) {
        int low = 0;
        int high = batches.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (batches.get(middle).next() > offset) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** Takes away the last batch. */
    SeenBatch removeLast() {
        SeenBatch last = batches.remove(batches.size() - 1);
        verifiedEnd = Math.min(verifiedEnd, last.base());
        return last;
    }

    /** Reads a range of the log. */
    static List<SeenBatch> read(ReplicaView view, long from, long to) {
        List<SeenBatch> all = new ArrayList<>();
        long at = from;
        try (LogSlice slice = new LogSlice()) {
            while (at < to && view.log().read(at, READ_BYTES, to, slice)) {
                all.addAll(SeenBatch.read(slice.buffer(), slice.index(), slice.length()));
                at = slice.nextOffset();
            }
        }
        return all;
    }

    /** Whether the last batch known is still what the log holds there. */
    boolean isTailOf(ReplicaView view) {
        if (batches.isEmpty()) {
            return view.logStartOffset() == start;
        }
        SeenBatch last = batches.get(batches.size() - 1);
        if (last.next() > view.logEndOffset() || last.base() < view.logStartOffset()) {
            return false;
        }
        List<SeenBatch> there = read(view, last.base(), last.next());
        return there.size() == 1 && there.get(0).isSameAs(last);
    }
}

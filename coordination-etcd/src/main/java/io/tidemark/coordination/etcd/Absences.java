package io.tidemark.coordination.etcd;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The ranges of keys that must be empty for a transaction, joined until they are few enough: etcd takes 128 conditions
 * a transaction, and the creation of one key needs several. Two neighbours are joined across a gap in which no key is
 * known; if there was one after all, it is learned ({@link #learn}) and the ranges are joined elsewhere. Pure; not
 * thread-safe.
 */
final class Absences {
    private static final Comparator<ByteString> ORDER = ByteString.unsignedLexicographicalComparator();

    private final List<KeyRange> exact;
    private final TreeSet<ByteString> known = new TreeSet<>(ORDER);

    /**
     * Takes the ranges.
     *
     * @param ranges the ranges, which do not overlap; in any order, perhaps twice
     */
    Absences(Set<KeyRange> ranges) {
        exact = new ArrayList<>(ranges);
        exact.sort(Comparator.comparing(KeyRange::from, ORDER));
    }

    /**
     * Learns of keys that exist.
     *
     * @param keys the keys
     */
    void learn(Set<ByteString> keys) {
        known.addAll(keys);
    }

    /**
     * Joins the ranges.
     *
     * @param most how many there may be
     * @return the ranges; more than asked for if the known keys leave no other way
     */
    List<KeyRange> atMost(int most) {
        Set<Integer> joined = gapsToClose(exact.size() - most);
        List<KeyRange> ranges = new ArrayList<>();
        for (int i = 0; i < exact.size(); i++) {
            KeyRange range = exact.get(i);
            if (joined.contains(i)) {
                KeyRange left = ranges.remove(ranges.size() - 1);
                ranges.add(new KeyRange(left.from(), range.to()));
            } else {
                ranges.add(range);
            }
        }
        return ranges;
    }

    /** The indices of the right neighbours of the gaps; narrow gaps first, as they are the likeliest to be empty. */
    private Set<Integer> gapsToClose(int count) {
        Set<Integer> closed = new HashSet<>();
        if (count <= 0) {
            return closed;
        }
        List<Integer> candidates = new ArrayList<>();
        for (int i = 1; i < exact.size(); i++) {
            ByteString inGap = known.ceiling(exact.get(i - 1).to());
            if (inGap == null || ORDER.compare(inGap, exact.get(i).from()) >= 0) {
                candidates.add(i);
            }
        }
        candidates.sort(Comparator.comparingInt(this::sharedBytes).reversed());
        closed.addAll(candidates.subList(0, Math.min(count, candidates.size())));
        return closed;
    }

    /** How long the common beginning of a range and its left neighbour is: the longer, the narrower is their gap. */
    private int sharedBytes(int index) {
        ByteString left = exact.get(index - 1).from();
        ByteString right = exact.get(index).from();
        int shared = 0;
        while (shared < Math.min(left.size(), right.size()) && left.byteAt(shared) == right.byteAt(shared)) {
            shared++;
        }
        return shared;
    }

    /**
     * Tells whether a range is one of those taken, not a join of several.
     *
     * @param range the range
     * @return true if so
     */
    boolean isExact(KeyRange range) {
        return exact.contains(range);
    }
}

package io.tidemark.partition;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A log of epochs in memory: each record is told from every other one by its id. */
final class MemoryLog implements EpochHistory {
    /** A record: the epoch it was written in, and who it is. */
    record Entry(int epoch, long id) {}

    private final TreeMap<Integer, Long> epochStarts = new TreeMap<>();
    private List<Entry> entries = new ArrayList<>();
    private long start;

    long start() {
        return start;
    }

    long end() {
        return start + entries.size();
    }

    Entry at(long offset) {
        return entries.get((int) (offset - start));
    }

    /** A leader takes office: the epoch starts here, even if it never writes a record. */
    void startEpoch(int epoch) {
        assign(epoch);
    }

    void append(Entry entry) {
        assign(entry.epoch());
        entries.add(entry);
    }

    /** Epochs that start here hold no record; they give way, since a follower may learn that they never mattered. */
    private void assign(int epoch) {
        if (epochStarts.isEmpty() || epochStarts.lastKey() != epoch) {
            epochStarts.values().removeIf(from -> from >= end());
            epochStarts.put(epoch, end());
        }
    }

    void truncateTo(long offset) {
        entries = new ArrayList<>(entries.subList(0, (int) (offset - start)));
        epochStarts.values().removeIf(from -> from >= offset);
    }

    void truncateFullyAndStartAt(long offset) {
        entries = new ArrayList<>();
        epochStarts.clear();
        start = offset;
    }

    void deleteBefore(long offset) {
        entries = new ArrayList<>(entries.subList((int) (offset - start), entries.size()));
        start = offset;
        epochStarts.replaceAll((epoch, from) -> Math.max(from, offset));
        epochStarts.keySet().removeIf(epoch -> {
            Integer next = epochStarts.higherKey(epoch);
            return next != null && epochStarts.getOrDefault(next, 0L) <= offset;
        });
    }

    @Override
    public int lastBatchEpoch() {
        return entries.isEmpty() ? NO_EPOCH : entries.get(entries.size() - 1).epoch();
    }

    @Override
    public EpochEnd endOffsetForEpoch(int epoch) {
        Map.Entry<Integer, Long> floor = epochStarts.floorEntry(epoch);
        if (floor == null) {
            return new EpochEnd(NO_EPOCH, start);
        }
        Map.Entry<Integer, Long> next = epochStarts.higherEntry(floor.getKey());
        return new EpochEnd(floor.getKey(), next == null ? end() : next.getValue());
    }

    /** The leader's side: whether a fetch diverges, as PROTOCOL says. */
    boolean diverges(int lastFetchedEpoch, long fetchOffset) {
        if (lastFetchedEpoch == NO_EPOCH) {
            return false;
        }
        EpochEnd end = endOffsetForEpoch(lastFetchedEpoch);
        return end.epoch() != lastFetchedEpoch || end.endOffset() < fetchOffset;
    }
}

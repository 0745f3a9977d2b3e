package io.tidemark.log.retention;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Decides which of the oldest segments may go: by age, by size, and because the log begins behind them. What one rule
 * allows the others allow too, so their order does not matter, and deciding again at the same time finds nothing more
 * (Kafka-12177). Whole segments only, oldest first, never the active one,
 * and never one that holds an offset at or above the limit.
 *
 * <p>Age is counted from when a segment was stored on this node, by a clock that does not jump. Timestamps of records
 * come from clients and are never believed here: one that lies far in the past would delete fresh records, one that
 * lies far in the future would keep a log for ever (KIP-937).
 */
public final class RetentionPolicy {
    private RetentionPolicy() {}

    /**
     * Decides for one log.
     *
     * @param log its segments and bounds
     * @param rules what is to be kept
     * @param nowMs the time, on the clock of {@link SegmentFacts#storedAtMs}
     * @return what may be deleted
     */
    public static RetentionDecision decide(LogFacts log, RetentionRules rules, long nowMs) {
        final List<SegmentFacts> segments = log.segments();
        final LogBounds bounds = log.bounds();
        final long limit = Math.min(bounds.limitOffset(), bounds.endOffset());
        // A segment ends where the next one begins.
        final int deletable = below(segments, limit);
        int dropped = Math.min(
                deletable, Math.max(oversized(segments, rules.bytesMax()), below(segments, bounds.startOffset())));
        // After the others: what they take away may have been the young segment that kept older ones behind it.
        while (dropped < deletable && isAged(segments.get(dropped), rules.ageMaxMs(), nowMs)) {
            dropped++;
        }
        final int last = segments.size() - 1;
        final SegmentFacts active = segments.get(last);
        final boolean isDone = bounds.startOffset() >= bounds.endOffset() || isAged(active, rules.ageMaxMs(), nowMs);
        final boolean rollsActive = dropped == last && active.sizeBytes() > 0 && bounds.endOffset() <= limit && isDone;
        return new RetentionDecision(dropped, startOf(log, dropped), rollsActive);
    }

    private static long startOf(LogFacts log, int dropped) {
        final long startOffset = log.bounds().startOffset();
        return dropped == 0
                ? startOffset
                : Math.max(startOffset, log.segments().get(dropped).baseOffset());
    }

    /**
     * Lets more segments go, the ones stored longest ago first, until all logs together are not larger than allowed.
     * What may not be deleted stays, even if that is too much.
     *
     * @param logs all logs of a store
     * @param decisions for each of them, in the same order
     * @param bytesMax most bytes of all logs
     * @return decisions in the same order, each of them the same or with more to be dropped
     */
    public static List<RetentionDecision> capped(
            List<LogFacts> logs, List<RetentionDecision> decisions, long bytesMax) {
        final int[] dropped = new int[logs.size()];
        long total = 0;
        final PriorityQueue<Integer> oldest = new PriorityQueue<>(Comparator.comparingLong(
                i -> logs.get(i).segments().get(dropped[i]).storedAtMs()));
        for (int i = 0; i < dropped.length; i++) {
            dropped[i] = decisions.get(i).dropped();
            final List<SegmentFacts> segments = logs.get(i).segments();
            for (int j = dropped[i]; j < segments.size(); j++) {
                total += segments.get(j).sizeBytes();
            }
            offer(oldest, logs, dropped, i);
        }
        while (total > bytesMax && !oldest.isEmpty()) {
            final int log = oldest.remove();
            total -= logs.get(log).segments().get(dropped[log]).sizeBytes();
            dropped[log]++;
            offer(oldest, logs, dropped, log);
        }
        final List<RetentionDecision> capped = new ArrayList<>(decisions);
        for (int i = 0; i < dropped.length; i++) {
            if (dropped[i] > decisions.get(i).dropped()) {
                capped.set(i, new RetentionDecision(dropped[i], startOf(logs.get(i), dropped[i]), false));
            }
        }
        return capped;
    }

    private static void offer(PriorityQueue<Integer> oldest, List<LogFacts> logs, int[] dropped, int log) {
        final List<SegmentFacts> segments = logs.get(log).segments();
        final LogBounds bounds = logs.get(log).bounds();
        final int next = dropped[log] + 1;
        if (next < segments.size()
                && segments.get(next).baseOffset() <= Math.min(bounds.limitOffset(), bounds.endOffset())) {
            oldest.add(log);
        }
    }

    /** How many segments end at or below an offset. */
    private static int below(List<SegmentFacts> segments, long offset) {
        int count = 0;
        while (count < segments.size() - 1 && segments.get(count + 1).baseOffset() <= offset) {
            count++;
        }
        return count;
    }

    private static boolean isAged(SegmentFacts segment, long ageMaxMs, long nowMs) {
        return nowMs - segment.storedAtMs() >= ageMaxMs;
    }

    /** How many can go while what is left still has the bytes to be kept. */
    private static int oversized(List<SegmentFacts> segments, long bytesMax) {
        long left = 0;
        for (final SegmentFacts segment : segments) {
            left += segment.sizeBytes();
        }
        int count = 0;
        while (count < segments.size() - 1 && left - segments.get(count).sizeBytes() >= bytesMax) {
            left -= segments.get(count).sizeBytes();
            count++;
        }
        return count;
    }
}

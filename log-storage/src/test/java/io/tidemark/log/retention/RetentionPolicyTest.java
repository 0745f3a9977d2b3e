package io.tidemark.log.retention;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The rules of retention, without a disk. */
class RetentionPolicyTest {
    private static final long GIB = 1L << 30;
    private static final long ALL = Long.MAX_VALUE;

    /** Segments of 100 offsets each; the last one is active and not full. */
    private static LogFacts log(long startOffset, long limitOffset, SegmentFacts... segments) {
        final long end = segments[segments.length - 1].baseOffset() + 50;
        return new LogFacts(List.of(segments), new LogBounds(startOffset, end, limitOffset));
    }

    private static LogFacts aged(long... storedAtMs) {
        final SegmentFacts[] segments = new SegmentFacts[storedAtMs.length];
        for (int i = 0; i < segments.length; i++) {
            segments[i] = new SegmentFacts(i * 100L, 10, storedAtMs[i]);
        }
        return log(0, ALL, segments);
    }

    private static RetentionDecision decide(LogFacts log, long ageMaxMs, long bytesMax, long nowMs) {
        return RetentionPolicy.decide(log, new RetentionRules(ageMaxMs, bytesMax), nowMs);
    }

    // The age counts from the last record of a segment, and the oldest goes first: a young one keeps what is behind it.
    @Test
    void shouldDeleteExpiredSegmentsUpToTheFirstYoungOne() {
        assertEquals(new RetentionDecision(2, 200, false), decide(aged(0, 10, 70, 20, 90), 50, ALL, 100));
        assertEquals(new RetentionDecision(0, 0, false), decide(aged(0, 10, 70, 20, 90), 101, ALL, 100));
        assertEquals(new RetentionDecision(1, 100, false), decide(aged(0, 10, 70, 20, 90), 100, ALL, 100));
    }

    // ST-26: a log that nobody appends to does not keep its last records for ever.
    @Test
    void shouldRollTheActiveSegmentWhenItIsExpiredToo() {
        assertEquals(new RetentionDecision(1, 100, true), decide(aged(0, 10), 50, ALL, 60));
        assertFalse(decide(aged(0, 10), 50, ALL, 59).rollsActive());
        final LogFacts empty = new LogFacts(List.of(new SegmentFacts(7, 0, 0)), new LogBounds(7, 7, ALL));
        assertEquals(new RetentionDecision(0, 7, false), decide(empty, 50, ALL, 1000));
    }

    // ST-22, D-10: nothing at or above the high watermark goes, whatever the rule.
    @Test
    void shouldKeepWhatIsNotBelowTheHighWatermark() {
        final SegmentFacts[] segments = {
            new SegmentFacts(0, 10, 0), new SegmentFacts(100, 10, 0), new SegmentFacts(200, 10, 0)
        };
        for (final long limit : new long[] {-1, 0, 99}) {
            assertEquals(new RetentionDecision(0, 0, false), decide(log(0, limit, segments), 0, 0, 100));
        }
        assertEquals(new RetentionDecision(1, 100, false), decide(log(0, 100, segments), 0, 0, 100));
        assertEquals(new RetentionDecision(2, 200, false), decide(log(0, 249, segments), 0, 0, 100));
        assertEquals(new RetentionDecision(2, 200, true), decide(log(0, 250, segments), 0, 0, 100));
        assertEquals(new RetentionDecision(1, 180, false), decide(log(180, 199, segments), ALL, ALL, 100));
    }

    // ST-25: sizes are summed in 64 bits.
    @Test
    void shouldSumSizesOfManyGibibytes() {
        final List<SegmentFacts> segments = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            segments.add(new SegmentFacts(i * 100L, GIB, 0));
        }
        assertEquals(
                2,
                decide(log(0, ALL, segments.toArray(new SegmentFacts[0])), ALL, 3 * GIB, 100)
                        .dropped());
        for (int i = 5; i < 3000; i++) {
            segments.add(new SegmentFacts(i * 100L, GIB, 0));
        }
        assertEquals(
                2997,
                decide(log(0, ALL, segments.toArray(new SegmentFacts[0])), ALL, 3 * GIB, 100)
                        .dropped());
    }

    // The size rule keeps at least what was asked for.
    @Test
    void shouldKeepAtLeastTheBytesAskedFor() {
        final LogFacts log = aged(0, 0, 0, 0);
        assertEquals(0, decide(log, ALL, 31, 0).dropped());
        assertEquals(1, decide(log, ALL, 30, 0).dropped());
        assertEquals(1, decide(log, ALL, 21, 0).dropped());
        assertEquals(3, decide(log, ALL, 0, 0).dropped());
    }

    // ST-24: with rules that overlap in any way, the second look at the same time finds nothing more to delete.
    @Test
    void shouldFindNothingMoreAtTheSecondLook() {
        final long seed = Long.getLong("tidemark.seed", 24);
        System.out.println("RetentionPolicyTest: seed=" + seed + "; replay with -Dtidemark.seed=" + seed);
        final Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            final int count = 1 + random.nextInt(6);
            final List<SegmentFacts> segments = new ArrayList<>();
            for (int j = 0; j < count; j++) {
                segments.add(new SegmentFacts(j * 100L, random.nextInt(100), random.nextInt(100)));
            }
            final long end = count * 100L - 50;
            final LogBounds bounds = new LogBounds(random.nextInt((int) end + 1), end, random.nextInt((int) end + 100));
            final RetentionRules rules = new RetentionRules(random.nextInt(120), random.nextInt(400));
            final LogFacts before = new LogFacts(segments, bounds);
            final RetentionDecision first = RetentionPolicy.decide(before, rules, 100);
            assertTrue(first.startOffset() >= bounds.startOffset());
            assertTrue(first.dropped() == 0 || segments.get(first.dropped()).baseOffset() <= bounds.limitOffset());
            final LogFacts after = new LogFacts(
                    segments.subList(first.dropped(), count),
                    new LogBounds(first.startOffset(), end, bounds.limitOffset()));
            final RetentionDecision second = RetentionPolicy.decide(after, rules, 100);
            assertEquals(0, second.dropped(), () -> before + " " + rules + " " + first + " " + second);
            assertEquals(first.startOffset(), second.startOffset());
            assertEquals(first.rollsActive(), second.rollsActive());
        }
    }

    // The cap of a store takes the oldest segment of all logs first, never an active or uncommitted one.
    @Test
    void shouldDeleteTheOldestOfAllLogsAboveTheCap() {
        final LogFacts one = aged(50, 60, 70);
        final LogFacts two = aged(40, 65, 99);
        final LogFacts uncommitted = log(0, 0, new SegmentFacts(0, 10, 0), new SegmentFacts(100, 10, 1));
        final List<LogFacts> logs = List.of(one, two, uncommitted);
        final RetentionDecision nothing = new RetentionDecision(0, 0, false);
        final List<RetentionDecision> none = Collections.nCopies(3, nothing);
        assertEquals(none, RetentionPolicy.capped(logs, none, 80));
        assertEquals(
                List.of(nothing, new RetentionDecision(1, 100, false), nothing),
                RetentionPolicy.capped(logs, none, 79));
        assertEquals(
                List.of(new RetentionDecision(2, 200, false), new RetentionDecision(1, 100, false), nothing),
                RetentionPolicy.capped(logs, none, 50));
        assertEquals(
                List.of(new RetentionDecision(2, 200, false), new RetentionDecision(2, 200, false), nothing),
                RetentionPolicy.capped(logs, none, 0));
        final List<RetentionDecision> some = List.of(new RetentionDecision(1, 100, false), nothing, nothing);
        assertEquals(some, RetentionPolicy.capped(logs, some, 70));
    }
}

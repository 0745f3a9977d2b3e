package io.tidemark.tools.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Percentiles by nearest rank. */
class CommitLatencyTest {
    @Test
    void shouldTakeTheNearestRank() {
        long[] samplesNs =
                LongStream.rangeClosed(1, 200).map(i -> (201 - i) * 1_000).toArray();

        assertEquals(new CommitLatency(100, 198), CommitLatency.of(samplesNs));
        assertEquals(new CommitLatency(7, 7), CommitLatency.of(new long[] {7_900}));
    }
}

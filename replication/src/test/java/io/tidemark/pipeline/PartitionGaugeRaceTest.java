package io.tidemark.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** What a lane publishes of a partition, read by other threads meanwhile. */
class PartitionGaugeRaceTest {
    private static final int BATCHES = 2_000_000;
    private static final int READERS = 2;

    // Whoever reads the high watermark first and the log end then never sees records committed that are not there, as
    // retention and descriptions rely on; and neither goes back.
    @Test
    void shouldNeverShowAHighWatermarkAboveTheLogEnd() throws Exception {
        PartitionGauge gauge = new PartitionGauge();
        ExecutorService executor = Executors.newFixedThreadPool(READERS);
        try {
            List<Future<Long>> readers = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                readers.add(executor.submit(() -> read(gauge)));
            }
            for (long end = 1; end <= BATCHES; end++) {
                gauge.publish(PartitionRole.LEADER, 1, end, end);
            }
            for (Future<Long> reader : readers) {
                assertEquals(BATCHES, reader.get());
            }
        } finally {
            executor.shutdownNow();
        }
    }

    private static long read(PartitionGauge gauge) {
        long highWatermark = -1;
        long logEnd = -1;
        while (highWatermark < BATCHES) {
            long nextHighWatermark = gauge.highWatermark();
            long nextLogEnd = gauge.logEndOffset();
            assertTrue(nextHighWatermark <= nextLogEnd, () -> nextHighWatermark + " above " + nextLogEnd);
            assertTrue(nextHighWatermark >= highWatermark && nextLogEnd >= logEnd, "went back");
            highWatermark = nextHighWatermark;
            logEnd = nextLogEnd;
        }
        return highWatermark;
    }
}

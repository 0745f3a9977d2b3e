package io.tidemark.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Garbage of the high watermark's path, as the JVM counts it for the thread: none in steady state. */
class LeaderAllocationTest {
    private static final int BATCHES = 100_000;
    /** What the JVM itself may allocate on the way, for all batches together. */
    private static final long NOISE_BYTES = 32 << 10;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private long committed;
    private long logEnd;

    // An append, a fetch of each follower, the high watermark that follows, and a look at lag: nothing is allocated.
    @Test
    void shouldCommitWithoutGarbage() {
        Replica self = new Replica(0, 1);
        List<Replica> all = List.of(self, new Replica(1, 1), new Replica(2, 1));
        PartitionLeader leader =
                new PartitionLeader(new PartitionId(new UUID(0, 1), 0), self, 1_000_000, new LeaderDecisions() {
                    @Override
                    public void proposeIsr(PartitionState proposed) {
                        throw new AssertionError("nobody lags: " + proposed);
                    }

                    @Override
                    public void highWatermarkAdvanced(long highWatermark) {
                        committed = highWatermark;
                    }
                });
        leader.onBrokers(all, 0);
        leader.begin(PartitionState.initial(List.of(0, 1, 2), all, 2, Durability.REPLICATED, 1), 0, 0, 0, 0);
        commit(leader);
        long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        commit(leader);
        long bytes = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;

        assertEquals(2 * BATCHES, committed);
        assertTrue(bytes <= NOISE_BYTES, () -> "allocated " + bytes + " for " + BATCHES + " batches");
    }

    private void commit(PartitionLeader leader) {
        for (int i = 0; i < BATCHES; i++) {
            long nowNs = ++logEnd;
            leader.onLogEnd(logEnd, 0, nowNs);
            leader.onFollowerFetch(1, 1, 0, logEnd, nowNs);
            leader.onFollowerFetch(2, 1, 0, logEnd, nowNs);
            leader.tick(nowNs);
        }
    }
}

package io.tidemark.client;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** When a consumer's partition is asked for. */
final class AssignedPartitionTest {
    // The consumer waits in seekToEnd for the end of the log while chunks of before the seek fill the queue.
    @Test
    void shouldAskForTheEndOfTheLogWhileOldChunksWait() {
        final AssignedPartition partition = new AssignedPartition("t", 0);
        partition.fetchFrom(0, 7);
        partition.chunks().set(2);
        assertFalse(partition.wantsFetch(1, 2), "the consumer is behind");

        partition.fetchFrom(partition.seek(AssignedPartition.END), AssignedPartition.END);

        assertTrue(partition.wantsFetch(1, 2), "asking for an offset brings no chunk");
        partition.fetchResolved(9);
        assertFalse(partition.wantsFetch(1, 2), "the old chunks still wait");
    }
}

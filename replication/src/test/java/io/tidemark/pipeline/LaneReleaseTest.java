package io.tidemark.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.partition.PartitionId;
import io.tidemark.wire.ErrorCode;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A lane gives a partition up whose topic is deleted. */
class LaneReleaseTest {
    private static final int ALL = -1;
    private static final int LONG_MS = 60_000;

    @TempDir
    Path directory;

    private LaneCluster cluster;
    private LaneClient client;
    private PartitionId doomed;

    @BeforeEach
    void start() {
        cluster = new LaneCluster(directory, 3);
        doomed = cluster.create(0, 2, 1, 2, 3);
        cluster.advanceMs(1000);
        client = cluster.client();
        client.connect("node1", cluster.node(1).transport().port());
        cluster.run();
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    // A produce that waits for commits and a read that waits for records are answered, not left to their time-outs;
    // what comes later finds no such topic; the log is given up, so that another thread may close it.
    @Test
    void shouldAnswerWhatWaitsAndGiveTheLogUp() {
        cluster.node(2).transport().frozen = true;
        cluster.node(3).transport().frozen = true;
        long produce = client.produce(doomed, 0, ALL, "a");
        long consume = client.consume(doomed, 0, LONG_MS);
        cluster.run();
        assertFalse(client.isAnswered(produce));
        assertFalse(client.isAnswered(consume));
        AtomicInteger released = new AtomicInteger();

        assertTrue(cluster.node(1).proxy().release(doomed, released::incrementAndGet));
        cluster.run();

        assertEquals(1, released.get());
        assertEquals(ErrorCode.UNKNOWN_TOPIC, client.reply(produce).code());
        assertNotEquals(ErrorCode.NONE, client.reply(consume).code());
        long late = client.produce(doomed, 0, ALL, "b");
        cluster.run();
        assertEquals(ErrorCode.UNKNOWN_TOPIC, client.reply(late).code());
        assertEquals(1, cluster.node(1).log(doomed).logEndOffset());
        // Refused if this thread, which runs the lane, still owned it.
        CompletableFuture.runAsync(() -> cluster.node(1).log(doomed).truncateTo(0))
                .join();
    }

    // A follower releases too: the leader's batches do not reach its log any more, and other partitions go on.
    @Test
    void shouldLeaveOtherPartitionsAlone() {
        PartitionId kept = cluster.create(1, 2, 1, 2, 3);
        cluster.advanceMs(1000);
        cluster.node(2).transport().frozen = true;
        cluster.node(2).proxy().release(doomed, () -> {});
        long lost = client.produce(doomed, 0, ALL, "a");
        cluster.run();
        cluster.node(2).transport().frozen = false;
        long stored = client.produce(kept, 0, ALL, "b");
        cluster.run();

        assertEquals(ErrorCode.NONE, client.reply(stored).code());
        assertEquals(0, cluster.node(2).log(doomed).logEndOffset());
        assertEquals(1, cluster.node(2).log(kept).logEndOffset());
        assertFalse(client.isAnswered(lost));
    }

    // What the lane never had, or has released before, is released at once.
    @Test
    void shouldReleaseWhatItDoesNotHave() {
        AtomicInteger released = new AtomicInteger();
        cluster.node(1).proxy().release(doomed, released::incrementAndGet);
        cluster.node(1).proxy().release(doomed, released::incrementAndGet);
        cluster.run();
        assertEquals(2, released.get());
    }
}

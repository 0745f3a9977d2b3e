package io.tidemark.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ring of waiting requests against a sorted list. */
class PendingRepliesTest {
    private static final int STEPS = 20_000;

    private record Waiting(long correlationId, long nextOffset) {}

    @TempDir
    Path directory;

    // Mostly appended at the end, sometimes a repeated request in the middle, taken from the front or the middle.
    @Test
    void shouldKeepRequestsInTheOrderOfTheirEnds() {
        long seed = System.nanoTime();
        System.out.println("seed=" + seed + "; to replay, set the seed in PendingRepliesTest");
        Random random = new Random(seed);
        try (LaneCluster cluster = new LaneCluster(directory, 1)) {
            LaneClient client = cluster.client();
            client.connect("node1", cluster.node(1).transport().port());
            cluster.run();
            Lane lane = new Lane(
                    cluster.node(1).context(), new LaneRing(8, new LaneWaker()), cluster.network.open("beside"));
            InboundConnection source = new InboundConnection(lane, client.connection(), 1);
            PendingReplies pending = new PendingReplies();
            List<Waiting> model = new ArrayList<>();
            long end = 0;
            for (int step = 0; step < STEPS; step++) {
                int dice = random.nextInt(10);
                if (dice < 5) {
                    end += random.nextInt(3);
                    add(pending, model, source, new Waiting(step, end));
                } else if (dice == 5) {
                    add(pending, model, source, new Waiting(step, Math.max(0, end - random.nextInt(5))));
                } else if (dice < 9 && !model.isEmpty()) {
                    model.remove(0);
                    pending.removeFirst();
                } else if (!model.isEmpty()) {
                    int place = random.nextInt(model.size());
                    model.remove(place);
                    pending.remove(place);
                }
                assertSame(pending, model, "seed=" + seed + ", step=" + step);
            }
        }
    }

    private static void add(PendingReplies pending, List<Waiting> model, InboundConnection source, Waiting waiting) {
        int place = model.size();
        while (place > 0 && model.get(place - 1).nextOffset() > waiting.nextOffset()) {
            place--;
        }
        model.add(place, waiting);
        pending.add(source, waiting.correlationId(), waiting.nextOffset() - 1, waiting.nextOffset(), 5);
    }

    private static void assertSame(PendingReplies pending, List<Waiting> model, String where) {
        assertEquals(model.size(), pending.size(), where);
        int step = Math.max(1, model.size() / 8);
        for (int i = 0; i < model.size(); i += step) {
            assertEquals(model.get(i).correlationId(), pending.correlationId(i), where);
            assertEquals(model.get(i).nextOffset(), pending.nextOffset(i), where);
        }
    }
}

package io.tidemark.coordination;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Case 59: what several clients do at the same time is as if it had been done one after the other. */
interface HistoryContract extends ContractCase {
    int HISTORY_CLIENTS = 3;
    int HISTORY_CALLS = 120;

    // Case 59: reads, creations, updates, deletions and transactions over the same few keys, by chance.
    @Test
    default void shouldBeLinearizable() {
        long seed = Long.getLong("tidemark.seed", 59);
        String replay = "seed=" + seed + " of shouldBeLinearizable on "
                + fixture().getClass().getSimpleName() + "; replay with -Dtidemark.seed=" + seed;
        System.out.println(replay);
        SplittableRandom random = new SplittableRandom(seed);
        History history = new History();
        List<CompletableFuture<Boolean>> workers = new ArrayList<>();
        for (int i = 0; i < HISTORY_CLIENTS; i++) {
            Coordination client = fixture().openClient(config().operationTimeout(Duration.ofSeconds(25)));
            HistoryClient worker = new HistoryClient(client, history, random.split(), "client-" + i);
            CompletableFuture<Boolean> done = new CompletableFuture<>();
            workers.add(done);
            Thread thread = new Thread(() -> {
                try {
                    worker.call(HISTORY_CALLS);
                    done.complete(true);
                } catch (AssertionError | RuntimeException failed) {
                    done.completeExceptionally(failed);
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        for (CompletableFuture<Boolean> worker : workers) {
            until(() -> "the end of the calls", worker::isDone);
            Await.value(worker);
        }
        try {
            boolean strict = openClient().capabilities().contains(Capability.STRICT_CAS);
            history.check(strict);
        } catch (AssertionError wrong) {
            throw new AssertionError(replay, wrong);
        }
    }
}

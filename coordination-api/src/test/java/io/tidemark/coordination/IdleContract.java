package io.tidemark.coordination;

import static io.tidemark.coordination.ContractCase.createEphemeral;
import static io.tidemark.coordination.ContractCase.createKey;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * What a client costs while nobody uses it. For back ends on the clock of the machine; on a virtual one there is
 * nothing to measure.
 */
public interface IdleContract extends ContractCase {
    /** Of one core, with the service there. */
    double IDLE_SHARE_MAX = 0.02;
    /** Of one core, while the client tries to reach the service. */
    double ALONE_SHARE_MAX = 0.05;

    Duration MEASURED = Duration.ofSeconds(3);

    // An idle client with a session and a watch, then the same while the service is away (CO-07): it hardly computes.
    // The time on a core is measured, which does not depend on what else runs.
    @Test
    default void shouldRestWhileNothingHappens() {
        String name = "idle-" + Long.toHexString(System.identityHashCode(fixture()));
        Coordination client = fixture().openClient(config().clientName(name));
        Session session = openSession(client);
        WatchView view = new WatchView();
        Await.done(client.watch(Key.ROOT, view).ready());
        createEphemeral(client, "/e", "1", session);
        for (int i = 0; i < 100; i++) {
            createKey(client, "/warm/" + i, "w");
        }
        until(() -> "the watch", () -> view.values().size() == 101);
        double idle = shareOfACore(name);
        assertTrue(idle <= IDLE_SHARE_MAX, "an idle client took this part of a core: " + idle);
        fixture().stopService();
        double alone = shareOfACore(name);
        fixture().startService();
        assertTrue(alone <= ALONE_SHARE_MAX, "a client without its service took this part of a core: " + alone);
        System.out.println("part of a core: idle=" + idle + ", without service=" + alone + ", fixture="
                + fixture().getClass().getSimpleName());
    }

    private double shareOfACore(String name) {
        Map<Long, Long> before = cpuNs(name);
        long beganNs = System.nanoTime();
        until(() -> "the time to pass", () -> System.nanoTime() - beganNs >= MEASURED.toNanos());
        long passedNs = System.nanoTime() - beganNs;
        long usedNs = 0;
        for (Map.Entry<Long, Long> thread : cpuNs(name).entrySet()) {
            usedNs += thread.getValue() - before.getOrDefault(thread.getKey(), 0L);
        }
        return (double) usedNs / passedNs;
    }

    private static Map<Long, Long> cpuNs(String name) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Map<Long, Long> used = new HashMap<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            long cpuNs = threads.getThreadCpuTime(thread.getId());
            if (thread.getName().contains(name) && cpuNs >= 0) {
                used.put(thread.getId(), cpuNs);
            }
        }
        return used;
    }
}

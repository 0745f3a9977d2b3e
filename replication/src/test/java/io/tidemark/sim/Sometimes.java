package io.tidemark.sim;

import java.util.Map;
import java.util.TreeMap;

/** Rare states, and how often they were reached: what was never reached was not tested. */
final class Sometimes {
    /** The states that runs should reach. */
    static final String[] WANTED = {
        "ack after a leader change",
        "answer to a write lost",
        "batch damaged on its way",
        "broker crashed at a call of its disk",
        "broker killed",
        "broker paused beyond its session",
        "broker stopped cleanly",
        "client killed",
        "clock of a machine jumped",
        "connection reset",
        "controller changed",
        "coordination answer lost",
        "coordination lost by all",
        "coordination lost by one",
        "coordination request applied late",
        "coordination request lost",
        "disk full",
        "eligible leader replica kept",
        "eligible leader elected",
        "ISR below its minimum",
        "ISR grew",
        "ISR shrank",
        "leader changed",
        "leader restarted and elected again",
        "network cut both ways",
        "network cut one way",
        "network slow",
        "outcome unknown to a producer",
        "path cut around a corner",
        "power failed",
        "power failure lost records",
        "record refused for want of replicas",
        "refused in the name of a live broker",
        "restarted within its session",
        "session expired by the service",
        "truncation",
        "truncation over two epochs",
        "watch resynchronized",
        "write failed",
    };

    private final Map<String, Integer> counts = new TreeMap<>();

    void reached(String state) {
        counts.merge(state, 1, Integer::sum);
    }

    Map<String, Integer> counts() {
        return counts;
    }

    void addTo(Map<String, Integer> sums) {
        counts.forEach((state, count) -> sums.merge(state, count, Integer::sum));
    }
}

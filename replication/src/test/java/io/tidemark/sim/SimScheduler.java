package io.tidemark.sim;

import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * Virtual time and what is to happen in it. Events of one moment happen in an order that the seed gives, so that no
 * part can rely on the order in which others asked for something.
 */
final class SimScheduler {
    /** Where time begins; not 0, so that a clock that was never set is seen. */
    static final long START_NS = 1_000_000_000_000L;

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final SplittableRandom ties;
    private long nowNs = START_NS;
    private long lastId;
    private long steps;

    SimScheduler(long seed) {
        ties = new SplittableRandom(seed);
    }

    private record Event(long atNs, int tie, long id, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(atNs, other.atNs);
            int byTie = byTime != 0 ? byTime : Integer.compare(tie, other.tie);
            return byTie != 0 ? byTie : Long.compare(id, other.id);
        }
    }

    long nowNs() {
        return nowNs;
    }

    /** Time since the start, for people. */
    long elapsedNs() {
        return nowNs - START_NS;
    }

    long steps() {
        return steps;
    }

    void after(long delayNs, Runnable action) {
        at(nowNs + Math.max(0, delayNs), action);
    }

    void at(long atNs, Runnable action) {
        events.add(new Event(Math.max(nowNs, atNs), ties.nextInt(), ++lastId, action));
    }

    /** Lets the next event happen, if it is due by then; else time moves there and nothing happens. */
    boolean step(long untilNs) {
        Event next = events.peek();
        if (next == null || next.atNs > untilNs) {
            nowNs = Math.max(nowNs, untilNs);
            return false;
        }
        events.remove();
        nowNs = next.atNs;
        steps++;
        next.action.run();
        return true;
    }
}

package io.tidemark.pipeline;

import com.lmax.disruptor.EventPoller;
import com.lmax.disruptor.InsufficientCapacityException;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;

/**
 * The lane's ring: preallocated events, many producers, and the pollers of the three stages, each gated on the one
 * before it, the producers on the last. The lane's thread polls; producers publish from any thread.
 */
final class LaneRing {
    private final RingBuffer<ReplicationEvent> ring;
    private final LaneWaker waker;
    private final EventPoller<ReplicationEvent> append;
    private final EventPoller<ReplicationEvent> progress;
    private final EventPoller<ReplicationEvent> completion;
    private volatile boolean stopped;

    /**
     * Creates an empty ring.
     *
     * @param size number of slots, a power of two
     * @param waker called after each publish
     */
    LaneRing(int size, LaneWaker waker) {
        this.waker = waker;
        ring = RingBuffer.createMultiProducer(ReplicationEvent::new, size, waker);
        append = ring.newPoller();
        progress = ring.newPoller(append.getSequence());
        completion = ring.newPoller(progress.getSequence());
        ring.addGatingSequences(completion.getSequence());
    }

    /**
     * Claims a slot; the ring must be told by {@link #publish} in any case.
     *
     * @return sequence of the slot
     * @throws InsufficientCapacityException if the ring is full
     */
    long tryNext() throws InsufficientCapacityException {
        return ring.tryNext();
    }

    /**
     * The event in a slot.
     *
     * @param sequence as claimed
     * @return the event, owned by the claimer until it is published
     */
    ReplicationEvent get(long sequence) {
        return ring.get(sequence);
    }

    /**
     * Publishes a slot; the ring then calls the waker.
     *
     * @param sequence as claimed
     */
    void publish(long sequence) {
        ring.publish(sequence);
    }

    /**
     * Lets each stage handle what is published; afterwards all three stages have handled the same events.
     *
     * @param onAppend first stage; returns false to stop after an event
     * @param onProgress second stage
     * @param onCompletion third stage
     * @throws Exception if a handler throws
     */
    void poll(
            EventPoller.Handler<ReplicationEvent> onAppend,
            EventPoller.Handler<ReplicationEvent> onProgress,
            EventPoller.Handler<ReplicationEvent> onCompletion)
            throws Exception {
        if (append.poll(onAppend) != EventPoller.PollState.PROCESSING) {
            return;
        }
        catchUp(progress, append.getSequence(), onProgress);
        catchUp(completion, progress.getSequence(), onCompletion);
    }

    private static void catchUp(
            EventPoller<ReplicationEvent> poller, Sequence target, EventPoller.Handler<ReplicationEvent> handler)
            throws Exception {
        while (poller.getSequence().get() < target.get()) {
            poller.poll(handler);
        }
    }

    /** Takes no more events, and wakes the lane. Any thread. */
    void stop() {
        stopped = true;
        waker.wakeUp();
    }

    /**
     * Whether events are taken no more. Any thread.
     *
     * @return true after {@link #stop}
     */
    boolean isStopped() {
        return stopped;
    }

    /**
     * What wakes the lane.
     *
     * @return the waker
     */
    LaneWaker waker() {
        return waker;
    }
}

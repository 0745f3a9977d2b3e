package io.tidemark.pipeline;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.WaitStrategy;
import io.tidemark.transport.Transport;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Wakes the lane out of its wait for the network when something was published into its ring. The ring calls
 * {@link #signalAllWhenBlocking} after each publish, so that no producer can forget it.
 *
 * <p>The two sides: a producer publishes, then looks at the flag; the lane raises the flag, then looks at the ring. A
 * publish is a release store, which a later load may overtake, so each side needs a full fence between its two steps.
 * Without the producer's fence both may see the old value, and the event waits until the lane wakes for another
 * reason; {@code LaneWakeUpTest} shows it.
 */
final class LaneWaker implements WaitStrategy {
    private final AtomicBoolean sleeping = new AtomicBoolean();
    private volatile @Nullable Transport transport;

    /**
     * Names the transport that the lane waits in. Lane's thread.
     *
     * @param newTransport to wake
     */
    void attach(Transport newTransport) {
        transport = newTransport;
    }

    /** No events wake anybody any more. Lane's thread. */
    void detach() {
        transport = null;
    }

    /** The lane is about to wait: it must look at the ring once more after this call. Lane's thread. */
    void beginSleep() {
        sleeping.set(true);
        VarHandle.fullFence();
    }

    /** The lane does not wait any more. Lane's thread. */
    void endSleep() {
        sleeping.set(false);
    }

    @Override
    public void signalAllWhenBlocking() {
        VarHandle.fullFence();
        if (sleeping.get() && sleeping.compareAndSet(true, false)) {
            wakeUp();
        }
    }

    /** Wakes the lane whether it sleeps or not. Any thread. */
    void wakeUp() {
        Transport current = transport;
        if (current != null) {
            current.wakeUp();
        }
    }

    @Override
    public long waitFor(long sequence, Sequence cursor, Sequence dependentSequence, SequenceBarrier barrier)
            throws AlertException {
        throw new UnsupportedOperationException("nobody waits at a lane's ring; stages poll it");
    }
}

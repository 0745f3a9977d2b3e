package io.tidemark.pipeline;

import io.tidemark.transport.Transport;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.concurrent.Agent;
import org.jspecify.annotations.Nullable;

/**
 * The lane as an agent: one duty cycle runs its sockets, then the ring's three stages in order, then what is due.
 * Never blocks; its runner's {@link LaneIdle} waits in the network. May be run by its own thread, by the host or
 * step by step.
 *
 * <p>To close it: {@link LaneProxy#stop}, then close its runner.
 */
public final class LaneAgent implements Agent {
    private final LaneContext context;
    private final LaneWaker waker = new LaneWaker();
    private final LaneRing ring;
    private final LaneProxy proxy;
    private final CompletableFuture<InetSocketAddress> address = new CompletableFuture<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private @Nullable Lane lane;

    /**
     * Creates a lane that has no network yet; the proxy takes events at once.
     *
     * @param context what it is made with
     */
    public LaneAgent(LaneContext context) {
        this.context = context;
        this.ring = new LaneRing(context.config().limits().ringSize(), waker);
        this.proxy = new LaneProxy(ring);
    }

    /**
     * Entrance for other threads.
     *
     * @return always the same proxy
     */
    public LaneProxy proxy() {
        return proxy;
    }

    /**
     * The address that the lane listens at.
     *
     * @return completed when the agent was started; exceptionally with a
     *     {@link io.tidemark.transport.TransportException} if the address cannot be had
     */
    public CompletableFuture<InetSocketAddress> address() {
        return address;
    }

    @Override
    public void onStart() {
        Transport transport = null;
        try {
            transport = context.transports().open(roleName());
            waker.attach(transport);
            Lane newLane = new Lane(context, ring, transport);
            InetSocketAddress bound = newLane.listen();
            lane = newLane;
            address.complete(bound);
        } catch (RuntimeException | Error e) {
            waker.detach();
            if (transport != null && lane == null) {
                transport.close();
            }
            address.completeExceptionally(e);
            throw e;
        }
    }

    @Override
    public int doWork() {
        Lane current = lane;
        return current == null ? 0 : current.work();
    }

    /**
     * What the agent drives, for tests that look at it between two steps. The lane's thread.
     *
     * @return the lane, null before the start and after the close
     */
    @Nullable
    Lane lane() {
        return lane;
    }

    /** Waits until there is something to do. The lane's thread; called by {@link LaneIdle}. */
    void park() {
        Lane current = lane;
        if (current != null) {
            current.park();
        }
    }

    @Override
    public void onClose() {
        if (closed.compareAndSet(false, true)) {
            ring.stop();
            Lane current = lane;
            lane = null;
            if (current != null) {
                current.close();
            }
            waker.detach();
            address.completeExceptionally(new IllegalStateException("the lane is closed"));
        }
    }

    @Override
    public String roleName() {
        return "lane-" + context.config().brokerId() + "-" + context.config().lane();
    }
}

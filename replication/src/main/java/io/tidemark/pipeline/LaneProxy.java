package io.tidemark.pipeline;

import com.lmax.disruptor.InsufficientCapacityException;
import io.tidemark.controller.BrokerRegistration;
import io.tidemark.log.Log;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The entrance to a lane for other threads: each call leaves one event in the lane's ring and wakes the lane if it
 * sleeps. Any thread; never blocks. A call returns false if the ring is full or the lane is closed: nothing was
 * done, and the caller keeps what it wanted to say and tries again later. Events of one thread are handled in its
 * order.
 */
public final class LaneProxy {
    private final LaneRing ring;

    /**
     * Creates the proxy of a lane.
     *
     * @param ring of the lane
     */
    LaneProxy(LaneRing ring) {
        this.ring = ring;
    }

    /**
     * The broker was registered. From now on Hellos are answered with this identity and connections to leaders are
     * made with it; before, and after {@link #fence}, they are refused. To be called before the first
     * {@link #applyState} of this incarnation.
     *
     * @param self this broker in its new incarnation
     * @param clusterId of the cluster
     * @return false if the ring is full or the lane is closed
     */
    public boolean registered(Replica self, String clusterId) {
        long sequence = claim();
        if (sequence < 0) {
            return false;
        }
        ReplicationEvent event = ring.get(sequence);
        event.type = EventType.REGISTERED;
        event.replica = self;
        event.text = clusterId;
        ring.publish(sequence);
        return true;
    }

    /**
     * Applies a partition's state record. One that is not newer than the record applied before is passed over, so
     * that records may come more than once and in any order.
     *
     * @param assignment with the record
     * @return false if the ring is full or the lane is closed
     */
    public boolean applyState(PartitionAssignment assignment) {
        long sequence = claim();
        if (sequence < 0) {
            return false;
        }
        ReplicationEvent event = ring.get(sequence);
        event.type = EventType.APPLY_STATE;
        event.assignment = assignment;
        ring.publish(sequence);
        return true;
    }

    /**
     * Answers {@link io.tidemark.conductor.ConductorProxy#proposeIsr}. Only for outcomes that are certain.
     *
     * @param id of the partition
     * @param proposed state that was asked for
     * @param outcome of the write
     * @param stored record that is stored now: the proposed one, or after a conflict the one that was read; null if
     *     it
     *     could not be read and will follow by {@link #applyState}
     * @return false if the ring is full or the lane is closed
     */
    public boolean isrResult(
            PartitionId id, PartitionState proposed, IsrOutcome outcome, @Nullable PartitionState stored) {
        long sequence = claim();
        if (sequence < 0) {
            return false;
        }
        ReplicationEvent event = ring.get(sequence);
        event.type = EventType.ISR_RESULT;
        event.partitionId = id;
        event.proposed = proposed;
        event.outcome = outcome;
        event.state = stored;
        ring.publish(sequence);
        return true;
    }

    /**
     * Tells the registered brokers: where leaders are reached, who may join an ISR, and by their incarnations, which
     * earlier processes are dead.
     *
     * @param live all registered brokers, immutable
     * @return false if the ring is full or the lane is closed
     */
    public boolean brokers(List<BrokerRegistration> live) {
        long sequence = claim();
        if (sequence < 0) {
            return false;
        }
        ReplicationEvent event = ring.get(sequence);
        event.type = EventType.BROKERS;
        event.brokers = live;
        ring.publish(sequence);
        return true;
    }

    /**
     * Tells that a process is proven to be dead, by a refused connection or by a newer incarnation.
     *
     * @param broker id of the broker
     * @param incarnation of the dead process; all earlier ones are dead too
     * @return false if the ring is full or the lane is closed
     */
    public boolean peerDead(int broker, long incarnation) {
        long sequence = claim();
        if (sequence < 0) {
            return false;
        }
        ReplicationEvent event = ring.get(sequence);
        event.type = EventType.PEER_DEAD;
        event.replica = new Replica(broker, incarnation);
        ring.publish(sequence);
        return true;
    }

    /**
     * Lets the lane do what maintenance wants the owner of a log to do.
     *
     * @param log with work for its owner
     * @return false if the ring is full or the lane is closed; the next append does it, or maintenance asks again
     */
    public boolean logWork(Log log) {
        long sequence = claim();
        if (sequence < 0) {
            return false;
        }
        ReplicationEvent event = ring.get(sequence);
        event.type = EventType.LOG_WORK;
        event.log = log;
        ring.publish(sequence);
        return true;
    }

    /**
     * Takes a partition from the lane: what is pending or parked fails with UNKNOWN_TOPIC or NOT_LEADER, and the lane
     * gives its log up. Events that were left before are handled before.
     *
     * @param id of the partition; one that the lane does not have is released at once
     * @param released run by the lane's thread when it uses the log no more
     * @return false if the ring is full or the lane is closed
     */
    public boolean release(PartitionId id, Runnable released) {
        long sequence = claim();
        if (sequence < 0) {
            return false;
        }
        ReplicationEvent event = ring.get(sequence);
        event.type = EventType.RELEASE;
        event.partitionId = id;
        event.released = released;
        ring.publish(sequence);
        return true;
    }

    /**
     * Sends the answer to a forwarded request. Dropped if the connection is closed by now.
     *
     * @param connectionId as it was forwarded
     * @param header SBE message header and message, owned by the lane from now on
     * @return false if the ring is full or the lane is closed
     */
    public boolean reply(long connectionId, byte[] header) {
        long sequence = claim();
        if (sequence < 0) {
            return false;
        }
        ReplicationEvent event = ring.get(sequence);
        event.type = EventType.REPLY;
        event.connectionId = connectionId;
        event.bytes = header;
        ring.publish(sequence);
        return true;
    }

    /**
     * The session is lost: every partition loses its role, pending requests fail with COORDINATION_LOST, followers
     * and leaders are disconnected. {@link #registered} and {@link #applyState} give roles again.
     *
     * @param reason for the replies
     * @return false if the ring is full or the lane is closed
     */
    public boolean fence(String reason) {
        long sequence = claim();
        if (sequence < 0) {
            return false;
        }
        ReplicationEvent event = ring.get(sequence);
        event.type = EventType.FENCE;
        event.text = reason;
        ring.publish(sequence);
        return true;
    }

    /**
     * Makes the lane wake up and not park any more, so that its runner can be closed at once. Events that were left
     * in the ring are dropped when the agent is closed, and later calls return false.
     */
    public void stop() {
        ring.stop();
    }

    /**
     * Whether the lane takes no more events.
     *
     * @return true once {@link #stop} was called or the agent was closed
     */
    public boolean isClosed() {
        return ring.isStopped();
    }

    private long claim() {
        if (ring.isStopped()) {
            return -1;
        }
        try {
            return ring.tryNext();
        } catch (InsufficientCapacityException e) {
            return -1;
        }
    }
}

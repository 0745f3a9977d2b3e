package io.tidemark.conductor;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How a broker leaves the cluster in good order: it says that it leaves, goes on serving until others have taken over,
 * and only then ends its registration. Owned by the conductor.
 *
 * <table>
 * <caption>Transitions</caption>
 * <tr><th>from</th><th>to</th><th>when</th></tr>
 * <tr><td>STAYING</td><td>HANDING_OVER</td><td>the broker is asked to close</td></tr>
 * <tr><td>HANDING_OVER</td><td>ENDED</td><td>its registration says LEAVING, it leads nothing that a running member of
 *     the ISR could lead, and it is in no ISR of a running leader; or its registration was lost; or the time is
 *     over</td></tr>
 * <tr><td>STAYING</td><td>ENDED</td><td>it is asked to close and is not registered</td></tr>
 * </table>
 *
 * <p>The controller moves the leadership away (and drops the broker in the same write), each leader drops it from its
 * ISR: both see LEAVING in the registration. What nobody else could lead stays until the end. With the coordination
 * service away nothing can be handed over, and the time limit ends the waiting.
 *
 * <p>Source: KIP-841 (a broker that shuts down is in no ISR); KAFKA-9189 (a close never waits for the service alone).
 */
final class Departure {
    /** Pause between two looks at all records. */
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(50);

    /** What the conductor does about it. Called on the conductor. */
    interface Host {
        /** No more ISR changes and no campaign are begun: this broker is about to leave. */
        void leaving();

        /**
         * Everything that rests on the registration ends, then the registration.
         *
         * @return completes when the registration is gone; fails if the service did not confirm that
         */
        CompletionStage<Void> end();

        /**
         * A call failed and is tried again.
         *
         * @param cause why
         */
        void attemptFailed(Throwable cause);
    }

    private final int brokerId;
    private final long timeoutNs;
    private final ClusterView view;
    private final BrokerSession session;
    private final CoordinationCalls calls;
    private final Host host;
    private @Nullable CompletableFuture<Void> result;
    private boolean isAnnouncing;
    private boolean isEnded;
    private long announceNs;
    private long nextLookNs;
    private long deadlineNs;

    /**
     * The broker stays.
     *
     * @param brokerId this broker
     * @param timeoutNs how long the others may take to take over
     * @param view the known brokers and records
     * @param session the registration
     * @param calls continues its calls on the conductor
     * @param host the conductor
     */
    Departure(
            int brokerId, long timeoutNs, ClusterView view, BrokerSession session, CoordinationCalls calls, Host host) {
        this.brokerId = brokerId;
        this.timeoutNs = timeoutNs;
        this.view = view;
        this.session = session;
        this.calls = calls;
        this.host = host;
    }

    /**
     * Begins to leave.
     *
     * @param nowNs now
     * @param onLeft completes when the registration is gone; fails if the service did not confirm that
     */
    void begin(long nowNs, CompletableFuture<Void> onLeft) {
        if (result != null) {
            return;
        }
        result = onLeft;
        deadlineNs = nowNs + timeoutNs;
        announceNs = nowNs;
        nextLookNs = nowNs;
        if (session.registration() == null) {
            end();
            return;
        }
        host.leaving();
        var unused = tick(nowNs);
    }

    /**
     * Whether the broker is about to leave and still serves.
     *
     * @return true from the wish to close to the end of the registration
     */
    boolean isUnderWay() {
        return result != null && !isEnded;
    }

    /**
     * Moves on.
     *
     * @param nowNs now
     * @return count of things done
     */
    int tick(long nowNs) {
        if (!isUnderWay()) {
            return 0;
        }
        Registration registration = session.registration();
        if (registration == null || deadlineNs - nowNs <= 0) {
            end();
            return 1;
        }
        KnownBroker seen = view.broker(brokerId);
        boolean isAnnounced = seen != null
                && seen.registration().incarnation() == registration.broker().incarnation()
                && !seen.registration().isRunning();
        if (!isAnnounced) {
            return announce(nowNs);
        }
        if (nextLookNs - nowNs > 0) {
            return 0;
        }
        nextLookNs = nowNs + LOOK_NS;
        if (holdsWhatOthersCanTake(registration.self())) {
            return 0;
        }
        end();
        return 1;
    }

    private int announce(long nowNs) {
        if (isAnnouncing || announceNs - nowNs > 0) {
            return 0;
        }
        isAnnouncing = true;
        announceNs = nowNs + RETRY_NS;
        calls.then(session.announceLeaving(), done -> isAnnouncing = false, failure -> {
            isAnnouncing = false;
            host.attemptFailed(failure);
        });
        return 1;
    }

    private boolean holdsWhatOthersCanTake(Replica self) {
        Map<Integer, BrokerRegistration> brokers = view.registrations();
        for (PartitionId id : view.partitions()) {
            VersionedRecord record = view.record(id);
            if (record != null && isHeld(record.state(), self, brokers)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isHeld(PartitionState state, Replica self, Map<Integer, BrokerRegistration> brokers) {
        if (state.leader().equals(self)) {
            return state.isr().stream().anyMatch(member -> isRunning(member, brokers));
        }
        return state.isInIsr(self.broker(), self.incarnation()) && isRunning(state.leader(), brokers);
    }

    private static boolean isRunning(Replica replica, Map<Integer, BrokerRegistration> brokers) {
        BrokerRegistration registration = brokers.get(replica.broker());
        return registration != null && registration.incarnation() == replica.incarnation() && registration.isRunning();
    }

    private void end() {
        CompletableFuture<Void> onLeft = result;
        isEnded = true;
        var unused = host.end().whenComplete((done, failure) -> {
            if (onLeft == null) {
                return;
            }
            if (failure == null) {
                onLeft.complete(null);
            } else {
                onLeft.completeExceptionally(CoordinationCalls.unwrap(failure));
            }
        });
    }
}

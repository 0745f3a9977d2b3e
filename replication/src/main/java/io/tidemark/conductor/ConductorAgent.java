package io.tidemark.conductor;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.controller.ClusterImage;
import io.tidemark.controller.TopicState;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Watch;
import io.tidemark.metadata.MetadataFormatException;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.pipeline.IsrOutcome;
import io.tidemark.pipeline.LaneProxy;
import io.tidemark.transport.Transport;
import io.tidemark.wire.WireFormatException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * The agent that talks to the coordination service: it keeps the broker registered, gives the lane its roles, writes
 * ISR changes, and is controller when it was elected. It wires small parts together, each of which decides one thing;
 * what happens on other threads (results of coordination calls, watches, requests that the lane forwards) comes in by
 * one bounded queue.
 *
 * <p>When the registration is lost, everything that rests on it ends first (the lease, the office, proposals, roles),
 * then a new life begins under a new incarnation. When it cannot go on for good (another broker has its id, the lane or
 * a leader's log failed), it gives its registration up so that others take over, fences the lane, and says so.
 *
 * <p><b>Threading:</b> {@link ConductorProxy}'s methods, {@link #image}, {@link #isLeaseValid}, {@link #started} and
 * {@link #resign} any thread; the rest its own.
 */
public final class ConductorAgent implements Agent, ConductorProxy {
    /** Forwarded requests that may wait; more are dropped, and their senders' deadlines pass. */
    static final int FORWARDED_MAX = 4096;

    private static final int COMMANDS_PER_CYCLE = 256;
    private static final long PARK_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long PARK_BUSY_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private final ConductorContext context;
    private final int brokerId;
    private final NanoClock nanoClock;
    private final Coordination coordination;
    private final ConductorQueue queue;
    private final CoordinationCalls calls;
    private final ClusterView view = new ClusterView();
    private final LaneOutbox outbox = new LaneOutbox();
    private final AtomicInteger forwarded = new AtomicInteger();
    private final CompletableFuture<Void> started = new CompletableFuture<>();
    private final IsrProposals proposals;
    private final ControllerDriver controller;
    private final ProducerIds producerIds;
    private final Hellos hellos;
    private final LeaseHolder lease = new LeaseHolder();
    private final ConductorLog log;
    private @Nullable Attached attached;
    private @Nullable Parts parts;
    private boolean areBrokersKnown;
    private boolean isFailed;
    private boolean isClosing;
    private long nowNs;

    /** What exists from the start to the end. */
    private record Parts(
            Transport transport,
            LaneProxy lane,
            BrokerSession session,
            RoleDriver roles,
            KnownState state,
            DeathWatch deaths,
            ControlRequests requests,
            Departure departure,
            Watch brokersWatch) {}

    /** What {@link #attach} was given. */
    private record Attached(LaneProxy lane, int port) {}

    /**
     * Makes the agent. It does nothing before its thread starts.
     *
     * @param context what it is made with
     */
    public ConductorAgent(ConductorContext context) {
        this.context = context;
        this.brokerId = context.identity().brokerId();
        this.nanoClock = context.nanoClock();
        this.coordination = context.coordination();
        this.queue = new ConductorQueue(context.name(), ConductorQueue.CAPACITY);
        this.calls = new CoordinationCalls(queue);
        this.hellos = new Hellos(brokerId);
        this.log = new ConductorLog(brokerId, context.counters());
        Reactions reactions = new Reactions();
        this.proposals = new IsrProposals(coordination, calls, view, context.random(), reactions);
        this.producerIds = new ProducerIds(coordination, calls);
        this.controller = new ControllerDriver(
                new ControllerDriver.Parts(brokerId, coordination, queue, view, context.controller(), context.random()),
                reactions,
                reactions);
    }

    /**
     * Names the lane that this conductor drives. To be called before the agent's thread starts.
     *
     * @param lane its entrance
     * @param port that it is bound to
     */
    public void attach(LaneProxy lane, int port) {
        attached = new Attached(lane, port);
    }

    /**
     * The cluster as this broker knows it. Any thread.
     *
     * @return an immutable image
     */
    public ClusterImage image() {
        return view.image();
    }

    /**
     * Whether the session is certainly valid for a while, so that acknowledging is safe. Any thread; cheap.
     *
     * @return false from the moment on at which others may have taken over
     */
    public boolean isLeaseValid() {
        return lease.isValid();
    }

    /**
     * Completes when the broker is registered and has the roles that the state gives to it.
     *
     * @return fails with one line that says what, where and what to do, if the broker may not take part
     */
    public CompletionStage<Void> started() {
        return started;
    }

    /**
     * Leaves the cluster in good order: the others take over what this broker leads and drop it from the ISRs, as far
     * as they can in half of the time that a close may take; then the office ends, the lane's roles, the registration.
     * Any thread.
     *
     * @return completes when the registration is gone; fails if the service did not confirm that, the registration then
     *     ends with its time to live
     */
    public CompletionStage<Void> resign() {
        CompletableFuture<Void> result = new CompletableFuture<>();
        queue.execute(() -> {
            Parts current = parts;
            if (current == null) {
                isClosing = true;
                result.complete(null);
            } else {
                current.departure().begin(nowNs, result);
            }
        });
        return result;
    }

    /**
     * What the conductor has counted. Any thread.
     *
     * @return values by name
     */
    public Map<String, Long> counters() {
        return log.counters();
    }

    /**
     * Why the last call to the coordination service failed, for the message of a start that takes too long. Any thread.
     *
     * @return the text, empty if none failed
     */
    public String lastFailure() {
        return log.lastFailure();
    }

    @Override
    public String roleName() {
        return context.name();
    }

    @Override
    public void onStart() {
        Attached given = attached;
        if (given == null) {
            throw new IllegalStateException("the conductor was started before its lane: name=" + context.name());
        }
        nowNs = nanoClock.nanoTime();
        Transport transport = context.transports().open(context.name());
        queue.wakeUp(transport::wakeUp);
        Reactions reactions = new Reactions();
        ConductorContext.Identity self = context.identity();
        BrokerProfile profile = new BrokerProfile(
                brokerId,
                self.host(),
                given.port(),
                self.rack(),
                self.storageId(),
                self.dataDirectory(),
                self.sessionTtl());
        BrokerSession session =
                new BrokerSession(coordination, calls, context.maintenance(), profile, context.random(), reactions);
        RoleDriver roles = new RoleDriver(brokerId, calls, context.maintenance(), given.lane(), outbox, log);
        KnownState state = new KnownState(
                view,
                new StateReader(coordination, queue, reactions::brokenValue),
                roles,
                new Strays(brokerId, coordination, calls, context.maintenance(), roles, log),
                log);
        roles.onNameTaken(state::readAgain);
        state.begin(nowNs);
        parts = new Parts(
                transport,
                given.lane(),
                session,
                roles,
                state,
                new DeathWatch(
                        new DeathWatch.Parts(brokerId, transport, hellos, view, controller, coordination),
                        calls,
                        reactions),
                new ControlRequests(brokerId, self.minIsrDefault(), requestHost(given.lane())),
                new Departure(brokerId, self.leaveTimeout().toNanos(), view, session, calls, reactions),
                BrokersWatch.open(coordination, brokerId, queue, reactions));
    }

    @Override
    public int doWork() {
        Parts current = parts();
        nowNs = nanoClock.nanoTime();
        int count = queue.drain(COMMANDS_PER_CYCLE);
        count += current.transport().poll();
        if (queue.isOverflown() && !isFailed) {
            fail("the conductor's command queue was full: capacity=" + ConductorQueue.CAPACITY, null);
        }
        count += isFailed ? 0 : current.departure().tick(nowNs);
        if (!isFailed && !isClosing) {
            count += current.session().tick(nowNs);
            count += proposals.tick(nowNs);
            count += controller.tick(nowNs);
            count += current.deaths().tick(nowNs);
            count += current.state().tick(nowNs);
            if (view.publish()) {
                count++;
            }
        }
        if (current.lane().isClosed()) {
            outbox.clear();
        }
        count += outbox.drain();
        completeStart(current);
        return count;
    }

    /** Waits until there is something to do. The agent's thread only; for its idle strategy. */
    public void park() {
        Parts current = parts();
        boolean isBusy = outbox.size() > 0
                || proposals.openCount() > 0
                || controller.isBusy()
                || current.deaths().isBusy()
                || current.departure().isUnderWay()
                || current.session().state() == BrokerSession.State.WAITING;
        current.transport().park(isBusy ? PARK_BUSY_NS : PARK_NS);
    }

    @Override
    public void onClose() {
        lease.end();
        queue.close();
        started.completeExceptionally(new IllegalStateException("the broker was closed while it started"));
        Parts current = parts;
        if (current != null) {
            controller.lost("the conductor ends");
            current.state().close();
            current.brokersWatch().close();
            current.transport().close();
        }
    }

    /**
     * Gives up for good because of something that should not happen; the error handler of the agent's runner calls it.
     * The agent's thread only.
     *
     * @param reason what, where and what to do
     * @param cause the failure, null if there is none
     */
    public void fail(String reason, @Nullable Throwable cause) {
        if (isFailed) {
            return;
        }
        isFailed = true;
        boolean wasStarting = started.completeExceptionally(new IllegalStateException(reason, cause));
        if (!wasStarting) {
            log.gaveUp(reason, cause);
        }
        endLife(reason);
        if (parts != null) {
            calls.then(parts.session().close(), done -> {}, log::registrationLeft);
        }
    }

    /** Ends everything that rests on the registration, in the order in which it could do harm. */
    private void endLife(String reason) {
        lease.end();
        controller.lost(reason);
        proposals.registration(null);
        Parts current = parts;
        if (current != null) {
            current.state().close();
            current.roles().lost();
            outbox.say(() -> current.lane().fence(reason));
        }
    }

    // What the lane calls.

    @Override
    public void proposeIsr(PartitionId id, PartitionState proposed) {
        queue.execute(() -> proposals.propose(id, proposed, nowNs));
    }

    @Override
    public void forward(long connectionId, int templateId, byte[] header) {
        if (forwarded.incrementAndGet() > FORWARDED_MAX) {
            forwarded.decrementAndGet();
            log.requestDropped();
            return;
        }
        queue.execute(() -> {
            forwarded.decrementAndGet();
            if (isFailed || isClosing) {
                return;
            }
            try {
                parts().requests().handle(connectionId, templateId, header);
            } catch (WireFormatException broken) {
                log.brokenRequest(broken);
            }
        });
    }

    @Override
    public void connectionLost(int broker, long incarnation) {
        queue.execute(() -> {
            if (!isFailed && !isClosing) {
                parts().deaths().connectionLost(broker, incarnation, nowNs);
            }
        });
    }

    @Override
    public void partitionFailed(PartitionId id, Throwable cause) {
        queue.execute(() -> {
            VersionedRecord record = view.record(id);
            if (record != null && record.state().leader().broker() == brokerId) {
                // A leader cannot hand over one partition alone; without the registration others lead it.
                fail("the log of a partition that this broker leads has failed: partition=" + view.nameOf(id), cause);
            } else {
                log.followerFailed(view.nameOf(id), cause);
            }
        });
    }

    @Override
    public void laneFailed(Throwable cause) {
        queue.execute(() -> fail("the lane has failed", cause));
    }

    /**
     * Tells that the maintenance agent has failed. Any thread.
     *
     * @param cause of the failure
     */
    public void maintenanceFailed(Throwable cause) {
        queue.execute(() -> fail("the disk of the data folder has failed", cause));
    }

    private RequestHost requestHost(LaneProxy lane) {
        return new RequestHost(
                new RequestHost.Desk(
                        view,
                        controller,
                        producerIds,
                        hellos,
                        lease::isHeld,
                        this::counters,
                        (process, verdict) -> parts().deaths().testify(process, verdict),
                        (records, deleted) -> parts().state().heard(records, deleted, nowNs)),
                lane,
                outbox,
                context.maintenance());
    }

    private Parts parts() {
        return Objects.requireNonNull(parts, "the conductor was not started");
    }

    private void completeStart(Parts current) {
        if (!started.isDone()
                && current.state().isRead()
                && areBrokersKnown
                && current.session().registration() != null
                && current.roles().isSettled()) {
            view.publish();
            started.complete(null);
        }
    }

    private void sayBrokers() {
        LaneProxy lane = parts().lane();
        List<BrokerRegistration> live = List.copyOf(view.registrations().values());
        outbox.say(() -> lane.brokers(live));
    }

    /** What the conductor does about what its parts report. Its own thread. */
    private final class Reactions
            implements BrokerSession.Events,
                    BrokersWatch.Events,
                    IsrProposals.Events,
                    OfficeHost,
                    ControllerDriver.Events,
                    DeathWatch.Events,
                    Departure.Host {
        @Override
        public void registered(Registration registration) {
            Parts current = parts();
            Replica self = registration.self();
            log.registered(registration);
            hellos.registered(self.incarnation(), registration.clusterId());
            view.cluster(registration.clusterId());
            lease.begin(registration.session());
            proposals.registration(registration);
            current.roles().registered(self);
            outbox.say(() -> current.lane().registered(self, registration.clusterId()));
            sayBrokers();
            current.state().read();
            controller.registered(registration, nowNs);
        }

        @Override
        public void lost(String reason) {
            log.fenced(reason);
            endLife(reason);
        }

        @Override
        public void refused(String reason) {
            fail(reason, null);
        }

        @Override
        public void leaving() {
            log.leaving();
            proposals.registration(null);
            controller.standDown();
        }

        @Override
        public CompletionStage<Void> end() {
            isClosing = true;
            endLife("the broker is closing");
            // The end of the session frees the controller's office too.
            return parts().session().close();
        }

        @Override
        public void attemptFailed(Throwable cause) {
            log.attemptFailed(cause);
        }

        @Override
        public void brokenValue(MetadataFormatException broken) {
            log.brokenValue(broken);
        }

        @Override
        public void brokers(Map<Integer, KnownBroker> registered) {
            areBrokersKnown = true;
            view.brokers(registered);
            sayBrokers();
            controller.brokersChanged(nowNs);
        }

        @Override
        public void ownKey(Optional<Entry> entry, long revision) {
            if (!isClosing && !isFailed) {
                parts().session().ownKeySeen(entry, revision);
            }
        }

        @Override
        public void decided(
                PartitionId id, PartitionState proposed, IsrOutcome outcome, @Nullable PartitionState stored) {
            LaneProxy lane = parts().lane();
            outbox.say(() -> lane.isrResult(id, proposed, outcome, stored));
            if (outcome == IsrOutcome.COMMITTED) {
                log.isrChanged(view.nameOf(id), proposed);
            }
        }

        @Override
        public void recordSeen(VersionedRecord record) {
            parts().state().recordSeen(record);
        }

        @Override
        public void registrationGone(String reason) {
            parts().session().lose(reason);
        }

        @Override
        public Transport transport() {
            return parts().transport();
        }

        @Override
        public Hellos hellos() {
            return hellos;
        }

        @Override
        public void superseded(String reason) {
            controller.superseded(reason);
        }

        @Override
        public void elected(long epoch) {
            context.maintenance().controllerEpochSeen(epoch);
            log.elected(epoch);
        }

        @Override
        public void left(long epoch, String reason) {
            log.leftOffice(epoch, reason);
        }

        @Override
        public void topicChanged(TopicState topic) {
            parts().state().configured(topic);
        }

        @Override
        public void topicDeleted(UUID topicId) {
            parts().state().deleted(List.of(topicId));
        }

        @Override
        public void wishRefused(String key, String reason) {
            log.wishRefused(key, reason);
        }

        @Override
        public boolean isDeletionAllowed() {
            return context.identity().isDeletionAllowed();
        }

        @Override
        public long nowMs() {
            return context.epochClock().time();
        }

        @Override
        public void inboxRefused(Key key, String reason) {
            log.inboxRefused(key, reason);
        }

        @Override
        public void peerDead(int broker, long incarnation) {
            log.peerDead(broker, incarnation);
            LaneProxy lane = parts().lane();
            outbox.say(() -> lane.peerDead(broker, incarnation));
        }

        @Override
        public void deposed(Replica dead, Set<Replica> witnesses) {
            log.deposed(dead, witnesses);
        }

        @Override
        public void linkLost(int broker, long incarnation) {
            parts().deaths().connectionLost(broker, incarnation, nowNs);
        }
    }
}

package io.tidemark.pipeline;

import com.lmax.disruptor.EventPoller;
import io.tidemark.fetch.ConsumeService;
import io.tidemark.fetch.FetchService;
import io.tidemark.fetch.FetchSession;
import io.tidemark.fetch.FollowedPartition;
import io.tidemark.fetch.FollowerFetcher;
import io.tidemark.fetch.PartitionMap;
import io.tidemark.fetch.ReplicaSink;
import io.tidemark.fetch.ServedPartition;
import io.tidemark.transport.Connection;
import io.tidemark.transport.Frame;
import io.tidemark.transport.Transport;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.Role;
import io.tidemark.wire.WireFormatException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The wired data path: the three stages, what they share, and the guard around them. Owned by the lane's thread.
 *
 * <p>An event passes the stages in order. What comes from the lane's own sockets runs through all three at once;
 * events of the ring are handled stage by stage, and sockets are not looked at before all three have handled the
 * same ones. So each stage meets a change of role at the same place in the order.
 *
 * <p><b>Failures.</b> A log that fails is fenced alone. An error of mapped memory fences each log that was used in
 * the current batch of work. Any other exception out of a stage closes the lane's fence for good: everything pending
 * and everything that comes later is answered with INTERNAL, and the conductor is told.
 */
final class Lane implements ReplicaSink {
    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);
    /** Rounds of fencing failed logs and ending the batch that this causes; each round fences at least one. */
    private static final int FAULT_ROUNDS_MAX = 100_000;

    /** Longest wait without a timer; only so that no sum with the clock overflows. */
    private static final long PARK_MAX_NS = 3_600_000_000_000L;

    private enum Stage {
        APPEND,
        PROGRESS,
        COMPLETION
    }

    private final LaneContext context;
    private final LaneRing ring;
    private final Transport transport;
    private final PartitionMap<LanePartition> partitions = new PartitionMap<>();
    private final PartitionMap<ServedPartition> served = new PartitionMap<>();
    private final Long2ObjectHashMap<InboundConnection> connections = new Long2ObjectHashMap<>();
    private final ArrayList<InboundConnection> toFlush = new ArrayList<>();
    private final LaneFaults faults = new LaneFaults();
    private final ReplicationEvent replicaEvent = new ReplicationEvent();
    private final ReplicationEvent faultEvent = new ReplicationEvent();
    private final AppendStage append;
    private final ProgressStage progress;
    private final CompletionStage completion;
    private final FetchService fetches;
    private final ConsumeService consumes;
    private final FollowerFetcher fetcher;
    private final RequestDispatcher dispatcher;
    private final EventPoller.Handler<ReplicationEvent> onAppend = this::pollAppend;
    private final EventPoller.Handler<ReplicationEvent> onProgress = this::pollProgress;
    private final EventPoller.Handler<ReplicationEvent> onCompletion = this::pollCompletion;
    private @Nullable Throwable fenceCause;
    private int ringHandled;
    private boolean timeIsStale = true;
    private long nowNs;

    /**
     * Wires a lane that does not listen yet.
     *
     * @param context what the lane is made with
     * @param ring to poll
     * @param transport the lane's network, opened by this thread
     */
    Lane(LaneContext context, LaneRing ring, Transport transport) {
        this.context = context;
        this.ring = ring;
        this.transport = transport;
        LaneConfig config = context.config();
        fetches = new FetchService(served, faults, context.counters().fetchReplies());
        consumes = new ConsumeService(served, faults, config.limits().parkedConsumesMax());
        fetcher = new FollowerFetcher(config.fetch(), config.lane(), transport, this);
        append = new AppendStage(partitions, served, context.leaseValid(), context.counters(), faults);
        progress = new ProgressStage(partitions, fetches, consumes, fetcher, context);
        completion = new CompletionStage(connections, context);
        dispatcher = new RequestDispatcher(this, context, partitions, fetches);
    }

    /**
     * Begins to accept connections.
     *
     * @return the address bound to
     */
    InetSocketAddress listen() {
        LaneConfig config = context.config();
        return transport.listen(config.host(), config.port(), this::accept);
    }

    private InboundConnection accept(Connection connection) {
        return new InboundConnection(this, connection, context.config().limits().pendingPerConnectionMax());
    }

    /**
     * One duty cycle: sockets, ring, timers.
     *
     * @return number of things done
     */
    int work() {
        timeIsStale = true;
        int work = guardedPoll();
        work += pollRing();
        work += onTime();
        faults.forgetTouched();
        return work;
    }

    /**
     * The partitions whose logs this lane has, in no particular order.
     *
     * @return the lane's own map; the lane's thread only
     */
    PartitionMap<LanePartition> partitions() {
        return partitions;
    }

    /** Waits for the network, at most until the next timer; what comes is handled as in {@link #work}. */
    void park() {
        LaneWaker waker = ring.waker();
        waker.beginSleep();
        if (pollRing() == 0 && !ring.isStopped()) {
            long deadlineNs = deadlineNs();
            long timeoutNs =
                    deadlineNs == Long.MAX_VALUE ? PARK_MAX_NS : Math.min(PARK_MAX_NS, deadlineNs - freshNowNs());
            timeIsStale = true;
            try {
                transport.park(timeoutNs);
            } catch (Throwable e) {
                onFailure(e);
            }
            timeIsStale = true;
        }
        waker.endSleep();
        faults.forgetTouched();
    }

    private int guardedPoll() {
        try {
            return transport.poll();
        } catch (Throwable e) {
            onFailure(e);
            return 1;
        }
    }

    /**
     * Handles a limited number of ring events.
     *
     * @return 0 if there was none
     */
    int pollRing() {
        ringHandled = 0;
        try {
            ring.poll(onAppend, onProgress, onCompletion);
        } catch (Exception e) {
            onFailure(e);
        }
        if (ringHandled > 0) {
            onBatchEnd();
        }
        return ringHandled;
    }

    private boolean pollAppend(ReplicationEvent event, long sequence, boolean endOfBatch) {
        stage(Stage.APPEND, event);
        return ++ringHandled < context.config().limits().ringBatchMax();
    }

    private boolean pollProgress(ReplicationEvent event, long sequence, boolean endOfBatch) {
        stage(Stage.PROGRESS, event);
        return true;
    }

    private boolean pollCompletion(ReplicationEvent event, long sequence, boolean endOfBatch) {
        stage(Stage.COMPLETION, event);
        event.clear();
        return true;
    }

    private int onTime() {
        long deadlineNs = deadlineNs();
        if (deadlineNs == Long.MAX_VALUE || nowNs() < deadlineNs) {
            return 0;
        }
        int work = 0;
        try {
            if (fenceCause == null) {
                work += progress.onTime(nowNs());
                work += completion.onTime(progress.advanced(), nowNs());
                work += fetcher.onTime(nowNs());
            }
        } catch (Throwable e) {
            onFailure(e);
        }
        onBatchEnd();
        return work;
    }

    private long deadlineNs() {
        if (fenceCause != null) {
            return Long.MAX_VALUE;
        }
        return Math.min(Math.min(progress.deadlineNs(), completion.deadlineNs()), fetcher.deadlineNs());
    }

    @Override
    public long nowNs() {
        if (timeIsStale) {
            timeIsStale = false;
            nowNs = context.clock().nanoTime();
        }
        return nowNs;
    }

    private long freshNowNs() {
        timeIsStale = true;
        return nowNs();
    }

    /**
     * Runs an event of the lane's own sockets through all stages, and clears it.
     *
     * @param event to run
     */
    void run(ReplicationEvent event) {
        stage(Stage.APPEND, event);
        stage(Stage.PROGRESS, event);
        stage(Stage.COMPLETION, event);
        event.clear();
    }

    private void stage(Stage stage, ReplicationEvent event) {
        if (fenceCause != null) {
            if (stage == Stage.COMPLETION) {
                refuse(event);
            }
            return;
        }
        try {
            switch (stage) {
                case APPEND -> append.onEvent(event);
                case PROGRESS -> runProgress(event);
                case COMPLETION -> completion.onEvent(event);
            }
        } catch (InternalError e) {
            onMemoryError(e);
            event.fail(ErrorCode.STORAGE_ERROR, null);
            if (stage == Stage.COMPLETION) {
                refuse(event);
            }
        } catch (Throwable e) {
            event.fail(ErrorCode.INTERNAL, null);
            fence(e);
            if (stage == Stage.COMPLETION) {
                refuse(event);
            }
        }
    }

    private void runProgress(ReplicationEvent event) {
        if (event.type == EventType.CONSUME && event.code != ErrorCode.NONE) {
            refuse(event);
            return;
        }
        if (event.type == EventType.REGISTERED && event.replica != null && event.text != null) {
            dispatcher.onRegistered(event.replica, event.text);
        } else if (event.type == EventType.FENCE) {
            dispatcher.onFence();
        }
        progress.onEvent(event, nowNs());
    }

    /** Answers a request that no stage answered. */
    private void refuse(ReplicationEvent event) {
        InboundConnection source = event.source;
        if (source == null || event.replied) {
            return;
        }
        ErrorCode code = event.code == ErrorCode.NONE ? ErrorCode.INTERNAL : event.code;
        switch (event.type) {
            case PRODUCE, OFFSETS -> completion.refuse(event, code, event.message);
            case CONSUME -> {
                event.replied = true;
                consumes.refuse(source, event.correlationId, code);
            }
            default -> source.closeAfterReply();
        }
    }

    @Override
    public void onBatchEnd() {
        for (int round = 0; round < FAULT_ROUNDS_MAX; round++) {
            if (fenceCause == null) {
                try {
                    progress.onBatchEnd(nowNs());
                    completion.onBatchEnd(progress.advanced(), nowNs());
                    fetcher.onBatchEnd(nowNs());
                } catch (Throwable e) {
                    onFailure(e);
                }
            }
            if (!faults.hasFailed()) {
                break;
            }
            while (faults.hasFailed()) {
                faults.pollInto(faultEvent);
                LOG.error(
                        "a partition's log failed and is fenced on this broker: {}",
                        faultEvent.cause,
                        faultEvent.cause);
                run(faultEvent);
            }
        }
        for (int i = 0; i < toFlush.size(); i++) {
            toFlush.get(i).flush();
        }
        toFlush.clear();
    }

    /**
     * Has a connection flushed at the end of the batch.
     *
     * @param connection that something was sent on
     */
    void flushLater(InboundConnection connection) {
        toFlush.add(connection);
    }

    /**
     * Whether one more produce request with acks ALL may wait.
     *
     * @return false at the limit
     */
    boolean hasRoomForPending() {
        return completion.hasRoom();
    }

    /**
     * Whether the lane failed.
     *
     * @return true once and for all
     */
    boolean isFenced() {
        return fenceCause != null;
    }

    /**
     * Takes an accepted connection, or closes it at the limit.
     *
     * @param connection that opened
     */
    void onAccepted(InboundConnection connection) {
        if (connections.size() >= context.config().limits().connectionsMax()) {
            connection.connection().close();
            return;
        }
        connections.put(connection.connection().id(), connection);
    }

    /**
     * Handles a frame of an accepted connection.
     *
     * @param connection that it came on
     * @param frame valid during this call
     */
    void onFrame(InboundConnection connection, Frame frame) {
        if (connection.isClosed()) {
            return;
        }
        try {
            dispatcher.onFrame(connection, frame);
        } catch (WireFormatException e) {
            throw e;
        } catch (Throwable e) {
            onFailure(e);
            connection.closeAfterReply();
        }
    }

    /**
     * Forgets an accepted connection.
     *
     * @param connection that is closed
     */
    void onInboundClosed(InboundConnection connection) {
        connections.remove(connection.connection().id());
        consumes.onClosed(connection);
        FetchSession session = connection.session();
        if (session != null) {
            fetches.close(session);
        }
        boolean isOfBroker = session != null || connection.role() == Role.CONTROLLER;
        if (isOfBroker && !ring.isStopped()) {
            context.conductor().connectionLost(connection.broker(), connection.incarnation());
        }
    }

    @Override
    public boolean onData(
            FollowedPartition partition,
            DirectBuffer buffer,
            int index,
            int length,
            long highWatermark,
            long logStartOffset) {
        replicaEvent.type = EventType.REPLICA_DATA;
        replicaEvent.partition = (LanePartition) partition.owner();
        replicaEvent.buffer = buffer;
        replicaEvent.index = index;
        replicaEvent.length = length;
        replicaEvent.highWatermark = highWatermark;
        replicaEvent.logStartOffset = logStartOffset;
        return runReplica();
    }

    @Override
    public boolean onDiverged(FollowedPartition partition, int epoch, long endOffset) {
        replicaEvent.type = EventType.REPLICA_DIVERGED;
        replicaEvent.partition = (LanePartition) partition.owner();
        replicaEvent.divergingEpoch = epoch;
        replicaEvent.divergingEndOffset = endOffset;
        return runReplica();
    }

    @Override
    public boolean onOutOfRange(FollowedPartition partition, long leaderLogStartOffset) {
        replicaEvent.type = EventType.REPLICA_RESTART;
        replicaEvent.partition = (LanePartition) partition.owner();
        replicaEvent.logStartOffset = leaderLogStartOffset;
        return runReplica();
    }

    @Override
    public void onNews(FollowedPartition partition, long highWatermark, long logStartOffset) {
        replicaEvent.type = EventType.REPLICA_NEWS;
        replicaEvent.partition = (LanePartition) partition.owner();
        replicaEvent.highWatermark = highWatermark;
        replicaEvent.logStartOffset = logStartOffset;
        runReplica();
    }

    private boolean runReplica() {
        stage(Stage.APPEND, replicaEvent);
        stage(Stage.PROGRESS, replicaEvent);
        stage(Stage.COMPLETION, replicaEvent);
        boolean ok = replicaEvent.code == ErrorCode.NONE && fenceCause == null;
        LanePartition partition = replicaEvent.partition;
        if (partition != null && replicaEvent.code == ErrorCode.CORRUPT_BATCH) {
            noteCorruption(partition, replicaEvent.message);
        }
        replicaEvent.clear();
        return ok;
    }

    /** A partition asks again ten times a second, which must not fill the host's disk: each doubling is told. */
    private static void noteCorruption(LanePartition partition, @Nullable String message) {
        if (Integer.bitCount(++partition.corruptReplies) == 1) {
            LOG.error(
                    "a leader sent a batch that cannot be appended: partition={}, times={}, {}; it is asked for"
                            + " again after a pause",
                    partition.id,
                    partition.corruptReplies,
                    message);
        }
    }

    @Override
    public void onLeaderLost(int broker, long incarnation) {
        if (!ring.isStopped()) {
            context.conductor().connectionLost(broker, incarnation);
        }
    }

    @Override
    public void onRefused(int broker, String text) {
        LOG.warn("a leader refuses this broker's connection: leader={}, {}", broker, text);
    }

    @Override
    public void onFailure(Throwable cause) {
        if (cause instanceof InternalError memory) {
            onMemoryError(memory);
        } else {
            fence(cause);
        }
    }

    private void onMemoryError(InternalError cause) {
        if (faults.hasTouched()) {
            faults.failTouched(cause);
        } else {
            fence(cause);
        }
    }

    /** Closes the fence, for good. */
    private void fence(Throwable cause) {
        if (fenceCause != null) {
            return;
        }
        fenceCause = cause;
        LOG.error("the lane failed and answers every request with an error from now on; restart the broker", cause);
        failEverything(ErrorCode.INTERNAL);
        context.conductor().laneFailed(cause);
    }

    private void failEverything(ErrorCode code) {
        faults.clear();
        guard(() -> completion.failAll(code));
        guard(() -> consumes.failAll(code));
        guard(fetches::closeAll);
        guard(fetcher::onFence);
    }

    /** State may be half-changed when the fence closes; what fails now must not keep the rest from being answered. */
    private static void guard(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            LOG.warn("a step of fencing the lane failed", e);
        }
    }

    /** Answers what is pending with BROKER_CLOSING and closes the network. */
    void close() {
        failEverything(ErrorCode.BROKER_CLOSING);
        for (int i = 0; i < toFlush.size(); i++) {
            toFlush.get(i).flush();
        }
        toFlush.clear();
        transport.close();
    }
}

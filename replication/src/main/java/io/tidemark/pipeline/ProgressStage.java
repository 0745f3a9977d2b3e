package io.tidemark.pipeline;

import io.tidemark.conductor.ConductorProxy;
import io.tidemark.controller.BrokerRegistration;
import io.tidemark.fetch.ConsumeService;
import io.tidemark.fetch.FetchService;
import io.tidemark.fetch.FetchSession;
import io.tidemark.fetch.FollowerFetcher;
import io.tidemark.fetch.PartitionMap;
import io.tidemark.log.Log;
import io.tidemark.partition.LeaderDecisions;
import io.tidemark.partition.PartitionFollower;
import io.tidemark.partition.PartitionLeader;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.wire.ErrorCode;
import java.util.ArrayList;
import java.util.List;

/**
 * Second stage: owns roles, the decisions of leaders and followers, and with them the high watermarks. Takes fetches
 * as acknowledgements, wakes what is parked, proposes ISR changes, and publishes the gauges at the end of a batch.
 */
final class ProgressStage {
    private static final long TICK_MAX_NS = 500_000_000L;
    private static final int TICKS_PER_LAG = 4;
    private static final int ANY_EPOCH = -1;

    private final PartitionMap<LanePartition> partitions;
    private final FetchService fetches;
    private final ConsumeService consumes;
    private final FollowerFetcher fetcher;
    private final LaneContext context;
    private final ArrayList<LanePartition> leading = new ArrayList<>();
    private final ArrayList<LanePartition> advanced = new ArrayList<>();
    private final ArrayList<LanePartition> changed = new ArrayList<>();
    private final long tickNs;
    private List<Replica> running = List.of();
    private long nextTickNs = Long.MIN_VALUE;
    private long nowNs;

    /**
     * Creates a stage of a lane without roles.
     *
     * @param partitions of the lane
     * @param fetches serves followers
     * @param consumes serves consumers
     * @param fetcher follows leaders
     * @param context settings, conductor and counters
     */
    ProgressStage(
            PartitionMap<LanePartition> partitions,
            FetchService fetches,
            ConsumeService consumes,
            FollowerFetcher fetcher,
            LaneContext context) {
        this.partitions = partitions;
        this.fetches = fetches;
        this.consumes = consumes;
        this.fetcher = fetcher;
        this.context = context;
        this.tickNs = Math.max(1, Math.min(TICK_MAX_NS, context.config().replicaLagMaxNs() / TICKS_PER_LAG));
    }

    /**
     * Handles an event after the append stage.
     *
     * @param event to handle
     * @param eventNowNs time of this batch
     */
    void onEvent(ReplicationEvent event, long eventNowNs) {
        nowNs = eventNowNs;
        switch (event.type) {
            case PRODUCE -> onProduce(event);
            case FETCH -> onFetch(event);
            case CONSUME -> onConsume(event);
            case OFFSETS -> onOffsets(event);
            case REPLICA_DATA, REPLICA_NEWS -> onReplicaData(event);
            case REPLICA_DIVERGED, REPLICA_RESTART -> onReplicaTruncated(event);
            case APPLY_STATE -> onState(event);
            case ISR_RESULT -> onIsrResult(event);
            case BROKERS -> onBrokers(event);
            case PEER_DEAD -> onPeerDead(event);
            case REGISTERED -> onRegistered(event);
            case PARTITION_FAILED -> onPartitionFailed(event);
            case FENCE -> onFence();
            case RELEASE -> {
                if (event.partition != null) {
                    fence(event.partition);
                }
            }
            case NONE, LOG_WORK, REPLY -> {
                // Nothing that changes progress.
            }
        }
    }

    /**
     * Partitions whose high watermark moved since the completion stage last emptied the list.
     *
     * @return always the same list
     */
    List<LanePartition> advanced() {
        return advanced;
    }

    /**
     * Answers fetches and reads that were woken, and publishes gauges.
     *
     * @param batchNowNs time of this batch
     */
    void onBatchEnd(long batchNowNs) {
        nowNs = batchNowNs;
        fetches.serve(nowNs);
        consumes.serve();
        for (int i = 0; i < changed.size(); i++) {
            LanePartition partition = changed.get(i);
            partition.gaugeQueued = false;
            partition
                    .handle
                    .gauge()
                    .publish(
                            partition.role,
                            partition.leaderEpoch(),
                            partition.highWatermark,
                            partition.log.logEndOffset());
        }
        changed.clear();
    }

    /**
     * Answers what has waited long enough, and lets leaders look at lag.
     *
     * @param timeNowNs the time
     * @return number of replies
     */
    int onTime(long timeNowNs) {
        nowNs = timeNowNs;
        int work = fetches.onTime(nowNs) + consumes.onTime(nowNs);
        if (nowNs >= nextTickNs) {
            for (int i = 0; i < leading.size(); i++) {
                PartitionLeader leader = leading.get(i).leader;
                if (leader != null) {
                    leader.tick(nowNs);
                }
            }
            nextTickNs = nowNs + tickNs;
        }
        return work;
    }

    /**
     * When {@link #onTime} has something to do next.
     *
     * @return the time, {@link Long#MAX_VALUE} if nothing is due
     */
    long deadlineNs() {
        long deadlineNs = Math.min(fetches.deadlineNs(), consumes.deadlineNs());
        return leading.isEmpty() ? deadlineNs : Math.min(deadlineNs, nextTickNs);
    }

    private void onProduce(ReplicationEvent event) {
        LanePartition partition = event.partition;
        if (partition == null || !event.appended) {
            return;
        }
        PartitionLeader leader = partition.leader;
        if (leader != null) {
            leader.onLogEnd(event.nextOffset, partition.log.logStartOffset(), nowNs);
            fetches.onAppended(partition.served);
        }
        markChanged(partition);
    }

    private void onFetch(ReplicationEvent event) {
        InboundConnection source = event.source;
        FetchSession session = source == null ? null : source.session();
        if (session != null && event.fetchRequest != null) {
            fetches.onRequest(session, event.fetchRequest, nowNs);
            event.replied = true;
        }
    }

    private void onConsume(ReplicationEvent event) {
        InboundConnection source = event.source;
        if (source != null && event.consumeRequest != null) {
            event.replied = true;
            consumes.onRequest(source, event.consumeRequest, nowNs);
        }
    }

    private void onOffsets(ReplicationEvent event) {
        LanePartition partition = event.partition;
        if (partition == null) {
            event.fail(ErrorCode.UNKNOWN_TOPIC, null);
            return;
        }
        PartitionLeader leader = partition.leader;
        int epoch = partition.leaderEpoch();
        if (event.leaderEpoch != ANY_EPOCH && event.leaderEpoch > epoch) {
            event.fail(ErrorCode.UNKNOWN_EPOCH, null);
        } else if (leader == null) {
            event.fail(ErrorCode.NOT_LEADER, null);
        } else if (event.leaderEpoch != ANY_EPOCH && event.leaderEpoch < epoch) {
            event.fail(ErrorCode.STALE_EPOCH, null);
        } else if (leader.endOffsetForClients() == PartitionLeader.NO_OFFSET) {
            event.fail(ErrorCode.OFFSET_NOT_AVAILABLE, null);
        } else {
            event.baseOffset = partition.log.logStartOffset();
            event.nextOffset = leader.endOffsetForClients();
            event.leaderEpoch = epoch;
        }
    }

    private void onReplicaData(ReplicationEvent event) {
        LanePartition partition = event.partition;
        PartitionFollower follower = partition == null ? null : partition.follower;
        if (partition == null || follower == null) {
            return;
        }
        if (event.appended) {
            follower.onAppended(partition.log.logEndOffset());
        }
        if (event.code == ErrorCode.NONE) {
            partition.highWatermark =
                    follower.onLeaderHighWatermark(event.highWatermark, partition.log.logStartOffset());
        }
        markChanged(partition);
    }

    private void onReplicaTruncated(ReplicationEvent event) {
        LanePartition partition = event.partition;
        PartitionFollower follower = partition == null ? null : partition.follower;
        if (partition != null && follower != null && event.code == ErrorCode.NONE) {
            follower.onTruncated(partition.log.logStartOffset(), partition.log.logEndOffset());
            partition.highWatermark = follower.highWatermark();
            markChanged(partition);
        }
    }

    private void onState(ReplicationEvent event) {
        LanePartition partition = event.partition;
        PartitionState state = event.state;
        if (partition == null || state == null || !event.stateChanged) {
            return;
        }
        PartitionState before = partition.state;
        partition.state = state;
        markChanged(partition);
        if (event.roleChanged) {
            enter(partition, event.role, state);
            return;
        }
        PartitionLeader leader = partition.leader;
        if (leader != null && before != null) {
            int change = state.isr().size() - before.isr().size();
            LaneCounters.add(context.counters().isrGrows(), change > 0 ? 1 : 0);
            LaneCounters.add(context.counters().isrShrinks(), change < 0 ? 1 : 0);
            leader.onStateCommitted(state, nowNs);
        }
    }

    private void enter(LanePartition partition, PartitionRole role, PartitionState state) {
        leave(partition);
        Log log = partition.log;
        partition.role = role;
        if (role == PartitionRole.LEADER) {
            PartitionLeader leader = new PartitionLeader(
                    partition.id, state.leader(), context.config().replicaLagMaxNs(), new Decisions(partition));
            leader.onBrokers(running, nowNs);
            partition.leader = leader;
            partition.leadingIndex = leading.size();
            leading.add(partition);
            leader.begin(state, log.logStartOffset(), log.logEndOffset(), partition.highWatermark, nowNs);
            partition.highWatermark = leader.highWatermark();
            partition.served.lead(leader, state.leaderEpoch());
        } else {
            partition.served.cease(state.leaderEpoch());
        }
        if (role == PartitionRole.FOLLOWER) {
            PartitionFollower follower = new PartitionFollower(partition.id);
            follower.begin(state, log.logStartOffset(), log.logEndOffset(), partition.highWatermark);
            partition.follower = follower;
            partition.highWatermark = follower.highWatermark();
            fetcher.follow(partition.followed, state.leader().broker(), state.leaderEpoch(), nowNs);
        } else {
            fetcher.unfollow(partition.followed);
        }
        fetches.onRoleChanged(partition.served, nowNs);
        consumes.onRoleChanged(partition.served);
    }

    private void leave(LanePartition partition) {
        if (partition.leader != null) {
            partition.leader = null;
            // The last one takes its place, so that losing many roles at once costs no more than their number.
            LanePartition last = leading.remove(leading.size() - 1);
            if (last != partition) {
                leading.set(partition.leadingIndex, last);
                last.leadingIndex = partition.leadingIndex;
            }
        }
        partition.follower = null;
        partition.role = PartitionRole.NONE;
    }

    private void onIsrResult(ReplicationEvent event) {
        LanePartition partition = event.partition;
        onState(event);
        PartitionLeader leader = partition == null ? null : partition.leader;
        if (leader != null && event.outcome == IsrOutcome.CONFLICT && event.proposed != null) {
            leader.onIsrProposalFailed(event.proposed, nowNs);
        }
    }

    private void onBrokers(ReplicationEvent event) {
        List<BrokerRegistration> live = event.brokers;
        if (live == null) {
            return;
        }
        fetcher.onBrokers(live, nowNs);
        ArrayList<Replica> replicas = new ArrayList<>(live.size());
        for (BrokerRegistration registration : live) {
            if (registration.isRunning()) {
                replicas.add(new Replica(registration.broker(), registration.incarnation()));
            }
        }
        running = List.copyOf(replicas);
        for (int i = 0; i < leading.size(); i++) {
            PartitionLeader leader = leading.get(i).leader;
            if (leader != null) {
                leader.onBrokers(running, nowNs);
                for (BrokerRegistration registration : live) {
                    // A registration proves that every earlier process of the broker is dead.
                    if (registration.incarnation() > 0) {
                        leader.onPeerDead(registration.broker(), registration.incarnation() - 1, nowNs);
                    }
                }
            }
        }
    }

    private void onPeerDead(ReplicationEvent event) {
        Replica dead = event.replica;
        if (dead == null) {
            return;
        }
        for (int i = 0; i < leading.size(); i++) {
            PartitionLeader leader = leading.get(i).leader;
            if (leader != null) {
                leader.onPeerDead(dead.broker(), dead.incarnation(), nowNs);
            }
        }
    }

    private void onRegistered(ReplicationEvent event) {
        if (event.replica != null && event.text != null) {
            fetcher.onRegistered(event.replica, event.text);
        }
    }

    private void onPartitionFailed(ReplicationEvent event) {
        LanePartition partition = event.partition;
        Throwable cause = event.cause;
        if (partition == null || cause == null) {
            return;
        }
        int epoch = partition.leaderEpoch();
        leave(partition);
        partition.served.cease(epoch);
        fetcher.unfollow(partition.followed);
        fetches.onRoleChanged(partition.served, nowNs);
        consumes.onRoleChanged(partition.served);
        markChanged(partition);
        LaneCounters.add(context.counters().partitionsFailed(), 1);
        ConductorProxy conductor = context.conductor();
        conductor.partitionFailed(partition.id, cause);
    }

    private void onFence() {
        fetcher.onFence();
        partitions.forEach(this::fence);
        fetches.closeAll();
    }

    private void fence(LanePartition partition) {
        leave(partition);
        partition.state = null;
        partition.served.cease(-1);
        fetcher.unfollow(partition.followed);
        fetches.onRoleChanged(partition.served, nowNs);
        consumes.onRoleChanged(partition.served);
        markChanged(partition);
    }

    private void markChanged(LanePartition partition) {
        if (!partition.gaugeQueued) {
            partition.gaugeQueued = true;
            changed.add(partition);
        }
    }

    /** What a partition's leader decides. */
    private final class Decisions implements LeaderDecisions {
        private final LanePartition partition;

        private Decisions(LanePartition partition) {
            this.partition = partition;
        }

        @Override
        public void proposeIsr(PartitionState proposed) {
            context.conductor().proposeIsr(partition.id, proposed);
        }

        @Override
        public void highWatermarkAdvanced(long highWatermark) {
            partition.highWatermark = highWatermark;
            fetches.onNews(partition.served);
            consumes.onHighWatermark(partition.served);
            markChanged(partition);
            if (!partition.advancedQueued) {
                partition.advancedQueued = true;
                advanced.add(partition);
            }
        }
    }
}

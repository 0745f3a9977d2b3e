package io.tidemark.fetch;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.partition.Replica;
import io.tidemark.transport.Transport;
import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The follower's side of replication: one {@link LeaderConnection} per leader, made when the first partition is
 * followed there and closed with the last. Owned by the lane's thread.
 */
public final class FollowerFetcher {
    private static final long NO_DEADLINE = Long.MAX_VALUE;

    private final FetchConfig config;
    private final int lane;
    private final Transport transport;
    private final ReplicaSink sink;
    private final Int2ObjectHashMap<LeaderConnection> leaders = new Int2ObjectHashMap<>();
    private final ArrayList<LeaderConnection> list = new ArrayList<>();
    private final ArrayList<FollowedPartition> backingOff = new ArrayList<>();
    private List<BrokerRegistration> brokers = List.of();
    private @Nullable Replica self;
    private String clusterId = "";

    /**
     * Creates a fetcher that follows nothing.
     *
     * @param config settings
     * @param lane index of the lane, said in each Hello
     * @param transport to connect through
     * @param sink that takes what comes
     */
    public FollowerFetcher(FetchConfig config, int lane, Transport transport, ReplicaSink sink) {
        this.config = config;
        this.lane = lane;
        this.transport = transport;
        this.sink = sink;
    }

    /**
     * Takes this broker's identity; connections are made from now on.
     *
     * @param newSelf this broker in its current incarnation
     * @param newClusterId said in each Hello
     */
    public void onRegistered(Replica newSelf, String newClusterId) {
        closeAll();
        self = newSelf;
        clusterId = newClusterId;
    }

    /** Closes all connections and makes none until the next {@link #onRegistered}. */
    public void onFence() {
        self = null;
        closeAll();
    }

    /**
     * Takes the registered brokers, with their addresses.
     *
     * @param live all registered brokers
     * @param nowNs time of this batch
     */
    public void onBrokers(List<BrokerRegistration> live, long nowNs) {
        brokers = live;
        for (int i = 0; i < list.size(); i++) {
            LeaderConnection leader = list.get(i);
            leader.onRegistration(registrationOf(leader.broker()), nowNs);
        }
    }

    /**
     * Follows a partition's leader in an epoch, from the end of the log on.
     *
     * @param partition to follow
     * @param leaderBroker id of the leader
     * @param leaderEpoch to ask in
     * @param nowNs time of this batch
     */
    public void follow(FollowedPartition partition, int leaderBroker, int leaderEpoch, long nowNs) {
        LeaderConnection leader = leaders.get(leaderBroker);
        if (leader == null) {
            leader = new LeaderConnection(this, leaderBroker);
            leaders.put(leaderBroker, leader);
            list.add(leader);
            leader.onRegistration(registrationOf(leaderBroker), nowNs);
        }
        if (partition.leader != leader) {
            unfollow(partition);
            partition.leader = leader;
            leader.add(partition);
        }
        partition.leaderEpoch = leaderEpoch;
        partition.backingOff = false;
        leader.mention(partition);
    }

    /**
     * Ceases to follow a partition; answers that are on their way are dropped.
     *
     * @param partition to leave
     */
    public void unfollow(FollowedPartition partition) {
        LeaderConnection leader = partition.leader;
        if (leader != null) {
            partition.leader = null;
            partition.leaderEpoch = -1;
            partition.backingOff = false;
            leader.remove(partition);
        }
    }

    /**
     * Sends what the events of this batch changed.
     *
     * @param nowNs time of this batch
     */
    public void onBatchEnd(long nowNs) {
        for (int i = 0; i < list.size(); i++) {
            list.get(i).onBatchEnd(nowNs);
        }
    }

    /**
     * Does what is due: connects again, asks again for partitions that backed off, gives up silent connections,
     * closes unused ones.
     *
     * @param nowNs the time
     * @return number of things done
     */
    public int onTime(long nowNs) {
        int work = endBackOffs(nowNs);
        int kept = 0;
        for (int i = 0; i < list.size(); i++) {
            LeaderConnection leader = list.get(i);
            if (leader.isUnused()) {
                leaders.remove(leader.broker());
                leader.close();
                work++;
            } else {
                list.set(kept++, leader);
                work += leader.onTime(nowNs);
            }
        }
        list.subList(kept, list.size()).clear();
        return work;
    }

    /**
     * When {@link #onTime} has something to do next.
     *
     * @return the time, {@link Long#MAX_VALUE} if nothing is due
     */
    public long deadlineNs() {
        long deadlineNs = NO_DEADLINE;
        for (int i = 0; i < backingOff.size(); i++) {
            deadlineNs = Math.min(deadlineNs, backingOff.get(i).backOffUntilNs);
        }
        for (int i = 0; i < list.size(); i++) {
            deadlineNs = Math.min(deadlineNs, list.get(i).deadlineNs());
        }
        return deadlineNs;
    }

    /** Closes all connections, without changing what is followed. */
    public void closeAll() {
        for (int i = 0; i < list.size(); i++) {
            list.get(i).close();
        }
    }

    /**
     * Has a partition asked for again after a pause.
     *
     * @param partition whose fetch failed
     * @param nowNs time of this batch
     */
    void backOff(FollowedPartition partition, long nowNs) {
        partition.backOffUntilNs = nowNs + config.partitionBackOffNs();
        if (!partition.backingOff) {
            partition.backingOff = true;
            if (!backingOff.contains(partition)) {
                backingOff.add(partition);
            }
        }
    }

    private int endBackOffs(long nowNs) {
        int work = 0;
        int kept = 0;
        for (int i = 0; i < backingOff.size(); i++) {
            FollowedPartition partition = backingOff.get(i);
            LeaderConnection leader = partition.leader;
            if (partition.backingOff && nowNs < partition.backOffUntilNs) {
                backingOff.set(kept++, partition);
            } else if (partition.backingOff && leader != null) {
                partition.backingOff = false;
                leader.mention(partition);
                work++;
            }
        }
        backingOff.subList(kept, backingOff.size()).clear();
        return work;
    }

    private @Nullable BrokerRegistration registrationOf(int broker) {
        for (int i = 0; i < brokers.size(); i++) {
            if (brokers.get(i).broker() == broker) {
                return brokers.get(i);
            }
        }
        return null;
    }

    /**
     * Settings.
     *
     * @return the settings
     */
    FetchConfig config() {
        return config;
    }

    /**
     * Index of the lane.
     *
     * @return 0 or more
     */
    int lane() {
        return lane;
    }

    /**
     * Network of the lane.
     *
     * @return the transport
     */
    Transport transport() {
        return transport;
    }

    /**
     * Who takes what comes.
     *
     * @return the sink
     */
    ReplicaSink sink() {
        return sink;
    }

    /**
     * This broker.
     *
     * @return null while it is not registered
     */
    @Nullable
    Replica self() {
        return self;
    }

    /**
     * The cluster.
     *
     * @return its id
     */
    String clusterId() {
        return clusterId;
    }
}

package io.tidemark.tools.demo;

import io.tidemark.coordination.Change;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.Watch;
import io.tidemark.coordination.WatchListener;
import io.tidemark.metadata.MetadataFormatException;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.tools.system.Machine;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Follows what the brokers write into the coordination service: the states of one topic's partitions, the
 * registrations of the brokers, the controller and its epoch. Any thread; the watch's thread writes, under the lock.
 */
final class ClusterWatch implements WatchListener, AutoCloseable {
    private final String topic;
    private final Map<Integer, IsrHistory> histories = new TreeMap<>();
    private final Map<Integer, Long> registrations = new HashMap<>();
    private final AtomicReference<@Nullable Watch> watch = new AtomicReference<>();
    private @Nullable String problem;
    private int controller = -1;
    private long controllerEpoch = -1;

    private ClusterWatch(String topic) {
        this.topic = topic;
    }

    /**
     * Begins to follow.
     *
     * @param coordination where; must stay open longer
     * @param topic the topic whose states are kept
     * @return the watch, to be closed by the caller
     */
    static ClusterWatch open(Coordination coordination, String topic) {
        ClusterWatch self = new ClusterWatch(topic);
        self.watch.set(coordination.watch(Key.ROOT, self));
        return self;
    }

    @Override
    public void onSnapshot(Listing state) {
        long nowNs = Machine.nanoTime();
        synchronized (this) {
            registrations.clear();
            state.entries().forEach(entry -> onEntry(entry, nowNs));
        }
    }

    @Override
    public void onChanges(List<Change> changes, long revision) {
        long nowNs = Machine.nanoTime();
        synchronized (this) {
            for (Change change : changes) {
                if (change instanceof Change.Put put) {
                    onEntry(put.entry(), nowNs);
                } else {
                    MetadataKeys.brokerOf(change.key()).ifPresent(registrations::remove);
                }
            }
        }
    }

    private void onEntry(Entry entry, long nowNs) {
        Key key = entry.key();
        byte[] value = entry.value();
        try {
            MetadataKeys.partitionOf(key)
                    .filter(found -> found.topic().equals(topic))
                    .ifPresent(found -> histories
                            .computeIfAbsent(found.id().partition(), partition -> new IsrHistory())
                            .onState(MetadataJson.decodePartition(key.path(), value), nowNs));
            MetadataKeys.brokerOf(key)
                    .ifPresent(broker -> registrations.put(
                            broker, MetadataJson.decodeBroker(key.path(), value).incarnation()));
            if (key.equals(MetadataKeys.CONTROLLER)) {
                controller = MetadataJson.decodeController(key.path(), value).broker();
            } else if (key.equals(MetadataKeys.CONTROLLER_EPOCH)) {
                controllerEpoch = MetadataJson.decodeNumber(key.path(), value);
            }
        } catch (MetadataFormatException e) {
            // Shown by the first wait that fails; the demo cannot judge what it cannot read.
            problem = e.getMessage();
        }
    }

    /**
     * The latest states of the partitions.
     *
     * @return by partition; a copy
     */
    synchronized Map<Integer, PartitionState> states() {
        Map<Integer, PartitionState> states = new TreeMap<>();
        histories.forEach((partition, history) -> states.put(partition, history.last()));
        return states;
    }

    /**
     * When a leader of a later epoch was seen first.
     *
     * @param partition the partition
     * @param leaderEpoch the epoch before
     * @return the time in nanoseconds, or empty
     */
    synchronized OptionalLong firstSeenAfterEpoch(int partition, int leaderEpoch) {
        IsrHistory history = histories.get(partition);
        return history == null ? OptionalLong.empty() : history.firstSeenAfterEpoch(leaderEpoch);
    }

    /**
     * How many brokers are registered now.
     *
     * @return the count
     */
    synchronized int registered() {
        return registrations.size();
    }

    /**
     * Tells whether every partition has all its replicas in sync, each in its present incarnation.
     *
     * @param partitionCount how many partitions there should be
     * @return true if so
     */
    synchronized boolean isFullyInSync(int partitionCount) {
        return histories.size() == partitionCount
                && histories.values().stream().map(IsrHistory::last).allMatch(this::isFullyInSync);
    }

    private boolean isFullyInSync(PartitionState state) {
        return !state.leader().isNone()
                && state.isr().size() == state.assignment().size()
                && state.isr().stream().allMatch(this::isPresent);
    }

    private boolean isPresent(Replica replica) {
        Long incarnation = registrations.get(replica.broker());
        return incarnation != null && incarnation == replica.incarnation();
    }

    /**
     * The broker that is, or was last, controller.
     *
     * @return its number, -1 before the first
     */
    synchronized int controller() {
        return controller;
    }

    /**
     * The term of the controller.
     *
     * @return the epoch, -1 before the first
     */
    synchronized long controllerEpoch() {
        return controllerEpoch;
    }

    /**
     * How often members left the in-sync replicas.
     *
     * @return over all partitions
     */
    synchronized int isrShrinks() {
        return histories.values().stream().mapToInt(IsrHistory::shrinks).sum();
    }

    /**
     * How often members joined the in-sync replicas.
     *
     * @return over all partitions
     */
    synchronized int isrGrows() {
        return histories.values().stream().mapToInt(IsrHistory::grows).sum();
    }

    /**
     * What is known, for messages.
     *
     * @return one line
     */
    synchronized String describe() {
        StringBuilder text = new StringBuilder("controllerEpoch=" + controllerEpoch + ", registered=" + registrations);
        histories.forEach((partition, history) -> {
            PartitionState state = history.last();
            text.append(", ")
                    .append(topic)
                    .append('-')
                    .append(partition)
                    .append("={leader=")
                    .append(state.leader());
            text.append(", leaderEpoch=")
                    .append(state.leaderEpoch())
                    .append(", isr=")
                    .append(state.isr());
            text.append(", elr=").append(state.elr()).append('}');
        });
        return problem == null ? text.toString() : text + ", " + problem;
    }

    @Override
    public void close() {
        Watch open = watch.getAndSet(null);
        if (open != null) {
            open.close();
        }
    }
}

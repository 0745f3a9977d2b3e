package io.tidemark.client;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** The queues of one producer for one topic, and the choice between them. Any thread. */
final class TopicQueues {
    private record Choice(ClusterView view, int partitionCount, List<Integer> withLeader) {}

    private final String topic;
    private final BatchPool pool;
    private final long deliveryTimeoutNs;
    private final AtomicLong turn = new AtomicLong();
    private volatile AtomicReferenceArray<PartitionQueue> queues = new AtomicReferenceArray<>(0);
    private volatile @Nullable Choice choice;

    /**
     * Queues of a topic, none yet.
     *
     * @param topic name
     * @param pool memory of the producer
     * @param deliveryTimeoutNs time from a record until it fails
     */
    TopicQueues(String topic, BatchPool pool, long deliveryTimeoutNs) {
        this.topic = topic;
        this.pool = pool;
        this.deliveryTimeoutNs = deliveryTimeoutNs;
    }

    /**
     * The partition that a key selects, or the next one with a leader if there is no key. Counts the turn once, however
     * often the record must wait for memory.
     *
     * @param view what is known
     * @param key or null
     * @return its queue
     */
    PartitionQueue select(ClusterView view, byte @Nullable [] key) {
        final Choice known = choice(view);
        if (known.partitionCount == 0) {
            throw noPartitions();
        }
        if (key != null) {
            return queue(Murmur2.partition(key, known.partitionCount));
        }
        final long number = turn.getAndIncrement();
        final List<Integer> candidates = known.withLeader;
        return queue(
                !candidates.isEmpty()
                        ? candidates.get((int) Math.floorMod(number, (long) candidates.size()))
                        : (int) Math.floorMod(number, (long) known.partitionCount));
    }

    /**
     * A given partition.
     *
     * @param view what is known
     * @param partition as the caller gave it
     * @return its queue
     * @throws IllegalArgumentException if the topic has no such partition
     */
    PartitionQueue explicit(ClusterView view, int partition) {
        final int count = choice(view).partitionCount;
        if (partition < 0 || partition >= count) {
            throw new IllegalArgumentException("no such partition: topic=" + topic + ", partition=" + partition
                    + ", partitionCount=" + count + "; the record was not sent");
        }
        return queue(partition);
    }

    private IllegalArgumentException noPartitions() {
        return new IllegalArgumentException(
                "topic without partitions: topic=" + topic + ", partitionCount=0; the record was not sent");
    }

    private Choice choice(ClusterView view) {
        final Choice known = choice;
        if (known != null && known.view == view) {
            return known;
        }
        final TopicDescription description = view.topic(topic);
        final int count = description == null ? 0 : description.partitions().size();
        final List<Integer> withLeader = description == null
                ? List.of()
                : description.partitions().stream()
                        .filter(partition -> view.address(partition.leader()) != null)
                        .map(PartitionDescription::partition)
                        .toList();
        final Choice fresh = new Choice(view, count, withLeader);
        choice = fresh;
        return fresh;
    }

    private PartitionQueue queue(int partition) {
        final AtomicReferenceArray<PartitionQueue> known = queues;
        if (partition < known.length()) {
            return known.get(partition);
        }
        return grow(partition + 1);
    }

    /** A lock, since two threads must not make two queues of one partition; taken once per partition. */
    private synchronized PartitionQueue grow(int count) {
        final AtomicReferenceArray<PartitionQueue> known = queues;
        if (count > known.length()) {
            final AtomicReferenceArray<PartitionQueue> grown = new AtomicReferenceArray<>(count);
            for (int i = 0; i < count; i++) {
                grown.set(i, i < known.length() ? known.get(i) : new PartitionQueue(topic, i, pool, deliveryTimeoutNs));
            }
            queues = grown;
        }
        return queues.get(count - 1);
    }

    /**
     * Adds the queues there are to a collection.
     *
     * @param all to add to
     */
    void addTo(Collection<PartitionQueue> all) {
        final AtomicReferenceArray<PartitionQueue> known = queues;
        for (int i = 0; i < known.length(); i++) {
            all.add(known.get(i));
        }
    }
}

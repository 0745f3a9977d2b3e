package io.tidemark.conductor;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.controller.TopicState;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import io.tidemark.coordination.Version;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.Durability;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** Topics, records and registrations for tests, in memory and in a store. */
final class Records {
    static final TopicState TOPIC = new TopicState("orders", new UUID(0x4000, 7), 1, 3, 2, Durability.REPLICATED);
    static final PartitionId P0 = new PartitionId(TOPIC.topicId(), 0);

    private Records() {}

    /** A record with brokers 1, 2 and 3 as replicas, of which some are in sync and the first one leads. */
    static PartitionState state(Replica... isr) {
        return PartitionState.initial(List.of(1, 2, 3), List.of(isr), 2, Durability.REPLICATED, 1);
    }

    static BrokerRegistration broker(int id, long incarnation) {
        return new BrokerRegistration(
                id,
                incarnation,
                incarnation,
                "10.0.0." + id,
                7000 + id,
                "",
                "folder-" + id,
                BrokerRegistration.Status.RUNNING);
    }

    /** Stores a topic and the record of its one partition. */
    static VersionedRecord store(VirtualCluster cluster, PartitionState state) {
        TxnResult result = cluster.commit(Txn.builder()
                .create(MetadataKeys.topic(TOPIC.name()), MetadataJson.encode(TOPIC))
                .create(MetadataKeys.partitionState(TOPIC.name(), P0), MetadataJson.encode(state))
                .build());
        Version version = ((TxnResult.Committed) result).versions().get(1);
        return new VersionedRecord(TOPIC, P0, state, VersionedRecord.stateVersion(version));
    }

    /** Replaces the stored record, as another writer. */
    static void overwrite(VirtualCluster cluster, PartitionState state) {
        Entry entry = entry(cluster);
        TxnResult result = cluster.commit(Txn.builder()
                .update(entry.key(), MetadataJson.encode(state), entry.version())
                .build());
        if (!result.isCommitted()) {
            throw new AssertionError("the test's own write was refused: " + result);
        }
    }

    /** The stored record. */
    static PartitionState stored(VirtualCluster cluster) {
        return MetadataJson.decodePartition(P0.toString(), entry(cluster).value());
    }

    private static Entry entry(VirtualCluster cluster) {
        return cluster.entry(MetadataKeys.partitionState(TOPIC.name(), P0)).orElseThrow();
    }

    /** Registers a broker for as long as the store lives, with its counter; gives what a watch would see. */
    static KnownBroker register(VirtualCluster cluster, BrokerRegistration broker) {
        TxnResult result = cluster.commit(Txn.builder()
                .create(
                        MetadataKeys.brokerIncarnation(broker.broker()),
                        MetadataJson.encodeNumber(broker.incarnation()))
                .create(MetadataKeys.brokerId(broker.broker()), MetadataJson.encode(broker))
                .build());
        return new KnownBroker(broker, ((TxnResult.Committed) result).versions().get(1));
    }

    static Map<Integer, KnownBroker> known(KnownBroker... brokers) {
        Map<Integer, KnownBroker> all = new TreeMap<>();
        for (KnownBroker broker : List.of(brokers)) {
            all.put(broker.registration().broker(), broker);
        }
        return all;
    }

    static <T> List<T> append(List<T> list, T element) {
        List<T> longer = new ArrayList<>(list);
        longer.add(element);
        return longer;
    }
}

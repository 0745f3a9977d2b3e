package io.tidemark.controller;

import io.tidemark.partition.Durability;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Brokers and records for tests. */
final class Fixtures {
    private Fixtures() {}

    /** A running broker that lost nothing since an incarnation. */
    static BrokerRegistration broker(int id, long incarnation, long intactSince) {
        return new BrokerRegistration(
                id,
                incarnation,
                intactSince,
                "host" + id,
                9_000 + id,
                "",
                "storage-" + id,
                BrokerRegistration.Status.RUNNING);
    }

    /** A running broker in a rack. */
    static BrokerRegistration inRack(int id, String rack) {
        return new BrokerRegistration(
                id, 1, 1, "host" + id, 9_000 + id, rack, "storage-" + id, BrokerRegistration.Status.RUNNING);
    }

    /** The same broker, about to leave. */
    static BrokerRegistration leaving(BrokerRegistration broker) {
        return new BrokerRegistration(
                broker.broker(),
                broker.incarnation(),
                broker.intactSince(),
                broker.host(),
                broker.port(),
                broker.rack(),
                broker.storageId(),
                BrokerRegistration.Status.LEAVING);
    }

    static Map<Integer, BrokerRegistration> brokers(BrokerRegistration... registrations) {
        Map<Integer, BrokerRegistration> brokers = new TreeMap<>();
        for (BrokerRegistration registration : registrations) {
            brokers.put(registration.broker(), registration);
        }
        return brokers;
    }

    /** Three replicas on brokers 1, 2, 3, minIsr 2, epoch 4. */
    static PartitionState state(Replica leader, List<Replica> isr, List<Replica> elr) {
        return new PartitionState(
                List.of(1, 2, 3), List.of(), List.of(), leader, 4, 9, isr, elr, 2, Durability.REPLICATED, 1, List.of());
    }
}

package io.tidemark.tools.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.controller.BrokerRegistration;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.TxnResult;
import io.tidemark.coordination.local.LocalStore;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.Durability;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.tools.system.Machine;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The demo's view of a cluster, against a store into which the test writes what brokers would. */
class ClusterWatchTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final LocalStore store = LocalStore.create();
    private final Coordination coordination = store.connect(CoordinationConfig.defaults());
    private final ClusterWatch watch = ClusterWatch.open(coordination, "demo");
    private final Key stateKey = MetadataKeys.partitionState("demo", new PartitionId(UUID.randomUUID(), 0));
    private final PartitionState first = PartitionState.initial(
            List.of(1, 2), List.of(new Replica(1, 10), new Replica(2, 11)), 2, Durability.REPLICATED, 1);

    @BeforeEach
    void writeFirstState() {
        put(MetadataKeys.brokerId(1), registration(1, 10));
        put(MetadataKeys.brokerId(2), registration(2, 11));
        put(MetadataKeys.CONTROLLER, MetadataJson.encodeController(new Replica(2, 11)));
        put(MetadataKeys.CONTROLLER_EPOCH, MetadataJson.encodeNumber(4));
        put(stateKey, MetadataJson.encode(first));
        await(() -> watch.isFullyInSync(1));
    }

    @AfterEach
    void close() {
        watch.close();
        coordination.close();
        store.close();
    }

    @Test
    void shouldSeeStatesRegistrationsAndController() {
        assertEquals(first, watch.states().get(0));
        assertEquals(2, watch.registered());
        assertEquals(2, watch.controller());
        assertEquals(4, watch.controllerEpoch());
        assertFalse(watch.isFullyInSync(2), "there is one partition only");
        assertEquals(0, watch.isrShrinks());
    }

    // Broker 1 dies and comes back: in sync only when its new incarnation is.
    @Test
    void shouldFollowAFailOver() {
        PartitionState shrunk =
                first.withLeader(new Replica(2, 11), List.of(new Replica(2, 11)), List.of(new Replica(1, 10)));
        put(stateKey, MetadataJson.encode(shrunk));
        await(() -> watch.isrShrinks() == 1);
        assertTrue(watch.firstSeenAfterEpoch(0, 0).isPresent());
        assertFalse(watch.isFullyInSync(1));

        put(MetadataKeys.brokerId(1), registration(1, 12));
        put(stateKey, MetadataJson.encode(shrunk.withIsr(List.of(new Replica(2, 11), new Replica(1, 12)), List.of())));
        await(() -> watch.isFullyInSync(1));
        assertEquals(1, watch.isrGrows());
    }

    // A member whose process is another one by now is not in sync, whatever the record says.
    @Test
    void shouldNotTakeAnOldIncarnationForInSync() {
        put(MetadataKeys.brokerId(1), registration(1, 12));
        await(() -> !watch.isFullyInSync(1));
    }

    // Other topics and unreadable values do not disturb; the latter are told.
    @Test
    void shouldTellWhatItCannotRead() {
        Key other = MetadataKeys.partitionState("other", new PartitionId(UUID.randomUUID(), 7));
        put(other, MetadataJson.encode(first));
        put(MetadataKeys.CONTROLLER_EPOCH, new byte[] {'x'});
        await(() -> watch.describe().contains("/controller_epoch"));
        assertEquals(1, watch.states().size());
        assertEquals(4, watch.controllerEpoch());
    }

    private void await(BooleanSupplier condition) {
        Machine.await("the watch", TIMEOUT, condition, watch::describe);
    }

    private static byte[] registration(int broker, long incarnation) {
        return MetadataJson.encode(new BrokerRegistration(
                broker,
                incarnation,
                incarnation,
                "127.0.0.1",
                9000 + broker,
                "",
                "storage-" + broker,
                BrokerRegistration.Status.RUNNING));
    }

    private void put(Key key, byte[] value) {
        Optional<Entry> before = coordination
                .get(key, ReadMode.LINEARIZABLE)
                .toCompletableFuture()
                .join();
        Txn txn = before.map(entry -> Txn.builder().update(key, value, entry.version()))
                .orElseGet(() -> Txn.builder().create(key, value))
                .build();
        TxnResult result = coordination.commit(txn).toCompletableFuture().join();
        assertTrue(result instanceof TxnResult.Committed, result.toString());
    }
}

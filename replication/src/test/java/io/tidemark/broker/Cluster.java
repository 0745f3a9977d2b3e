package io.tidemark.broker;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.CoordinationConfig;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Listing;
import io.tidemark.coordination.ReadMode;
import io.tidemark.coordination.Txn;
import io.tidemark.coordination.local.LocalStore;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Real brokers in this JVM: real threads, sockets and folders, with a coordination service in memory that each of them
 * reaches by a client of its own.
 */
final class Cluster implements AutoCloseable {
    static final Duration TTL = Duration.ofSeconds(2);
    private static final Duration LAG_MAX = Duration.ofSeconds(30);
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private final Path root;
    private final LocalStore store = LocalStore.create();
    private final Coordination observer =
            store.connect(CoordinationConfig.builder().clientName("observer").build());
    private final Map<Integer, Broker> brokers = new TreeMap<>();
    private final Map<Integer, Coordination> clients = new HashMap<>();
    private final Map<Integer, Integer> ports = new HashMap<>();
    private Duration sessionTtl = TTL;
    private UnaryOperator<ControllerConfig> controller = UnaryOperator.identity();

    Cluster(Path root) {
        this.root = root;
    }

    LocalStore store() {
        return store;
    }

    /** Sets the time to live of the sessions of brokers that are started from now on. */
    void sessionTtl(Duration ttl) {
        sessionTtl = ttl;
    }

    /** Sets how brokers that are started from now on decide as controller. */
    void controller(UnaryOperator<ControllerConfig> change) {
        controller = change;
    }

    /** Writes a key that is not there, as a person would. */
    void write(Key key, String text) {
        Txn txn =
                Txn.builder().create(key, text.getBytes(StandardCharsets.UTF_8)).build();
        assertTrue(observer.commit(txn).toCompletableFuture().join().isCommitted(), () -> "is there: key=" + key);
    }

    /** Starts a broker, or starts it again on its old folder. */
    Broker start(int id) {
        Coordination client = store.connect(
                CoordinationConfig.builder().clientName("client-" + id).build());
        try {
            Broker broker = Broker.start(config(id).build(), client);
            // A broker that comes back is found where it was.
            ports.put(
                    id,
                    Integer.parseInt(broker.address().substring(broker.address().lastIndexOf(':') + 1)));
            brokers.put(id, broker);
            clients.put(id, client);
            return broker;
        } catch (RuntimeException failed) {
            client.close();
            throw failed;
        }
    }

    /** The data folder of a broker. */
    Path folder(int id) {
        return root.resolve("broker-" + id);
    }

    BrokerConfig.Builder config(int id) {
        return BrokerConfig.builder()
                .brokerId(id)
                .dataDirectory(root.resolve("broker-" + id))
                .coordination("local:")
                .port(ports.getOrDefault(id, 0))
                .sessionTtl(sessionTtl)
                .segmentBytes(1 << 20)
                .replicaLagMax(LAG_MAX.compareTo(sessionTtl) > 0 ? LAG_MAX : sessionTtl)
                .controller(controller)
                .closeTimeout(Duration.ofSeconds(5));
    }

    void startAll(int count) {
        for (int id = 1; id <= count; id++) {
            start(id);
        }
    }

    Broker broker(int id) {
        Broker broker = brokers.get(id);
        if (broker == null) {
            throw new AssertionError("broker is not running: id=" + id + ", running=" + brokers.keySet());
        }
        return broker;
    }

    Collection<Broker> running() {
        return brokers.values();
    }

    /** Where the running brokers are reached, as a client wants it. */
    String addresses() {
        return brokers.values().stream().map(Broker::address).collect(Collectors.joining(","));
    }

    Coordination clientOf(int id) {
        Coordination client = clients.get(id);
        if (client == null) {
            throw new AssertionError("broker has no client: id=" + id);
        }
        return client;
    }

    /** Stops a broker as if its process had died: its session ends with its time to live. */
    void abort(int id) {
        Broker broker = broker(id);
        brokers.remove(id);
        broker.abort();
        // A dead process renews nothing and hears nothing.
        store.faults().partition(clientOf(id));
    }

    void close(int id) {
        Broker broker = broker(id);
        brokers.remove(id);
        broker.close();
        Coordination client = clients.remove(id);
        if (client != null) {
            client.close();
        }
    }

    /** The records of all partitions of a topic, by partition, as they are stored. */
    Map<PartitionId, PartitionState> states(String topic) {
        Map<PartitionId, PartitionState> states = new HashMap<>();
        Optional<Entry> entry = read(MetadataKeys.topic(topic));
        if (entry.isEmpty() || MetadataJson.isNoTopic(entry.get().value())) {
            return states;
        }
        var found = MetadataJson.decodeTopic(topic, entry.get().value());
        for (int i = 0; i < found.partitions(); i++) {
            PartitionId id = new PartitionId(found.topicId(), i);
            Optional<Entry> state = read(MetadataKeys.partitionState(topic, id));
            state.ifPresent(value ->
                    states.put(id, MetadataJson.decodePartition(value.key().path(), value.value())));
        }
        return states;
    }

    /** The record of one partition. */
    PartitionState state(String topic, int partition) {
        return states(topic).entrySet().stream()
                .filter(entry -> entry.getKey().partition() == partition)
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no record: topic=" + topic + ", partition=" + partition));
    }

    /** Whether this very life of a broker is registered. */
    boolean isAlive(Replica replica) {
        return read(MetadataKeys.brokerId(replica.broker()))
                .map(entry -> MetadataJson.decodeBroker("/brokers/ids", entry.value()))
                .filter(registration -> registration.incarnation() == replica.incarnation())
                .isPresent();
    }

    Replica controller() {
        return read(MetadataKeys.CONTROLLER)
                .map(entry -> MetadataJson.decodeController("/controller", entry.value()))
                .orElse(Replica.NONE);
    }

    Listing registrations() {
        return observer.list(MetadataKeys.BROKER_IDS, ReadMode.LINEARIZABLE)
                .toCompletableFuture()
                .join();
    }

    Optional<Entry> read(Key key) {
        return observer.get(key, ReadMode.LINEARIZABLE).toCompletableFuture().join();
    }

    /** Waits until something is true, and says how long that took. */
    static Duration await(String what, BooleanSupplier condition) {
        long beganNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - beganNs < DEADLINE_NS, () -> "did not happen within 30 s: " + what);
            LockSupport.parkNanos(LOOK_NS);
        }
        return Duration.ofNanos(System.nanoTime() - beganNs);
    }

    @Override
    public void close() {
        brokers.values().forEach(Broker::close);
        brokers.clear();
        clients.values().forEach(Coordination::close);
        observer.close();
        store.close();
    }
}

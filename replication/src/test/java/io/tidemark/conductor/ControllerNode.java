package io.tidemark.conductor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tidemark.controller.AdminResult;
import io.tidemark.controller.AdminWish;
import io.tidemark.controller.BrokerRegistration;
import io.tidemark.controller.ClusterImage;
import io.tidemark.controller.ControllerSettings;
import io.tidemark.controller.TopicState;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.Entry;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Session;
import io.tidemark.metadata.MetadataFormatException;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.transport.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** One broker that runs for controller. */
final class ControllerNode implements OfficeHost, ControllerDriver.Events, BrokersWatch.Events {
    private final VirtualCluster cluster;
    final List<String> events = new ArrayList<>();
    final List<Throwable> failures = new ArrayList<>();
    final List<String> refusals = new ArrayList<>();
    final List<Replica> lost = new ArrayList<>();
    final List<MetadataFormatException> broken = new ArrayList<>();
    final ClusterView view = new ClusterView();
    final FakeTransport transport = new FakeTransport();
    private final Hellos hellos;
    final BrokerRegistration self;
    final Coordination client;
    final CountingCoordination counted;
    final Session session;
    final ControllerDriver driver;
    final List<String> refusedWishes = new ArrayList<>();
    boolean isDeletionAllowed = true;
    private final List<Runnable> whilePaused = new ArrayList<>();
    private boolean isPaused;

    ControllerNode(VirtualCluster cluster, int id) {
        this.cluster = cluster;
        self = Records.broker(id, id);
        hellos = new Hellos(id);
        client = cluster.client("broker-" + id);
        counted = new CountingCoordination(client);
        session = client.openSession(VirtualCluster.TTL).toCompletableFuture().join();
        KnownBroker known = Records.register(cluster, self);
        ConductorQueue queue = cluster.queue("conductor-" + id);
        Executor pausable = command -> {
            if (isPaused) {
                whilePaused.add(command);
            } else {
                queue.execute(command);
            }
        };
        driver = new ControllerDriver(
                new ControllerDriver.Parts(id, counted, pausable, view, ControllerSettings.DEFAULT, cluster.random()),
                this,
                this);
        BrokersWatch.open(counted, id, pausable, this);
        cluster.settle();
        driver.registered(
                new Registration(
                        "c1",
                        self,
                        known.version(),
                        cluster.entry(MetadataKeys.brokerIncarnation(id))
                                .orElseThrow()
                                .version(),
                        session),
                cluster.nowNs());
        cluster.onTick(now -> {
            if (!isPaused) {
                driver.tick(now);
                view.publish();
            }
        });
    }

    /** Asks it for a change, without waiting for brokers; gives the results as they come. */
    List<AdminResult> admin(AdminWish wish) {
        List<AdminResult> results = new ArrayList<>();
        assertEquals(true, driver.admin(wish, 0, results::add));
        return results;
    }

    /** Stops it for good, as the death of its process would. */
    void kill() {
        isPaused = true;
        cluster.faults().partition(client);
        cluster.faults().expireSession(session);
    }

    /** The record as this broker knows it. */
    PartitionState known(PartitionId id) {
        return Optional.ofNullable(view.record(id)).map(VersionedRecord::state).orElseThrow();
    }

    /** Stops the conductor's thread, as a long pause of the process would. */
    void pause() {
        isPaused = true;
    }

    /** Goes on; the news that came during the pause is handled before the end of the office is noticed. */
    void wakeUpAsZombie() {
        isPaused = false;
        List.copyOf(whilePaused).forEach(Runnable::run);
        whilePaused.clear();
    }

    void brokersSeen(Map<Integer, BrokerRegistration> registered) {
        Map<Integer, KnownBroker> known = new TreeMap<>();
        registered.forEach((id, broker) -> known.put(
                id,
                new KnownBroker(
                        broker,
                        cluster.entry(MetadataKeys.brokerId(id)).orElseThrow().version())));
        brokers(known);
    }

    @Override
    public Transport transport() {
        return transport;
    }

    @Override
    public Hellos hellos() {
        return hellos;
    }

    @Override
    public void recordSeen(VersionedRecord record) {
        view.apply(record);
    }

    @Override
    public void superseded(String reason) {
        driver.superseded(reason);
    }

    @Override
    public void linkLost(int broker, long incarnation) {
        lost.add(new Replica(broker, incarnation));
    }

    @Override
    public void brokenValue(MetadataFormatException value) {
        broken.add(value);
    }

    @Override
    public void inboxRefused(Key key, String reason) {
        refusals.add(key.name() + ": " + reason);
    }

    @Override
    public void attemptFailed(Throwable cause) {
        failures.add(cause);
    }

    @Override
    public void topicChanged(TopicState topic) {
        view.apply(topic);
    }

    @Override
    public void topicDeleted(UUID topicId) {
        view.delete(topicId);
    }

    @Override
    public void wishRefused(String key, String reason) {
        refusedWishes.add(key + ": " + reason);
    }

    @Override
    public boolean isDeletionAllowed() {
        return isDeletionAllowed;
    }

    @Override
    public long nowMs() {
        return cluster.nowNs() / 1_000_000L;
    }

    @Override
    public void brokers(Map<Integer, KnownBroker> registered) {
        view.brokers(registered);
        driver.brokersChanged(cluster.nowNs());
    }

    @Override
    public void ownKey(Optional<Entry> entry, long revision) {
        // The registration is not what is tested here.
    }

    @Override
    public void elected(long epoch) {
        view.publish();
        events.add("elected " + epoch);
    }

    @Override
    public void left(long epoch, @Nullable String reason) {
        events.add("left " + epoch + ": " + reason);
        view.publish();
        assertEquals(ClusterImage.NO_CONTROLLER, view.image().controllerBroker());
    }
}

package io.tidemark.conductor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.controller.ControllerSettings;
import io.tidemark.controller.TopicState;
import io.tidemark.coordination.Coordination;
import io.tidemark.coordination.Key;
import io.tidemark.coordination.Session;
import io.tidemark.coordination.Txn;
import io.tidemark.metadata.MetadataFormatException;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.metadata.MetadataKeys;
import io.tidemark.partition.Replica;
import io.tidemark.transport.ConnectionRefusedException;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.Role;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Broker 2 watches; broker 1 dies; broker 3 is the other witness. */
class DeathWatchTest implements DeathWatch.Events {
    private static final Replica ONE = new Replica(1, 1);
    private static final Replica THREE = new Replica(3, 3);

    private final VirtualCluster cluster = new VirtualCluster();
    private final FakeTransport transport = new FakeTransport();
    private final ClusterView view = new ClusterView();
    private final Hellos hellos = new Hellos(2);
    private final MessageWriter writer = new MessageWriter();
    private final List<Replica> dead = new ArrayList<>();
    private final List<Replica> deposed = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final List<Boolean> verdicts = new ArrayList<>();
    private final Coordination client = cluster.client("broker-2");
    private final DeathWatch watch;

    DeathWatchTest() {
        hellos.registered(2, "c1");
        ConductorQueue queue = cluster.queue("conductor-2");
        ControllerDriver controller = new ControllerDriver(
                new ControllerDriver.Parts(2, client, queue, view, ControllerSettings.DEFAULT, cluster.random()),
                new UnusedHost(transport, hellos),
                new UnusedEvents());
        watch = new DeathWatch(
                new DeathWatch.Parts(2, transport, hellos, view, controller, client),
                new CoordinationCalls(queue),
                this);
        Map<Integer, KnownBroker> registered = new TreeMap<>();
        for (int id = 1; id <= 3; id++) {
            registered.put(id, Records.register(cluster, Records.broker(id, id)));
        }
        view.brokers(registered);
        cluster.onTick(watch::tick);
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    // Nobody else agrees yet: the dead controller's key stays.
    @Test
    void shouldDeposeADeadControllerOnlyWhenAnotherBrokerAgrees() {
        becomeController(ONE);
        die();
        cluster.advance(Duration.ofMillis(20));
        assertEquals(List.of(ONE), dead);
        FakeTransport.FakeConnection witness = transport.last();
        assertEquals("10.0.0.3:7003", witness.remoteAddress());
        assertTrue(cluster.entry(MetadataKeys.CONTROLLER).isPresent());

        witness.open();
        UnsafeBuffer hello = new UnsafeBuffer(witness.sent().get(0));
        assertEquals(
                Role.PROBE.code(),
                new MessageReader().hello(hello, 0, hello.capacity()).role());
        witness.receive(helloReply(3, 3));
        witness.receive(testimony(1, 1, true));
        cluster.advance(Duration.ofMillis(20));

        assertTrue(cluster.entry(MetadataKeys.CONTROLLER).isEmpty());
        assertEquals(List.of(ONE), deposed);
        assertEquals(List.of(), failures);
    }

    // The other broker has not noticed the death, and says so: nothing happens before it is asked again.
    @Test
    void shouldDeposeNobodyWhenTheOtherBrokerHasSeenNoDeath() {
        becomeController(ONE);
        die();
        cluster.advance(Duration.ofMillis(20));
        transport.last().open();
        transport.last().receive(helloReply(3, 3));
        transport.last().receive(testimony(1, 1, false));
        cluster.advance(Duration.ofSeconds(1));

        assertTrue(cluster.entry(MetadataKeys.CONTROLLER).isPresent());
        assertEquals(List.of(), deposed);
    }

    // A restarted witness has seen nothing; who answers on its old port is not the one that was asked.
    @Test
    void shouldTakeNoTestimonyFromAnotherProcess() {
        becomeController(ONE);
        die();
        cluster.advance(Duration.ofMillis(20));
        FakeTransport.FakeConnection witness = transport.last();
        witness.open();
        witness.receive(helloReply(3, 4));
        assertEquals(1, witness.sent().size());
        cluster.advance(Duration.ofSeconds(1));

        assertTrue(cluster.entry(MetadataKeys.CONTROLLER).isPresent());
    }

    // Another controller was elected meanwhile: its key is not touched.
    @Test
    void shouldNotTouchTheKeyOfALaterController() {
        becomeController(THREE);
        view.controller(1, 1);
        die();
        cluster.advance(Duration.ofMillis(20));
        transport.last().open();
        transport.last().receive(helloReply(3, 3));
        transport.last().receive(testimony(1, 1, true));
        cluster.advance(Duration.ofSeconds(1));

        assertEquals(
                THREE,
                MetadataJson.decodeController(
                        "/controller",
                        cluster.entry(MetadataKeys.CONTROLLER).orElseThrow().value()));
        assertEquals(List.of(), deposed);
    }

    // The death of a process that is neither controller nor of interest to one is nobody else's business.
    @Test
    void shouldAskNobodyAboutAProcessThatIsNotController() {
        becomeController(THREE);
        die();
        int connections = transport.connections().size();
        cluster.advance(Duration.ofSeconds(1));

        assertEquals(connections, transport.connections().size());
        assertEquals(List.of(ONE), dead);
    }

    // The witness cannot be reached at first.
    @Test
    void shouldAskAgainWhenTheWitnessCannotBeReached() {
        becomeController(ONE);
        die();
        cluster.advance(Duration.ofMillis(20));
        FakeTransport.FakeConnection first = transport.last();
        first.end(new IOException("connection reset"));
        cluster.advance(Duration.ofMillis(200));

        assertFalse(first == transport.last());
        assertEquals("10.0.0.3:7003", transport.last().remoteAddress());
        cluster.advance(Duration.ofSeconds(30));
        assertFalse(watch.isBusy());
        assertTrue(transport.connections().stream().allMatch(FakeTransport.FakeConnection::isClosed));
    }

    @Test
    void shouldTestifyAsSoonAsItHasFoundTheProcessDead() {
        watch.testify(ONE, verdicts::add);
        cluster.advance(Duration.ofMillis(50));
        assertEquals(List.of(), verdicts);
        assertEquals(0, transport.connections().size(), "a question makes nobody look");

        die();
        cluster.advance(Duration.ofMillis(20));
        assertEquals(List.of(true), verdicts);

        watch.testify(ONE, verdicts::add);
        assertEquals(List.of(true, true), verdicts);
    }

    @Test
    void shouldTestifyThatItHasSeenNothingWhenTheTimeIsOver() {
        watch.testify(ONE, verdicts::add);
        cluster.advance(Duration.ofNanos(DeathWatch.TESTIMONY_WAIT_NS).plusMillis(50));
        assertEquals(List.of(false), verdicts);
    }

    @Test
    void shouldBoundTheQuestionsThatWait() {
        for (int i = 0; i < DeathWatch.TESTIMONIES_MAX; i++) {
            watch.testify(ONE, verdicts::add);
        }
        assertEquals(List.of(), verdicts);
        watch.testify(ONE, verdicts::add);
        assertEquals(List.of(false), verdicts);
    }

    private void die() {
        watch.connectionLost(1, 1, cluster.nowNs());
        transport.last().end(new ConnectionRefusedException("refused: 10.0.0.1:7001", new IOException("refused")));
    }

    private void becomeController(Replica process) {
        Coordination owner = cluster.client("controller");
        Session session = owner.openSession(VirtualCluster.TTL.multipliedBy(100))
                .toCompletableFuture()
                .join();
        assertTrue(cluster.commitAs(
                        owner,
                        Txn.builder()
                                .createEphemeral(
                                        MetadataKeys.CONTROLLER, MetadataJson.encodeController(process), session)
                                .create(MetadataKeys.CONTROLLER_EPOCH, "1".getBytes(StandardCharsets.UTF_8))
                                .build())
                .isCommitted());
        view.controller(process.broker(), 1);
    }

    private byte[] helloReply(int broker, long incarnation) {
        writer.helloReply()
                .code(ErrorCode.NONE.code())
                .brokerId(broker)
                .incarnation(incarnation)
                .clusterId("c1")
                .message("");
        return writer.copy();
    }

    private byte[] testimony(int broker, long incarnation, boolean isDead) {
        writer.witnessReply()
                .correlationId(0)
                .brokerId(broker)
                .incarnation(incarnation)
                .isDead((short) (isDead ? 1 : 0));
        return writer.copy();
    }

    @Override
    public void peerDead(int broker, long incarnation) {
        dead.add(new Replica(broker, incarnation));
    }

    @Override
    public void deposed(Replica controller, Set<Replica> witnesses) {
        deposed.add(controller);
        assertEquals(Set.of(THREE), witnesses);
    }

    @Override
    public void attemptFailed(Throwable cause) {
        failures.add(cause);
    }

    /** The driver never takes office here. */
    private record UnusedHost(FakeTransport transport, Hellos hellos) implements OfficeHost {
        @Override
        public void recordSeen(VersionedRecord record) {
            throw new AssertionError("not in office: record=" + record);
        }

        @Override
        public void superseded(String reason) {
            throw new AssertionError("not in office: reason=" + reason);
        }

        @Override
        public void linkLost(int broker, long incarnation) {
            throw new AssertionError("not in office: broker=" + broker);
        }

        @Override
        public void brokenValue(MetadataFormatException broken) {
            throw new AssertionError(broken);
        }

        @Override
        public void inboxRefused(Key key, String reason) {
            throw new AssertionError("not in office: key=" + key);
        }

        @Override
        public void attemptFailed(Throwable cause) {
            throw new AssertionError(cause);
        }

        @Override
        public void topicChanged(TopicState topic) {
            throw new AssertionError("not in office: topic=" + topic);
        }

        @Override
        public void topicDeleted(UUID topicId) {
            throw new AssertionError("not in office: topicId=" + topicId);
        }

        @Override
        public void wishRefused(String key, String reason) {
            throw new AssertionError("not in office: key=" + key);
        }

        @Override
        public boolean isDeletionAllowed() {
            return false;
        }

        @Override
        public long nowMs() {
            return 0;
        }
    }

    /** Nor does it leave office. */
    private static final class UnusedEvents implements ControllerDriver.Events {
        @Override
        public void elected(long epoch) {
            throw new AssertionError("elected: epoch=" + epoch);
        }

        @Override
        public void left(long epoch, String reason) {
            throw new AssertionError("left: epoch=" + epoch);
        }
    }
}

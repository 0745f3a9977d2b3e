package io.tidemark.conductor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.conductor.FakeTransport.FakeConnection;
import io.tidemark.controller.BrokerRegistration;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.PartitionState;
import io.tidemark.partition.Replica;
import io.tidemark.partition.StateVersion;
import io.tidemark.transport.Transport;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.Role;
import io.tidemark.wire.sbe.UpdateStatesRequestDecoder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Broker 1 is controller and sends records to broker 2. */
class StatePublisherTest implements BrokerLink.Office {
    private static final Replica ONE = new Replica(1, 1);

    private final FakeTransport transport = new FakeTransport();
    private final Hellos hellos = new Hellos(1);
    private final ClusterView view = new ClusterView();
    private final StatePublisher publisher = new StatePublisher(this, new SplittableRandom(3));
    private final List<Long> supersededBy = new ArrayList<>();
    private final List<Replica> lost = new ArrayList<>();
    private final List<String> taken = new ArrayList<>();
    private long nowNs = 77;

    /** What one request said. */
    private record Sent(long correlationId, long epoch, boolean full, Map<PartitionId, PartitionState> states) {}

    // A broker that connects gets everything, in one or more requests, the last of which says so.
    @Test
    void shouldSendEverythingInPartsWhenABrokerConnects() {
        for (int i = 0; i < BrokerLink.RECORDS_MAX + 20; i++) {
            view.apply(record(i, 0));
        }
        FakeConnection connection = connect(2, 1);

        Sent first = last(connection);
        assertEquals(BrokerLink.RECORDS_MAX, first.states().size());
        assertEquals(4, first.epoch());
        assertEquals(false, first.full());
        connection.receive(reply(first, ErrorCode.NONE, 4));
        pass(Duration.ofMillis(10));
        Sent second = last(connection);
        assertEquals(20, second.states().size());
        assertEquals(true, second.full());
    }

    // A link that breaks by itself is reported; one that the controller ends is not.
    @Test
    void shouldReportALinkThatBreaks() {
        FakeConnection connection = connect(2, 1);
        connection.end(new IOException("connection reset"));
        assertEquals(List.of(new Replica(2, 1)), lost);

        connect(2, 1);
        publisher.close();
        assertEquals(1, lost.size());
    }

    @Test
    void shouldSayWhoIsControllerWhenThereIsNothingElseToSay() {
        FakeConnection connection = connect(2, 1);

        assertEquals(new Sent(1, 4, true, Map.of()), last(connection));
        UnsafeBuffer hello = new UnsafeBuffer(connection.sent().get(0));
        var decoder = new MessageReader().hello(hello, 0, hello.capacity());
        assertEquals(Role.CONTROLLER.code(), decoder.role());
        assertEquals(4, decoder.controllerEpoch());
    }

    // Many changes of one partition while a request is under way: the newest is sent, once.
    @Test
    void shouldSendOnlyTheNewestRecordWhenThereWereManyMeanwhile() {
        FakeConnection connection = connect(2, 1);
        Sent first = last(connection);
        for (int epoch = 0; epoch < 50; epoch++) {
            view.apply(record(3, epoch));
            publisher.publish(record(3, epoch).id());
            pass(Duration.ofMillis(1));
        }
        assertEquals(2, connection.sent().size(), "hello and one request");

        connection.receive(reply(first, ErrorCode.NONE, 4));
        pass(Duration.ofMillis(1));

        Sent second = last(connection);
        assertEquals(Map.of(record(3, 49).id(), record(3, 49).state()), second.states());
        connection.receive(reply(second, ErrorCode.NONE, 4));
        pass(Duration.ofMillis(100));
        assertEquals(3, connection.sent().size());
    }

    // Only what a broker was sent and has answered counts as known to it.
    @Test
    void shouldTellWhatABrokerHasTaken() {
        view.apply(record(5, 0));
        FakeConnection connection = connect(2, 1);
        assertEquals(List.of(), taken);

        connection.receive(reply(last(connection), ErrorCode.NONE, 4));

        assertEquals(List.of("2:5"), taken);
    }

    // A quiet controller is heard of nevertheless, so that brokers need not read everything again.
    @Test
    void shouldSayThatItIsThereWhenItIsQuietForLong() {
        FakeConnection connection = connect(2, 1);
        connection.receive(reply(last(connection), ErrorCode.NONE, 4));

        pass(Duration.ofNanos(BrokerLink.HEARTBEAT_NS).plusMillis(10));

        assertEquals(3, connection.sent().size());
        assertEquals(new Sent(2, 4, false, Map.of()), last(connection));
    }

    @Test
    void shouldResignWhenABrokerHasSeenALaterController() {
        FakeConnection connection = connect(2, 1);

        connection.receive(reply(last(connection), ErrorCode.STALE_CONTROLLER_EPOCH, 6));

        assertEquals(List.of(6L), supersededBy);
    }

    // The port was taken over by a later life that is not registered yet.
    @Test
    void shouldSendNothingWhenAnotherIncarnationAnswers() {
        publisher.onBrokers(Map.of(2, Records.broker(2, 1)), nowNs);
        pass(Duration.ofMillis(1));
        FakeConnection connection = transport.last();
        connection.open();
        connection.receive(helloReply(2, 9));

        assertEquals(1, connection.sent().size());
        assertTrue(connection.isClosed());
    }

    // A broker that does not answer is given up, and connected to again; then it gets everything again.
    @Test
    void shouldConnectAgainWhenABrokerDoesNotAnswer() {
        view.apply(record(0, 0));
        FakeConnection mute = connect(2, 1);
        pass(Duration.ofNanos(BrokerLink.TIMEOUT_NS).plusMillis(10));
        assertTrue(mute.isClosed());

        pass(Duration.ofSeconds(2));
        FakeConnection again = transport.last();
        again.open();
        again.receive(helloReply(2, 1));

        assertEquals(2, transport.connections().size());
        assertEquals(1, last(again).states().size());
        assertEquals(true, last(again).full());
    }

    // Nothing is kept for a broker that is gone; a new life gets a connection of its own.
    @Test
    void shouldFollowTheRegistrations() {
        FakeConnection first = connect(2, 1);
        publisher.onBrokers(Map.of(2, Records.broker(2, 5), 1, Records.broker(1, 1)), nowNs);
        assertTrue(first.isClosed());
        pass(Duration.ofMillis(1));
        assertEquals(2, transport.connections().size());
        transport.last().open();
        transport.last().receive(helloReply(2, 5));
        assertEquals(2, transport.last().sent().size());

        publisher.onBrokers(Map.of(), nowNs);
        assertTrue(transport.last().isClosed());
        pass(Duration.ofSeconds(30));
        assertEquals(2, transport.connections().size());
    }

    // H18: a broker is away for 10 000 changes and 100 deletions. Nothing is kept for it meanwhile; when it returns it
    // gets the deletions, then each of the five partitions once.
    @Test
    void shouldKeepNothingForABrokerThatIsAwayForTenThousandChanges() {
        connect(2, 1);
        publisher.onBrokers(Map.of(), nowNs);
        PartitionState state = Records.state(ONE);
        for (int change = 0; change < 10_000; change++) {
            state = state.withIsr(state.isr(), state.elr());
            PartitionId id = new PartitionId(Records.TOPIC.topicId(), change % 5);
            view.apply(new VersionedRecord(Records.TOPIC, id, state, new StateVersion(1, change, change)));
            publisher.publish(id);
            if (change % 100 == 0) {
                view.delete(new UUID(9, change));
                publisher.publishDeletion(new UUID(9, change));
            }
        }
        assertEquals(1, transport.connections().size());

        FakeConnection back = connect(2, 7);

        assertEquals(2, back.sent().size(), "hello and one request");
        Sent all = last(back);
        assertEquals(5, all.states().size());
        assertEquals(state, all.states().get(new PartitionId(Records.TOPIC.topicId(), 4)));
        back.receive(reply(all, ErrorCode.NONE, 4));
        assertEquals(105, taken.size());
        pass(Duration.ofSeconds(1));
        assertEquals(2, back.sent().size());
    }

    // A broker that answered knows of the deletion; records of other topics do not overtake it.
    @Test
    void shouldSendDeletionsBeforeRecords() {
        for (int i = 0; i < BrokerLink.DELETIONS_MAX + 1; i++) {
            view.delete(new UUID(9, i));
        }
        view.apply(record(0, 0));
        FakeConnection connection = connect(2, 1);
        Sent first = last(connection);
        assertEquals(Map.of(), first.states());
        connection.receive(reply(first, ErrorCode.NONE, 4));
        assertEquals(BrokerLink.DELETIONS_MAX, taken.size());

        pass(Duration.ofMillis(10));
        Sent second = last(connection);
        assertEquals(1, second.states().size());
        connection.receive(reply(second, ErrorCode.NONE, 4));
        assertEquals(BrokerLink.DELETIONS_MAX + 2, taken.size());
    }

    private FakeConnection connect(int broker, long incarnation) {
        Map<Integer, BrokerRegistration> registered = new TreeMap<>();
        registered.put(broker, Records.broker(broker, incarnation));
        publisher.onBrokers(registered, nowNs);
        pass(Duration.ofMillis(1));
        FakeConnection connection = transport.last();
        connection.open();
        connection.receive(helloReply(broker, incarnation));
        return connection;
    }

    private void pass(Duration time) {
        long endNs = nowNs + time.toNanos();
        while (nowNs < endNs) {
            nowNs = Math.min(endNs, nowNs + TimeUnit.MILLISECONDS.toNanos(10));
            publisher.tick(nowNs);
        }
    }

    private static VersionedRecord record(int partition, int partitionEpoch) {
        PartitionState state = Records.state(ONE);
        for (int i = 0; i < partitionEpoch; i++) {
            state = state.withIsr(state.isr(), state.elr());
        }
        return new VersionedRecord(
                Records.TOPIC,
                new PartitionId(Records.TOPIC.topicId(), partition),
                state,
                new StateVersion(1, 2 + partitionEpoch, partitionEpoch));
    }

    private static Sent last(FakeConnection connection) {
        byte[] bytes = connection.sent().get(connection.sent().size() - 1);
        UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        UpdateStatesRequestDecoder request = new MessageReader().updateStatesRequest(buffer, 0, bytes.length);
        Sent sent = new Sent(
                request.correlationId(),
                request.controllerEpoch(),
                request.full() == 1,
                new TreeMap<>(Comparator.comparing(PartitionId::partition)));
        for (UpdateStatesRequestDecoder.StatesDecoder state : request.states()) {
            PartitionId id = new PartitionId(new UUID(state.topicIdHigh(), state.topicIdLow()), state.partition());
            assertEquals(Records.TOPIC.name(), state.topicName());
            byte[] topicJson = new byte[state.topicJsonLength()];
            state.getTopicJson(topicJson, 0, topicJson.length);
            assertEquals(Records.TOPIC, MetadataJson.decodeTopic("test", topicJson));
            byte[] stateJson = new byte[state.stateJsonLength()];
            state.getStateJson(stateJson, 0, stateJson.length);
            sent.states().put(id, MetadataJson.decodePartition("test", stateJson));
        }
        return sent;
    }

    private static byte[] helloReply(int broker, long incarnation) {
        MessageWriter writer = new MessageWriter();
        writer.helloReply()
                .code(ErrorCode.NONE.code())
                .brokerId(broker)
                .incarnation(incarnation)
                .clusterId("c1")
                .message("");
        return writer.copy();
    }

    private static byte[] reply(Sent to, ErrorCode code, long epoch) {
        MessageWriter writer = new MessageWriter();
        writer.updateStatesReply()
                .correlationId(to.correlationId())
                .code(code.code())
                .controllerEpoch(epoch);
        return writer.copy();
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
    public ClusterView view() {
        return view;
    }

    @Override
    public int brokerId() {
        return 1;
    }

    @Override
    public long controllerEpoch() {
        return 4;
    }

    @Override
    public void taken(int broker, List<VersionedRecord> records, List<UUID> deleted) {
        records.forEach(record -> taken.add(broker + ":" + record.id().partition()));
        deleted.forEach(topicId -> taken.add(broker + ":deleted " + topicId));
    }

    @Override
    public void superseded(long epoch) {
        supersededBy.add(epoch);
    }

    @Override
    public void linkLost(int broker, long incarnation) {
        lost.add(new Replica(broker, incarnation));
    }
}

package io.tidemark.conductor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.controller.AddPartitions;
import io.tidemark.controller.AdminResult;
import io.tidemark.controller.AdminWish;
import io.tidemark.controller.CreateTopic;
import io.tidemark.controller.Placement;
import io.tidemark.controller.TopicConfig;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.partition.Durability;
import io.tidemark.partition.Replica;
import io.tidemark.partition.StateVersion;
import io.tidemark.wire.AdminAnswer;
import io.tidemark.wire.AdminCommand;
import io.tidemark.wire.AdminOperation;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.WireFormatException;
import io.tidemark.wire.sbe.AdminReplyDecoder;
import io.tidemark.wire.sbe.AdminRequestEncoder;
import io.tidemark.wire.sbe.DescribeBrokerRequestEncoder;
import io.tidemark.wire.sbe.InitProducerIdReplyDecoder;
import io.tidemark.wire.sbe.InitProducerIdRequestEncoder;
import io.tidemark.wire.sbe.ProduceRequestEncoder;
import io.tidemark.wire.sbe.UpdateStatesReplyDecoder;
import io.tidemark.wire.sbe.UpdateStatesRequestEncoder;
import io.tidemark.wire.sbe.WitnessReplyDecoder;
import io.tidemark.wire.sbe.WitnessRequestDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Requests that the lane forwards, and their answers. */
class ControlRequestsTest implements ControlRequests.Host {
    private static final long CONNECTION = 31;
    private static final int MIN_ISR_DEFAULT = 4;

    private final MessageWriter writer = new MessageWriter();
    private final MessageReader reader = new MessageReader();
    private final ControlRequests requests = new ControlRequests(1, MIN_ISR_DEFAULT, this);
    private final List<byte[]> replies = new ArrayList<>();
    private final List<AdminWish> wishes = new ArrayList<>();
    private final List<VersionedRecord> received = new ArrayList<>();
    private final List<UUID> receivedDeletions = new ArrayList<>();
    private @Nullable AdminResult result;
    private boolean isController = true;
    private boolean givesIds = true;
    private @Nullable Throwable idFailure;
    private final Map<Replica, Consumer<Boolean>> asked = new HashMap<>();
    private long epoch = 5;
    private long waitNs;

    // Another broker asks whether this one has found a process dead; the answer may come late.
    @Test
    void shouldTestifyWhenTheVerdictIsThere() {
        writer.witnessRequest().correlationId(9).brokerId(2).incarnation(7);
        byte[] message = writer.copy();
        requests.handle(CONNECTION, WitnessRequestDecoder.TEMPLATE_ID, message);
        assertEquals(List.of(), replies);

        Objects.requireNonNull(asked.get(new Replica(2, 7))).accept(true);

        byte[] reply = replies.get(0);
        WitnessReplyDecoder decoder = reader.witnessReply(new UnsafeBuffer(reply), 0, reply.length);
        assertEquals(9, decoder.correlationId());
        assertEquals(2, decoder.brokerId());
        assertEquals(7, decoder.incarnation());
        assertEquals(1, decoder.isDead());
    }

    @Test
    void shouldRefuseAWitnessRequestThatNamesNoProcess() {
        writer.witnessRequest().correlationId(9).brokerId(-1).incarnation(7);
        byte[] message = writer.copy();

        WireFormatException refused = assertThrows(
                WireFormatException.class,
                () -> requests.handle(CONNECTION, WitnessRequestDecoder.TEMPLATE_ID, message));

        assertEquals("no such process: message=WitnessRequest, brokerId=-1, incarnation=7", refused.getMessage());
        assertEquals(Map.of(), asked);
    }

    @Test
    void shouldAnswerWithTheNewTopic() {
        result = new AdminResult.Done(Records.TOPIC);

        AdminAnswer reply = createTopic(3, 3, 2);

        assertEquals(new AdminAnswer(ErrorCode.NONE, Records.TOPIC.topicId(), List.of(), ""), reply);
        assertEquals(new CreateTopic("orders", 3, 3, 2, Durability.REPLICATED), wishes.get(0));
    }

    // The minimum of in-sync replicas that nobody named is the broker's setting.
    @Test
    void shouldFillInTheMinimumOfTheConfigurationWhenTheClientNamesNone() {
        result = new AdminResult.Exists("x");
        createTopic(3, 3, 0);
        createTopic(3, 3, -1);

        assertEquals(MIN_ISR_DEFAULT, ((CreateTopic) wishes.get(0)).minIsr());
        assertEquals(MIN_ISR_DEFAULT, ((CreateTopic) wishes.get(1)).minIsr());
    }

    @Test
    void shouldPassOnWhyThereIsNoTopic() {
        result = new AdminResult.Exists("it is there");
        assertRefused(ErrorCode.TOPIC_EXISTS, "it is there");
        result = new AdminResult.Refused("too few brokers");
        assertRefused(ErrorCode.INVALID_REQUEST, "too few brokers");
        result = new AdminResult.Busy("not now");
        assertRefused(ErrorCode.BACK_PRESSURE, "not now");
        result = new AdminResult.Unknown("not there");
        assertRefused(ErrorCode.UNKNOWN_TOPIC, "not there");
        result = new AdminResult.NoChange("so already");
        assertRefused(ErrorCode.NO_CHANGE, "so already");
        result = null;
        assertRefused(ErrorCode.NOT_CONTROLLER, "the broker is not the controller: brokerId=1; ask the controller");
        isController = false;
        assertRefused(ErrorCode.NOT_CONTROLLER, "the broker is not the controller: brokerId=1; ask the controller");
    }

    @Test
    void shouldGiveANewProducerIdWithEpochZero() {
        InitProducerIdReplyDecoder reply = initProducerId(-1, (short) -1);

        assertEquals(ErrorCode.NONE, ErrorCode.of(reply.code()));
        assertEquals(900, reply.producerId());
        assertEquals(0, reply.producerEpoch());
    }

    // After an outcome that is not known, a producer raises its epoch; when there is none left, it gets another id.
    @Test
    void shouldRaiseTheEpochOfAProducerThatHasAnId() {
        InitProducerIdReplyDecoder reply = initProducerId(77, (short) 3);
        assertEquals(77, reply.producerId());
        assertEquals(4, reply.producerEpoch());

        InitProducerIdReplyDecoder last = initProducerId(77, (short) (Short.MAX_VALUE - 1));
        assertEquals(900, last.producerId());
        assertEquals(0, last.producerEpoch());
    }

    @Test
    void shouldSayThatThereIsNoProducerIdNow() {
        idFailure = new IllegalStateException("no quorum");
        InitProducerIdReplyDecoder failed = initProducerId(-1, (short) -1);
        assertEquals(ErrorCode.COORDINATION_LOST, ErrorCode.of(failed.code()));
        assertEquals("no producer id could be taken: brokerId=1, reason=no quorum", failed.message());

        givesIds = false;
        InitProducerIdReplyDecoder refused = initProducerId(-1, (short) -1);
        assertEquals(ErrorCode.BACK_PRESSURE, ErrorCode.of(refused.code()));
        assertEquals("too many requests for a producer id wait: brokerId=1, max=1024", refused.message());
    }

    // I-16, CP-01: a message of an older controller changes nothing.
    @Test
    void shouldRefuseRecordsOfAnOlderController() {
        UpdateStatesReplyDecoder reply = updateStates(4);

        assertEquals(ErrorCode.STALE_CONTROLLER_EPOCH, ErrorCode.of(reply.code()));
        assertEquals(5, reply.controllerEpoch());
        assertEquals(List.of(), received);
        assertEquals(List.of(), receivedDeletions);
    }

    @Test
    void shouldTakeRecordsOfTheSameOrALaterController() {
        assertEquals(ErrorCode.NONE, ErrorCode.of(updateStates(5).code()));
        assertEquals(ErrorCode.NONE, ErrorCode.of(updateStates(6).code()));

        assertEquals(2, received.size());
        assertEquals(List.of(new UUID(5, 6), new UUID(5, 6)), receivedDeletions);
        assertEquals(record(), received.get(0));
        assertEquals(6, epoch);
        assertEquals(
                ErrorCode.STALE_CONTROLLER_EPOCH, ErrorCode.of(updateStates(5).code()));
    }

    @Test
    void shouldRefuseRecordsThatCannotBeRead() {
        encodeStates(5, "{\"leader\":".getBytes(StandardCharsets.UTF_8));
        requests.handle(CONNECTION, UpdateStatesRequestEncoder.TEMPLATE_ID, writer.copy());

        UnsafeBuffer reply = last();
        assertEquals(
                ErrorCode.INVALID_REQUEST,
                ErrorCode.of(
                        reader.updateStatesReply(reply, 0, reply.capacity()).code()));
        assertEquals(List.of(), received);
    }

    @Test
    void shouldTellCountersAndIncarnation() {
        writer.describeBrokerRequest().correlationId(9);
        requests.handle(CONNECTION, DescribeBrokerRequestEncoder.TEMPLATE_ID, writer.copy());

        UnsafeBuffer bytes = last();
        var reply = reader.describeBrokerReply(bytes, 0, bytes.capacity());
        assertEquals(1, reply.brokerId());
        assertEquals(12, reply.incarnation());
        Map<String, Long> counters = new TreeMap<>();
        for (var counter : reply.counters()) {
            counters.put(counter.name(), counter.value());
        }
        assertEquals(counters(), counters);
    }

    @Test
    void shouldRefuseWhatIsNoRequestForTheConductor() {
        WireFormatException wrongKind = assertThrows(
                WireFormatException.class,
                () -> requests.handle(CONNECTION, ProduceRequestEncoder.TEMPLATE_ID, new byte[16]));
        assertEquals("not a request for the conductor: templateId=3", wrongKind.getMessage());

        assertThrows(
                WireFormatException.class,
                () -> requests.handle(CONNECTION, AdminRequestEncoder.TEMPLATE_ID, new byte[9]));
        assertTrue(replies.isEmpty());
    }

    // A broker that has not answered in time: the topic is there, and the answer says which one.
    @Test
    void shouldPassOnWhoDidNotAnswer() {
        result = new AdminResult.Unanswered(Records.TOPIC, "not yet: withoutAnswer=[3]");

        assertEquals(
                new AdminAnswer(
                        ErrorCode.REPLICAS_NOT_READY, Records.TOPIC.topicId(), List.of(), "not yet: withoutAnswer=[3]"),
                createTopic(3, 3, 2));
        assertEquals(1_000_000_000L, waitNs);
    }

    // What this version does not know is refused, and not taken for something else.
    @Test
    void shouldRefuseCommandsThatItDoesNotUnderstand() {
        assertInvalid(
                new AdminCommand((short) 99, 0, "t", Map.of(), List.of()),
                "unknown operation: operation=99; the client is newer than the broker, update the brokers");
        assertInvalid(
                command(Map.of("color", "red"), List.of()),
                "unknown setting: topic=t, setting=color; known are [min.isr, partitions, placement,"
                        + " replication.factor, retention.bytes, retention.ms]");
        assertInvalid(
                command(Map.of("partitions", "many"), List.of()),
                "a setting must be a whole number: topic=t, partitions=many");
        assertInvalid(
                command(Map.of("placement", "ROUND"), List.of()),
                "unknown placement: topic=t, placement=ROUND; known are [SPREAD, SEQUENTIAL]");
        assertInvalid(
                command(Map.of(), List.of(new AdminCommand.Target("", 1, List.of(1)))),
                "the assignment must name the new partitions in order: topic=t, partition=1, expected=0");
        assertTrue(wishes.isEmpty());
    }

    // Every part of a command arrives.
    @Test
    void shouldTakeCommandsWithAllTheirParts() {
        result = new AdminResult.Done(Records.TOPIC);
        send(command(
                Map.of("placement", "sequential"),
                List.of(new AdminCommand.Target("", 0, List.of(3, 1)), new AdminCommand.Target("", 1, List.of(1, 2)))));
        send(new AdminCommand(
                AdminOperation.ADD_PARTITIONS.code(),
                0,
                "t",
                Map.of("partitions", "5"),
                List.of(new AdminCommand.Target("", 4, List.of(2)))));

        assertEquals(
                new CreateTopic(
                        "t",
                        -1,
                        -1,
                        MIN_ISR_DEFAULT,
                        Durability.REPLICATED,
                        Placement.SEQUENTIAL,
                        List.of(List.of(3, 1), List.of(1, 2)),
                        TopicConfig.DEFAULT),
                wishes.get(0));
        assertEquals(new AddPartitions("t", 5, Placement.SPREAD, List.of(List.of(2))), wishes.get(1));
    }

    private static AdminCommand command(Map<String, String> settings, List<AdminCommand.Target> targets) {
        return new AdminCommand(AdminOperation.CREATE_TOPIC.code(), 0, "t", settings, targets);
    }

    private void assertInvalid(AdminCommand command, String text) {
        assertEquals(AdminAnswer.of(ErrorCode.INVALID_REQUEST, text), send(command));
    }

    private void assertRefused(ErrorCode code, String text) {
        assertEquals(AdminAnswer.of(code, text), createTopic(3, 3, 2));
    }

    private AdminAnswer createTopic(int partitions, int replicationFactor, int minIsr) {
        return send(new AdminCommand(
                AdminOperation.CREATE_TOPIC.code(),
                1000,
                "orders",
                Map.of(
                        "partitions", Integer.toString(partitions),
                        "replication.factor", Integer.toString(replicationFactor),
                        "min.isr", Integer.toString(minIsr)),
                List.of()));
    }

    private AdminAnswer send(AdminCommand command) {
        command.encode(writer, 7);
        requests.handle(CONNECTION, AdminRequestEncoder.TEMPLATE_ID, writer.copy());
        UnsafeBuffer reply = last();
        AdminReplyDecoder decoder = reader.adminReply(reply, 0, reply.capacity());
        assertEquals(7, decoder.correlationId());
        return AdminAnswer.decode(decoder);
    }

    private InitProducerIdReplyDecoder initProducerId(long previousId, short previousEpoch) {
        writer.initProducerIdRequest()
                .correlationId(8)
                .previousProducerId(previousId)
                .previousEpoch(previousEpoch);
        requests.handle(CONNECTION, InitProducerIdRequestEncoder.TEMPLATE_ID, writer.copy());
        UnsafeBuffer reply = last();
        return reader.initProducerIdReply(reply, 0, reply.capacity());
    }

    private UpdateStatesReplyDecoder updateStates(long controllerEpoch) {
        encodeStates(controllerEpoch, MetadataJson.encode(record().state()));
        requests.handle(CONNECTION, UpdateStatesRequestEncoder.TEMPLATE_ID, writer.copy());
        UnsafeBuffer reply = last();
        return reader.updateStatesReply(reply, 0, reply.capacity());
    }

    private void encodeStates(long controllerEpoch, byte[] stateJson) {
        byte[] topicJson = MetadataJson.encode(Records.TOPIC);
        UpdateStatesRequestEncoder request = writer.updateStatesRequest()
                .correlationId(6)
                .controllerBroker(2)
                .controllerEpoch(controllerEpoch)
                .full((short) 0);
        request.statesCount(1)
                .next()
                .topicIdHigh(Records.TOPIC.topicId().getMostSignificantBits())
                .topicIdLow(Records.TOPIC.topicId().getLeastSignificantBits())
                .partition(0)
                .createRevision(3)
                .modRevision(4)
                .casToken(5)
                .topicName(Records.TOPIC.name())
                .putTopicJson(topicJson, 0, topicJson.length)
                .putStateJson(stateJson, 0, stateJson.length);
        request.deletedCount(1).next().topicIdHigh(5).topicIdLow(6);
    }

    private static VersionedRecord record() {
        return new VersionedRecord(
                Records.TOPIC, Records.P0, Records.state(new Replica(1, 1)), new StateVersion(3, 4, 5));
    }

    private UnsafeBuffer last() {
        return new UnsafeBuffer(replies.get(replies.size() - 1));
    }

    @Override
    public void reply(long connectionId, byte[] message) {
        assertEquals(CONNECTION, connectionId);
        replies.add(message);
    }

    @Override
    public boolean admin(AdminWish wish, long wait, Consumer<@Nullable AdminResult> reply) {
        wishes.add(wish);
        waitNs = wait;
        if (isController) {
            reply.accept(result);
        }
        return isController;
    }

    @Override
    public boolean nextProducerId(ProducerIds.Receiver receiver) {
        if (givesIds && idFailure == null) {
            receiver.given(900);
        } else if (givesIds && idFailure != null) {
            receiver.failed(idFailure);
        }
        return givesIds;
    }

    @Override
    public long controllerEpoch() {
        return epoch;
    }

    @Override
    public void statesFromController(
            int broker, long controllerEpoch, List<VersionedRecord> records, List<UUID> deleted) {
        epoch = controllerEpoch;
        received.addAll(records);
        receivedDeletions.addAll(deleted);
    }

    @Override
    public void testify(Replica process, Consumer<Boolean> verdict) {
        asked.put(process, verdict);
    }

    @Override
    public Map<String, Long> counters() {
        return Map.of("a", 1L, "b", 2L);
    }

    @Override
    public long incarnation() {
        return 12;
    }
}

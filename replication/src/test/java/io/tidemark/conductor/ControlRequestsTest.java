package io.tidemark.conductor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tidemark.controller.CreateTopic;
import io.tidemark.controller.CreateTopicResult;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.partition.Durability;
import io.tidemark.partition.Replica;
import io.tidemark.partition.StateVersion;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.WireFormatException;
import io.tidemark.wire.sbe.CreateTopicReplyDecoder;
import io.tidemark.wire.sbe.CreateTopicRequestEncoder;
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
    private final List<CreateTopic> wishes = new ArrayList<>();
    private final List<VersionedRecord> received = new ArrayList<>();
    private @Nullable CreateTopicResult result;
    private boolean isController = true;
    private boolean givesIds = true;
    private @Nullable Throwable idFailure;
    private final Map<Replica, Consumer<Boolean>> asked = new HashMap<>();
    private long epoch = 5;

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
        result = new CreateTopicResult.Created(Records.TOPIC);

        CreateTopicReplyDecoder reply = createTopic(3, 3, 2);

        assertEquals(ErrorCode.NONE, ErrorCode.of(reply.code()));
        assertEquals(7, reply.correlationId());
        assertEquals(Records.TOPIC.topicId().getMostSignificantBits(), reply.topicIdHigh());
        assertEquals(Records.TOPIC.topicId().getLeastSignificantBits(), reply.topicIdLow());
        assertEquals(new CreateTopic("orders", 3, 3, 2, Durability.REPLICATED), wishes.get(0));
    }

    // The minimum of in-sync replicas that nobody named is the broker's setting.
    @Test
    void shouldFillInTheMinimumOfTheConfigurationWhenTheClientNamesNone() {
        result = new CreateTopicResult.Exists("x");
        createTopic(3, 3, 0);
        createTopic(3, 3, -1);

        assertEquals(MIN_ISR_DEFAULT, wishes.get(0).minIsr());
        assertEquals(MIN_ISR_DEFAULT, wishes.get(1).minIsr());
    }

    @Test
    void shouldPassOnWhyThereIsNoTopic() {
        result = new CreateTopicResult.Exists("it is there");
        assertRefused(ErrorCode.TOPIC_EXISTS, "it is there");
        result = new CreateTopicResult.Refused("too few brokers");
        assertRefused(ErrorCode.INVALID_REQUEST, "too few brokers");
        result = new CreateTopicResult.Failed("not known");
        assertRefused(ErrorCode.COORDINATION_LOST, "not known");
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
    }

    @Test
    void shouldTakeRecordsOfTheSameOrALaterController() {
        assertEquals(ErrorCode.NONE, ErrorCode.of(updateStates(5).code()));
        assertEquals(ErrorCode.NONE, ErrorCode.of(updateStates(6).code()));

        assertEquals(2, received.size());
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
                () -> requests.handle(CONNECTION, CreateTopicRequestEncoder.TEMPLATE_ID, new byte[9]));
        assertTrue(replies.isEmpty());
    }

    private void assertRefused(ErrorCode code, String text) {
        CreateTopicReplyDecoder reply = createTopic(3, 3, 2);
        assertEquals(code, ErrorCode.of(reply.code()));
        assertEquals(0, reply.topicIdHigh());
        assertEquals(text, reply.message());
    }

    private CreateTopicReplyDecoder createTopic(int partitions, int replicationFactor, int minIsr) {
        writer.createTopicRequest()
                .correlationId(7)
                .partitions(partitions)
                .replicationFactor((short) replicationFactor)
                .minIsr((short) minIsr)
                .timeoutMs(1000)
                .name("orders");
        requests.handle(CONNECTION, CreateTopicRequestEncoder.TEMPLATE_ID, writer.copy());
        UnsafeBuffer reply = last();
        return reader.createTopicReply(reply, 0, reply.capacity());
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
        writer.updateStatesRequest()
                .correlationId(6)
                .controllerBroker(2)
                .controllerEpoch(controllerEpoch)
                .full((short) 0)
                .statesCount(1)
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
    public boolean createTopic(CreateTopic request, Consumer<@Nullable CreateTopicResult> reply) {
        wishes.add(request);
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
    public void statesFromController(int broker, long controllerEpoch, List<VersionedRecord> records) {
        epoch = controllerEpoch;
        received.addAll(records);
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

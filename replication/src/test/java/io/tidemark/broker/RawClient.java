package io.tidemark.broker;

import io.tidemark.controller.TopicState;
import io.tidemark.controller.VersionedState;
import io.tidemark.log.RecordBatch;
import io.tidemark.log.RecordCursor;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.transport.Connection;
import io.tidemark.transport.ConnectionHandler;
import io.tidemark.transport.Frame;
import io.tidemark.transport.NettyTransport;
import io.tidemark.transport.Transport;
import io.tidemark.wire.AdminAnswer;
import io.tidemark.wire.AdminCommand;
import io.tidemark.wire.AdminOperation;
import io.tidemark.wire.AdminSettings;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.FrameDescriptor;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.Role;
import io.tidemark.wire.sbe.UpdateStatesRequestEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** Speaks the wire protocol with one broker, one request at a time. Owned by the test's thread. */
final class RawClient implements AutoCloseable, ConnectionHandler {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);

    private final Transport transport = NettyTransport.factory().open("raw-client");
    private final Connection connection;
    private final MessageWriter writer = new MessageWriter();
    private final MessageReader reader = new MessageReader();
    private final Deque<byte[]> frames = new ArrayDeque<>();
    private byte[] payload = {};
    private @Nullable Throwable failure;
    private boolean isOpen;
    private boolean isClosed;
    private long correlationId;

    RawClient(String address) {
        this(address, Role.CLIENT, -1, -1, -1, "");
    }

    RawClient(String address, Role role, int brokerId, long incarnation, long controllerEpoch, String clusterId) {
        int colon = address.lastIndexOf(':');
        connection = transport.connect(
                address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)), TIMEOUT_NS, this);
        waitFor(() -> isOpen);
        writer.hello()
                .protocolVersion(FrameDescriptor.PROTOCOL_VERSION)
                .role((short) role.code())
                .lane(0)
                .brokerId(brokerId)
                .incarnation(incarnation)
                .controllerEpoch(controllerEpoch)
                .clusterId(clusterId);
        UnsafeBuffer reply = call();
        ErrorCode code =
                ErrorCode.of(reader.helloReply(reply, 0, reply.capacity()).code());
        if (code != ErrorCode.NONE) {
            throw new AssertionError("hello was refused: code=" + code);
        }
    }

    /** What a request to create a topic was answered. */
    record Created(ErrorCode code, UUID topicId, String message) {}

    Created createTopic(String name, int partitions, int replicationFactor, int minIsr) {
        new AdminCommand(
                        AdminOperation.CREATE_TOPIC.code(),
                        5000,
                        name,
                        Map.of(
                                AdminSettings.PARTITIONS, Integer.toString(partitions),
                                AdminSettings.REPLICATION_FACTOR, Integer.toString(replicationFactor),
                                AdminSettings.MIN_ISR, Integer.toString(minIsr)),
                        List.of())
                .encode(writer, ++correlationId);
        UnsafeBuffer reply = call();
        AdminAnswer answer = AdminAnswer.decode(reader.adminReply(reply, 0, reply.capacity()));
        return new Created(answer.code(), answer.topicId(), answer.message());
    }

    long initProducerId() {
        writer.initProducerIdRequest()
                .correlationId(++correlationId)
                .previousProducerId(-1)
                .previousEpoch((short) -1);
        UnsafeBuffer reply = call();
        var decoder = reader.initProducerIdReply(reply, 0, reply.capacity());
        if (ErrorCode.of(decoder.code()) != ErrorCode.NONE) {
            throw new AssertionError("no producer id: code=" + ErrorCode.of(decoder.code()));
        }
        return decoder.producerId();
    }

    /** What a produce request was answered. */
    record Produced(ErrorCode code, long baseOffset) {}

    Produced produce(UUID topicId, int partition, int acks, DirectBuffer batch) {
        writer.produceRequest()
                .correlationId(++correlationId)
                .topicIdHigh(topicId.getMostSignificantBits())
                .topicIdLow(topicId.getLeastSignificantBits())
                .partition(partition)
                .leaderEpoch(-1)
                .acks((byte) acks)
                .timeoutMs(5000);
        connection.send(writer.buffer(), 0, writer.length(), batch, 0, batch.capacity());
        connection.flush();
        UnsafeBuffer reply = receive();
        var decoder = reader.produceReply(reply, 0, reply.capacity());
        return new Produced(ErrorCode.of(decoder.code()), decoder.baseOffset());
    }

    /** What a read was answered. */
    record Consumed(ErrorCode code, long highWatermark, List<String> values, long nextOffset) {}

    Consumed consume(UUID topicId, int partition, long offset) {
        writer.consumeRequest()
                .correlationId(++correlationId)
                .topicIdHigh(topicId.getMostSignificantBits())
                .topicIdLow(topicId.getLeastSignificantBits())
                .partition(partition)
                .leaderEpoch(-1)
                .fetchOffset(offset)
                .maxBytes(1 << 20)
                .maxWaitMs(100);
        UnsafeBuffer reply = call();
        var decoder = reader.consumeReply(reply, 0, reply.capacity());
        List<String> values = new ArrayList<>();
        long nextOffset = offset;
        UnsafeBuffer batches = new UnsafeBuffer(payload);
        RecordBatch batch = new RecordBatch();
        for (int index = 0; index < payload.length; index += batch.sizeInBytes()) {
            batch.wrap(batches, index, payload.length - index);
            batch.ensureValid();
            RecordCursor records = batch.records();
            while (records.next()) {
                if (records.offset() >= offset) {
                    values.add(new String(records.value(), StandardCharsets.UTF_8));
                }
            }
            nextOffset = batch.nextOffset();
        }
        return new Consumed(ErrorCode.of(decoder.code()), decoder.highWatermark(), values, nextOffset);
    }

    /** Sends records as a controller of an epoch would. */
    ErrorCode updateStates(int controller, long epoch, VersionedState versioned, TopicState topic, int partition) {
        byte[] topicJson = MetadataJson.encode(topic);
        byte[] stateJson = MetadataJson.encode(versioned.state());
        UpdateStatesRequestEncoder request = writer.updateStatesRequest()
                .correlationId(++correlationId)
                .controllerBroker(controller)
                .controllerEpoch(epoch)
                .full((short) 0);
        request.statesCount(1)
                .next()
                .topicIdHigh(topic.topicId().getMostSignificantBits())
                .topicIdLow(topic.topicId().getLeastSignificantBits())
                .partition(partition)
                .createRevision(versioned.version().createRevision())
                .modRevision(versioned.version().modRevision())
                .casToken(versioned.version().casToken())
                .topicName(topic.name())
                .putTopicJson(topicJson, 0, topicJson.length)
                .putStateJson(stateJson, 0, stateJson.length);
        request.deletedCount(0);
        UnsafeBuffer reply = call();
        return ErrorCode.of(reader.updateStatesReply(reply, 0, reply.capacity()).code());
    }

    Map<String, Long> describe() {
        writer.describeBrokerRequest().correlationId(++correlationId);
        UnsafeBuffer reply = call();
        Map<String, Long> counters = new TreeMap<>();
        for (var counter :
                reader.describeBrokerReply(reply, 0, reply.capacity()).counters()) {
            counters.put(counter.name(), counter.value());
        }
        return counters;
    }

    private UnsafeBuffer call() {
        connection.send(writer.buffer(), 0, writer.length());
        connection.flush();
        return receive();
    }

    private UnsafeBuffer receive() {
        waitFor(() -> !frames.isEmpty());
        return new UnsafeBuffer(frames.remove());
    }

    private void waitFor(java.util.function.BooleanSupplier condition) {
        long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (!condition.getAsBoolean()) {
            if (isClosed || System.nanoTime() - deadlineNs > 0) {
                throw new AssertionError("no answer: closed=" + isClosed, failure);
            }
            transport.park(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    @Override
    public void onOpen(Connection opened) {
        isOpen = true;
    }

    @Override
    public void onFrame(Connection from, Frame frame) {
        byte[] copy = new byte[frame.headerLength()];
        frame.buffer().getBytes(frame.headerIndex(), copy);
        frames.add(copy);
        payload = new byte[frame.payloadLength()];
        frame.buffer().getBytes(frame.payloadIndex(), payload);
    }

    @Override
    public void onReadComplete(Connection from) {
        // Frames are kept as they come.
    }

    @Override
    public void onWritable(Connection to) {
        // One request at a time always fits.
    }

    @Override
    public void onClosed(Connection closed, @Nullable Throwable cause) {
        isClosed = true;
        failure = cause;
    }

    @Override
    public void close() {
        transport.close();
    }
}

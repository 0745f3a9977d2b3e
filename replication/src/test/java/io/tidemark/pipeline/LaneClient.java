package io.tidemark.pipeline;

import io.tidemark.log.BatchBuilder;
import io.tidemark.log.RecordBatch;
import io.tidemark.log.RecordCursor;
import io.tidemark.partition.PartitionId;
import io.tidemark.transport.Connection;
import io.tidemark.transport.ConnectionHandler;
import io.tidemark.transport.Frame;
import io.tidemark.transport.Transport;
import io.tidemark.wire.AdminCommand;
import io.tidemark.wire.AdminOperation;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.FrameDescriptor;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.Role;
import io.tidemark.wire.sbe.AdminReplyDecoder;
import io.tidemark.wire.sbe.ConsumeReplyDecoder;
import io.tidemark.wire.sbe.HelloReplyDecoder;
import io.tidemark.wire.sbe.MetadataReplyDecoder;
import io.tidemark.wire.sbe.OffsetsReplyDecoder;
import io.tidemark.wire.sbe.ProduceReplyDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** Speaks the wire protocol by hand over one connection. */
final class LaneClient implements ConnectionHandler {
    /** What was answered to a produce, consume or offsets request. */
    record Reply(ErrorCode code, long first, long next, long highWatermark, List<String> values, List<Long> offsets) {}

    final Transport transport;
    final Map<Long, Reply> replies = new HashMap<>();
    final List<Long> order = new ArrayList<>();
    final List<Integer> templates = new ArrayList<>();
    private final MessageWriter writer = new MessageWriter();
    private final MessageReader reader = new MessageReader();
    private final BatchBuilder builder = new BatchBuilder(1 << 16);
    private @Nullable Connection connection;

    @Nullable
    ErrorCode greeting;

    boolean closed;
    private long correlationId;
    private Role role = Role.CLIENT;
    private int version = FrameDescriptor.PROTOCOL_VERSION;
    private int lane;
    private String clusterId = "";

    LaneClient(Transport transport) {
        this.transport = transport;
    }

    int poll() {
        return transport.poll();
    }

    LaneClient hello(Role newRole, int newVersion, int newLane, String newClusterId) {
        role = newRole;
        version = newVersion;
        lane = newLane;
        clusterId = newClusterId;
        return this;
    }

    void connect(String host, int port) {
        greeting = null;
        closed = false;
        Connection unused = transport.connect(host, port, 1_000_000_000L, this);
    }

    Connection connection() {
        Connection current = connection;
        if (current == null) {
            throw new IllegalStateException("not connected");
        }
        return current;
    }

    /** A batch of values, for a producer or for none. */
    byte[] batch(long producerId, int epoch, int sequence, String... values) {
        builder.reset();
        for (String value : values) {
            builder.append(1_000L, null, value.getBytes(StandardCharsets.UTF_8));
        }
        int length = builder.build(producerId, (short) epoch, sequence);
        byte[] bytes = new byte[length];
        builder.buffer().getBytes(0, bytes);
        return bytes;
    }

    long produce(PartitionId pid, int leaderEpoch, int acks, String... values) {
        return produce(pid, leaderEpoch, acks, 30_000, batch(-1, -1, -1, values));
    }

    long produce(PartitionId pid, int leaderEpoch, int acks, int timeoutMs, byte[] batch) {
        long id = ++correlationId;
        writer.produceRequest()
                .correlationId(id)
                .topicIdHigh(pid.topicId().getMostSignificantBits())
                .topicIdLow(pid.topicId().getLeastSignificantBits())
                .partition(pid.partition())
                .leaderEpoch(leaderEpoch)
                .acks((byte) acks)
                .timeoutMs(timeoutMs);
        connection().send(writer.buffer(), 0, writer.length(), new UnsafeBuffer(batch), 0, batch.length);
        connection().flush();
        return id;
    }

    long consume(PartitionId pid, long offset, int maxWaitMs) {
        long id = ++correlationId;
        writer.consumeRequest()
                .correlationId(id)
                .topicIdHigh(pid.topicId().getMostSignificantBits())
                .topicIdLow(pid.topicId().getLeastSignificantBits())
                .partition(pid.partition())
                .leaderEpoch(-1)
                .fetchOffset(offset)
                .maxBytes(1 << 20)
                .maxWaitMs(maxWaitMs);
        connection().send(writer.buffer(), 0, writer.length());
        connection().flush();
        return id;
    }

    long offsets(PartitionId pid) {
        long id = ++correlationId;
        writer.offsetsRequest()
                .correlationId(id)
                .topicIdHigh(pid.topicId().getMostSignificantBits())
                .topicIdLow(pid.topicId().getLeastSignificantBits())
                .partition(pid.partition())
                .leaderEpoch(-1);
        connection().send(writer.buffer(), 0, writer.length());
        connection().flush();
        return id;
    }

    long createTopic(String name) {
        long id = ++correlationId;
        new AdminCommand(AdminOperation.CREATE_TOPIC.code(), 1000, name, Map.of(), List.of()).encode(writer, id);
        connection().send(writer.buffer(), 0, writer.length());
        connection().flush();
        return id;
    }

    void metadata(String... topics) {
        var request = writer.metadataRequest().correlationId(++correlationId);
        var group = request.topicsCount(topics.length);
        for (String topic : topics) {
            group.next().name(topic);
        }
        connection().send(writer.buffer(), 0, writer.length());
        connection().flush();
    }

    Reply reply(long id) {
        Reply reply = replies.get(id);
        if (reply == null) {
            throw new AssertionError("no reply: correlationId=" + id + ", replies=" + replies.keySet());
        }
        return reply;
    }

    boolean isAnswered(long id) {
        return replies.containsKey(id);
    }

    @Override
    public void onOpen(Connection opened) {
        connection = opened;
        writer.hello()
                .protocolVersion(version)
                .role((short) role.code())
                .lane(lane)
                .brokerId(role == Role.FOLLOWER ? 99 : -1)
                .incarnation(role == Role.FOLLOWER ? 1 : -1)
                .controllerEpoch(-1)
                .clusterId(clusterId);
        opened.send(writer.buffer(), 0, writer.length());
        opened.flush();
    }

    @Override
    public void onFrame(Connection from, Frame frame) {
        templates.add(frame.templateId());
        int at = frame.headerIndex();
        int length = frame.headerLength();
        switch (frame.templateId()) {
            case HelloReplyDecoder.TEMPLATE_ID ->
                greeting = ErrorCode.of(
                        reader.helloReply(frame.buffer(), at, length).code());
            case ProduceReplyDecoder.TEMPLATE_ID -> {
                ProduceReplyDecoder reply = reader.produceReply(frame.buffer(), at, length);
                put(
                        reply.correlationId(),
                        new Reply(
                                ErrorCode.of(reply.code()),
                                reply.baseOffset(),
                                reply.nextOffset(),
                                -1,
                                List.of(),
                                List.of()));
            }
            case ConsumeReplyDecoder.TEMPLATE_ID -> onConsumeReply(frame);
            case OffsetsReplyDecoder.TEMPLATE_ID -> {
                OffsetsReplyDecoder reply = reader.offsetsReply(frame.buffer(), at, length);
                put(
                        reply.correlationId(),
                        new Reply(
                                ErrorCode.of(reply.code()),
                                reply.logStartOffset(),
                                reply.endOffset(),
                                -1,
                                List.of(),
                                List.of()));
            }
            case AdminReplyDecoder.TEMPLATE_ID, MetadataReplyDecoder.TEMPLATE_ID -> {
                // The kind is all that tests look at.
            }
            default -> throw new AssertionError("unexpected reply: templateId=" + frame.templateId());
        }
    }

    private void onConsumeReply(Frame frame) {
        ConsumeReplyDecoder reply = reader.consumeReply(frame.buffer(), frame.headerIndex(), frame.headerLength());
        List<String> values = new ArrayList<>();
        List<Long> offsets = new ArrayList<>();
        RecordBatch batch = new RecordBatch();
        int at = frame.payloadIndex();
        int end = at + frame.payloadLength();
        long first = -1;
        long next = -1;
        while (at < end) {
            batch.wrap(frame.buffer(), at, end - at);
            batch.ensureValid();
            first = first < 0 ? batch.baseOffset() : first;
            next = batch.nextOffset();
            RecordCursor records = batch.records();
            while (records.next()) {
                values.add(new String(records.value(), StandardCharsets.UTF_8));
                offsets.add(records.offset());
            }
            at += batch.sizeInBytes();
        }
        put(
                reply.correlationId(),
                new Reply(ErrorCode.of(reply.code()), first, next, reply.highWatermark(), values, offsets));
    }

    private void put(long id, Reply reply) {
        if (replies.put(id, reply) != null) {
            throw new AssertionError("answered twice: correlationId=" + id);
        }
        order.add(id);
    }

    @Override
    public void onReadComplete(Connection from) {
        from.flush();
    }

    @Override
    public void onWritable(Connection from) {
        // The tests write little.
    }

    @Override
    public void onClosed(Connection from, @Nullable Throwable cause) {
        closed = true;
        connection = null;
    }
}

package io.tidemark.broker;

import io.tidemark.transport.Connection;
import io.tidemark.transport.ConnectionHandler;
import io.tidemark.transport.Frame;
import io.tidemark.transport.NettyTransport;
import io.tidemark.transport.Transport;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.FrameDescriptor;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.Role;
import java.util.ArrayDeque;
import java.util.Deque;
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
    private @Nullable Throwable failure;
    private boolean isOpen;
    private boolean isClosed;
    private long correlationId;

    RawClient(String address) {
        int colon = address.lastIndexOf(':');
        connection = transport.connect(
                address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)), TIMEOUT_NS, this);
        waitFor(() -> isOpen);
        writer.hello()
                .protocolVersion(FrameDescriptor.PROTOCOL_VERSION)
                .role((short) Role.CLIENT.code())
                .lane(0)
                .brokerId(-1)
                .incarnation(-1)
                .controllerEpoch(-1)
                .clusterId("");
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
        writer.createTopicRequest()
                .correlationId(++correlationId)
                .partitions(partitions)
                .replicationFactor((short) replicationFactor)
                .minIsr((short) minIsr)
                .timeoutMs(5000)
                .name(name);
        UnsafeBuffer reply = call();
        var decoder = reader.createTopicReply(reply, 0, reply.capacity());
        return new Created(
                ErrorCode.of(decoder.code()), new UUID(decoder.topicIdHigh(), decoder.topicIdLow()), decoder.message());
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

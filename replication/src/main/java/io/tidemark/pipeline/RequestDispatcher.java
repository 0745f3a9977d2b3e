package io.tidemark.pipeline;

import io.tidemark.conductor.ConductorProxy;
import io.tidemark.controller.ClusterImage;
import io.tidemark.fetch.FetchService;
import io.tidemark.fetch.FetchSession;
import io.tidemark.fetch.PartitionMap;
import io.tidemark.partition.Replica;
import io.tidemark.transport.Frame;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.FrameDescriptor;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.Role;
import io.tidemark.wire.WireFormatException;
import io.tidemark.wire.sbe.AdminRequestDecoder;
import io.tidemark.wire.sbe.ConsumeRequestDecoder;
import io.tidemark.wire.sbe.DescribeBrokerRequestDecoder;
import io.tidemark.wire.sbe.FetchRequestDecoder;
import io.tidemark.wire.sbe.HelloDecoder;
import io.tidemark.wire.sbe.InitProducerIdRequestDecoder;
import io.tidemark.wire.sbe.MetadataRequestDecoder;
import io.tidemark.wire.sbe.OffsetsRequestDecoder;
import io.tidemark.wire.sbe.ProduceRequestDecoder;
import io.tidemark.wire.sbe.UpdateStatesRequestDecoder;
import io.tidemark.wire.sbe.WitnessRequestDecoder;
import org.jspecify.annotations.Nullable;

/**
 * Makes events of the frames that arrive on accepted connections: greets, then lets requests for partitions run
 * through the stages, answers metadata, and forwards the rest to the conductor. Owned by the lane.
 */
final class RequestDispatcher {
    /** Longest time that a produce request may wait for the high watermark, whatever the client asks for. */
    static final int PRODUCE_WAIT_MAX_MS = 300_000;

    private static final long MILLISECOND_NS = 1_000_000L;

    private final Lane lane;
    private final LaneContext context;
    private final PartitionMap<LanePartition> partitions;
    private final FetchService fetches;
    private final ReplicationEvent event = new ReplicationEvent();
    private final MessageReader reader = new MessageReader();
    private final MessageWriter writer = new MessageWriter();
    private @Nullable Replica self;
    private String clusterId = "";

    /**
     * Creates a dispatcher of a lane that is not registered yet.
     *
     * @param lane that runs the events
     * @param context settings, conductor and image
     * @param partitions that this broker has
     * @param fetches opens the sessions of followers
     */
    RequestDispatcher(Lane lane, LaneContext context, PartitionMap<LanePartition> partitions, FetchService fetches) {
        this.lane = lane;
        this.context = context;
        this.partitions = partitions;
        this.fetches = fetches;
    }

    /**
     * Takes the identity that Hellos are answered with.
     *
     * @param newSelf this broker in its current incarnation
     * @param newClusterId that Hellos must name
     */
    void onRegistered(Replica newSelf, String newClusterId) {
        self = newSelf;
        clusterId = newClusterId;
    }

    /** Forgets the identity: only clients are greeted. */
    void onFence() {
        self = null;
    }

    /**
     * Handles a request.
     *
     * @param source that it came on
     * @param frame valid during this call
     */
    void onFrame(InboundConnection source, Frame frame) {
        Role role = source.role();
        int template = frame.templateId();
        if (role == null) {
            if (template != HelloDecoder.TEMPLATE_ID) {
                throw new WireFormatException(
                        "the first message of a connection must be a Hello: templateId=" + template);
            }
            onHello(source, frame);
            return;
        }
        switch (template) {
            case ProduceRequestDecoder.TEMPLATE_ID -> onProduce(source, frame);
            case FetchRequestDecoder.TEMPLATE_ID -> onFetch(source, frame);
            case ConsumeRequestDecoder.TEMPLATE_ID -> onConsume(source, frame);
            case OffsetsRequestDecoder.TEMPLATE_ID -> onOffsets(source, frame);
            case MetadataRequestDecoder.TEMPLATE_ID -> onMetadata(source, frame);
            case AdminRequestDecoder.TEMPLATE_ID,
                    InitProducerIdRequestDecoder.TEMPLATE_ID,
                    DescribeBrokerRequestDecoder.TEMPLATE_ID -> forward(source, frame, template);
            case UpdateStatesRequestDecoder.TEMPLATE_ID -> {
                if (role != Role.CONTROLLER) {
                    throw new WireFormatException("only a controller may send states: role=" + role);
                }
                forward(source, frame, template);
            }
            case WitnessRequestDecoder.TEMPLATE_ID -> {
                if (role != Role.PROBE) {
                    throw new WireFormatException("only a probe may ask for a witness: role=" + role);
                }
                forward(source, frame, template);
            }
            default -> throw new WireFormatException("no request that a broker answers: templateId=" + template);
        }
    }

    private void onHello(InboundConnection source, Frame frame) {
        HelloDecoder hello = reader.hello(frame.buffer(), frame.headerIndex(), frame.headerLength());
        Role role = Role.of(hello.role());
        int version = hello.protocolVersion();
        int laneIndex = hello.lane();
        int broker = hello.brokerId();
        long incarnation = hello.incarnation();
        String cluster = hello.clusterId();
        ErrorCode code = ErrorCode.NONE;
        String message = "";
        if (version != FrameDescriptor.PROTOCOL_VERSION) {
            code = ErrorCode.UNSUPPORTED_VERSION;
            message = "protocolVersion=" + version + ", expected=" + FrameDescriptor.PROTOCOL_VERSION;
        } else if (self == null && role != Role.CLIENT) {
            code = ErrorCode.COORDINATION_LOST;
            message = "the broker is not registered at present";
        } else if (self != null && !cluster.equals(clusterId) && !(cluster.isEmpty() && role == Role.CLIENT)) {
            code = ErrorCode.WRONG_CLUSTER;
            message = "clusterId=" + cluster + ", expected=" + clusterId;
        } else if (laneIndex != context.config().lane()) {
            code = ErrorCode.INVALID_REQUEST;
            message = "no such lane: lane=" + laneIndex + ", brokerId="
                    + context.config().brokerId();
        } else if (role == Role.FOLLOWER && lane.isFenced()) {
            code = ErrorCode.INTERNAL;
            message = code.text();
        }
        Replica known = self;
        writer.helloReply()
                .code(code.code())
                .brokerId(context.config().brokerId())
                .incarnation(known == null ? -1 : known.incarnation())
                .clusterId(clusterId)
                .message(message);
        source.send(writer.buffer(), 0, writer.length());
        if (code != ErrorCode.NONE) {
            source.closeAfterReply();
            return;
        }
        FetchSession session = role == Role.FOLLOWER ? fetches.open(source.connection(), broker, incarnation) : null;
        source.greet(role, broker, incarnation, session);
        if (session != null && incarnation > 0) {
            // Who fetches under a newer incarnation proves that the earlier process is dead.
            event.type = EventType.PEER_DEAD;
            event.replica = new Replica(broker, incarnation - 1);
            lane.run(event);
        }
    }

    private void onProduce(InboundConnection source, Frame frame) {
        ProduceRequestDecoder request =
                reader.produceRequest(frame.buffer(), frame.headerIndex(), frame.headerLength());
        event.type = EventType.PRODUCE;
        event.source = source;
        event.correlationId = request.correlationId();
        event.partition = partitions.get(request.topicIdHigh(), request.topicIdLow(), request.partition());
        event.leaderEpoch = request.leaderEpoch();
        event.acks = request.acks();
        int waitMs = Math.min(Math.max(0, request.timeoutMs()), PRODUCE_WAIT_MAX_MS);
        event.deadlineNs = lane.nowNs() + waitMs * MILLISECOND_NS;
        event.buffer = frame.buffer();
        event.index = frame.payloadIndex();
        event.length = frame.payloadLength();
        if (event.acks < AppendStage.ACKS_ALL || event.acks > AppendStage.ACKS_LEADER) {
            event.fail(ErrorCode.INVALID_REQUEST, "acks are -1, 0 or 1: acks=" + event.acks);
        } else if (source.isOverfull() || (event.acks == AppendStage.ACKS_ALL && !lane.hasRoomForPending())) {
            LaneCounters.add(context.counters().backPressure(), 1);
            event.fail(ErrorCode.BACK_PRESSURE, null);
        }
        lane.run(event);
    }

    private void onFetch(InboundConnection source, Frame frame) {
        if (source.session() == null) {
            throw new WireFormatException("only a follower may fetch: role=" + source.role());
        }
        event.fetchRequest = reader.fetchRequest(frame.buffer(), frame.headerIndex(), frame.headerLength());
        event.type = EventType.FETCH;
        event.source = source;
        lane.run(event);
    }

    private void onConsume(InboundConnection source, Frame frame) {
        ConsumeRequestDecoder request =
                reader.consumeRequest(frame.buffer(), frame.headerIndex(), frame.headerLength());
        event.type = EventType.CONSUME;
        event.source = source;
        event.correlationId = request.correlationId();
        event.consumeRequest = request;
        if (source.isOverfull()) {
            LaneCounters.add(context.counters().backPressure(), 1);
            event.fail(ErrorCode.BACK_PRESSURE, null);
        }
        lane.run(event);
    }

    private void onOffsets(InboundConnection source, Frame frame) {
        OffsetsRequestDecoder request =
                reader.offsetsRequest(frame.buffer(), frame.headerIndex(), frame.headerLength());
        event.type = EventType.OFFSETS;
        event.source = source;
        event.correlationId = request.correlationId();
        event.partition = partitions.get(request.topicIdHigh(), request.topicIdLow(), request.partition());
        event.leaderEpoch = request.leaderEpoch();
        lane.run(event);
    }

    private void onMetadata(InboundConnection source, Frame frame) {
        MetadataRequestDecoder request =
                reader.metadataRequest(frame.buffer(), frame.headerIndex(), frame.headerLength());
        ClusterImage image = context.image().get();
        MetadataReplies.encode(writer, request, image);
        source.send(writer.buffer(), 0, writer.length());
    }

    private void forward(InboundConnection source, Frame frame, int template) {
        if (source.isOverfull()) {
            throw new WireFormatException(
                    "too many unanswered requests on one connection: pending=" + source.pending());
        }
        byte[] header = new byte[frame.headerLength()];
        frame.buffer().getBytes(frame.headerIndex(), header);
        source.onParked();
        ConductorProxy conductor = context.conductor();
        conductor.forward(source.connection().id(), template, header);
    }
}

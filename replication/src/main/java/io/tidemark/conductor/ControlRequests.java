package io.tidemark.conductor;

import io.tidemark.controller.AdminResult;
import io.tidemark.controller.AdminWish;
import io.tidemark.controller.TopicState;
import io.tidemark.metadata.MetadataFormatException;
import io.tidemark.metadata.MetadataJson;
import io.tidemark.partition.PartitionId;
import io.tidemark.partition.Replica;
import io.tidemark.partition.StateVersion;
import io.tidemark.wire.AdminAnswer;
import io.tidemark.wire.AdminCommand;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.WireFormatException;
import io.tidemark.wire.sbe.AdminRequestDecoder;
import io.tidemark.wire.sbe.DescribeBrokerReplyEncoder;
import io.tidemark.wire.sbe.DescribeBrokerRequestDecoder;
import io.tidemark.wire.sbe.InitProducerIdRequestDecoder;
import io.tidemark.wire.sbe.UpdateStatesRequestDecoder;
import io.tidemark.wire.sbe.WitnessRequestDecoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the requests that the lane forwards and answers them. Owned by the conductor.
 *
 * <p>UpdateStates is fenced by the controller's epoch: a message of an older controller than one seen before changes
 * nothing. Within one epoch records may come twice or in any order, since each carries its own epochs.
 */
final class ControlRequests {
    /** Highest epoch of an idempotent producer before it gets a new id. */
    private static final short PRODUCER_EPOCH_MAX = Short.MAX_VALUE - 1;

    /** Longest time that the answer to an admin request may wait for brokers, whatever the client asks for. */
    private static final int ADMIN_WAIT_MAX_MS = 300_000;

    private static final long MILLISECOND_NS = 1_000_000L;

    /** What the conductor does about them. */
    interface Host {
        /**
         * Sends an answer.
         *
         * @param connectionId where the request came from
         * @param message the encoded answer
         */
        void reply(long connectionId, byte[] message);

        /**
         * Makes a change of the cluster if this broker is the controller.
         *
         * @param wish the change
         * @param waitNs how long the answer may wait for brokers to know of new replicas
         * @param result is given the result; null if the term ended before
         * @return false if this broker is not the controller; the result is not used then
         */
        boolean admin(AdminWish wish, long waitNs, Consumer<@Nullable AdminResult> result);

        /**
         * Gives out a producer id.
         *
         * @param receiver is given it
         * @return false if too many wait
         */
        boolean nextProducerId(ProducerIds.Receiver receiver);

        /**
         * The highest controller epoch seen.
         *
         * @return the epoch
         */
        long controllerEpoch();

        /**
         * A controller that is not older than any seen sent records.
         *
         * @param broker its id
         * @param epoch its term
         * @param records the records
         * @param deleted ids of deleted topics
         */
        void statesFromController(int broker, long epoch, List<VersionedRecord> records, List<UUID> deleted);

        /**
         * Says whether this broker has found a process dead by itself, now or within a short time.
         *
         * @param process the process
         * @param verdict is given true as soon as it has, false if it has not
         */
        void testify(Replica process, Consumer<Boolean> verdict);

        /**
         * What this broker has counted.
         *
         * @return values by name
         */
        Map<String, Long> counters();

        /**
         * This broker's life.
         *
         * @return its incarnation, -1 while it is not registered
         */
        long incarnation();
    }

    private final int brokerId;
    private final int minIsrDefault;
    private final Host host;
    private final MessageReader reader = new MessageReader();
    private final MessageWriter writer = new MessageWriter();
    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);

    /**
     * Makes the decoder.
     *
     * @param brokerId this broker
     * @param minIsrDefault minimum of in-sync replicas of topics whose creator names none
     * @param host the conductor
     */
    ControlRequests(int brokerId, int minIsrDefault, Host host) {
        this.brokerId = brokerId;
        this.minIsrDefault = minIsrDefault;
        this.host = host;
    }

    /**
     * Handles one request.
     *
     * @param connectionId where it came from
     * @param templateId its kind
     * @param message SBE message header and message
     * @throws WireFormatException if the bytes are no such message
     */
    void handle(long connectionId, int templateId, byte[] message) {
        buffer.wrap(message);
        switch (templateId) {
            case AdminRequestDecoder.TEMPLATE_ID -> admin(connectionId, reader.adminRequest(buffer, 0, message.length));
            case InitProducerIdRequestDecoder.TEMPLATE_ID ->
                initProducerId(connectionId, reader.initProducerIdRequest(buffer, 0, message.length));
            case UpdateStatesRequestDecoder.TEMPLATE_ID ->
                updateStates(connectionId, reader.updateStatesRequest(buffer, 0, message.length));
            case DescribeBrokerRequestDecoder.TEMPLATE_ID ->
                describe(
                        connectionId,
                        reader.describeBrokerRequest(buffer, 0, message.length).correlationId());
            case WitnessRequestDecoder.TEMPLATE_ID ->
                testify(connectionId, reader.witnessRequest(buffer, 0, message.length));
            default -> throw new WireFormatException("not a request for the conductor: templateId=" + templateId);
        }
    }

    private void admin(long connectionId, AdminRequestDecoder request) {
        final long correlationId = request.correlationId();
        AdminCommand command = AdminCommand.decode(request);
        AdminWish wish;
        try {
            wish = AdminCommands.wish(command, minIsrDefault);
        } catch (IllegalArgumentException refused) {
            answer(
                    connectionId,
                    correlationId,
                    AdminAnswer.of(ErrorCode.INVALID_REQUEST, String.valueOf(refused.getMessage())));
            return;
        }
        long waitNs = Math.min(Math.max(0, command.timeoutMs()), ADMIN_WAIT_MAX_MS) * MILLISECOND_NS;
        boolean isController = host.admin(
                wish, waitNs, result -> answer(connectionId, correlationId, AdminCommands.answer(result, brokerId)));
        if (!isController) {
            answer(connectionId, correlationId, AdminCommands.answer(null, brokerId));
        }
    }

    private void answer(long connectionId, long correlationId, AdminAnswer answer) {
        answer.encode(writer, correlationId);
        host.reply(connectionId, writer.copy());
    }

    private void initProducerId(long connectionId, InitProducerIdRequestDecoder request) {
        long correlationId = request.correlationId();
        long previousId = request.previousProducerId();
        short previousEpoch = request.previousEpoch();
        if (previousId >= 0 && previousEpoch >= 0 && previousEpoch < PRODUCER_EPOCH_MAX) {
            // Ids are not shared, so that whoever has one may raise its epoch.
            replyProducerId(connectionId, correlationId, previousId, (short) (previousEpoch + 1));
            return;
        }
        boolean isTaken = host.nextProducerId(new ProducerIds.Receiver() {
            @Override
            public void given(long producerId) {
                replyProducerId(connectionId, correlationId, producerId, (short) 0);
            }

            @Override
            public void failed(Throwable cause) {
                refuseProducerId(
                        connectionId,
                        correlationId,
                        ErrorCode.COORDINATION_LOST,
                        "no producer id could be taken: brokerId=" + brokerId + ", reason=" + cause.getMessage());
            }
        });
        if (!isTaken) {
            refuseProducerId(
                    connectionId,
                    correlationId,
                    ErrorCode.BACK_PRESSURE,
                    "too many requests for a producer id wait: brokerId=" + brokerId + ", max="
                            + ProducerIds.WAITING_MAX);
        }
    }

    private void replyProducerId(long connectionId, long correlationId, long producerId, short epoch) {
        writer.initProducerIdReply()
                .correlationId(correlationId)
                .code(ErrorCode.NONE.code())
                .producerId(producerId)
                .producerEpoch(epoch)
                .message("");
        host.reply(connectionId, writer.copy());
    }

    private void refuseProducerId(long connectionId, long correlationId, ErrorCode code, String text) {
        writer.initProducerIdReply()
                .correlationId(correlationId)
                .code(code.code())
                .producerId(-1)
                .producerEpoch((short) -1)
                .message(text);
        host.reply(connectionId, writer.copy());
    }

    private void updateStates(long connectionId, UpdateStatesRequestDecoder request) {
        long correlationId = request.correlationId();
        long epoch = request.controllerEpoch();
        ErrorCode code = ErrorCode.NONE;
        if (epoch < host.controllerEpoch()) {
            code = ErrorCode.STALE_CONTROLLER_EPOCH;
        } else {
            int controller = request.controllerBroker();
            try {
                List<VersionedRecord> records = decode(request);
                host.statesFromController(controller, epoch, records, deleted(request));
            } catch (MetadataFormatException broken) {
                code = ErrorCode.INVALID_REQUEST;
            }
        }
        writer.updateStatesReply()
                .correlationId(correlationId)
                .code(code.code())
                .controllerEpoch(host.controllerEpoch());
        host.reply(connectionId, writer.copy());
    }

    private static List<VersionedRecord> decode(UpdateStatesRequestDecoder request) {
        List<VersionedRecord> records = new ArrayList<>();
        for (UpdateStatesRequestDecoder.StatesDecoder state : request.states()) {
            UUID topicId = new UUID(state.topicIdHigh(), state.topicIdLow());
            PartitionId id = new PartitionId(topicId, state.partition());
            StateVersion version = new StateVersion(state.createRevision(), state.modRevision(), state.casToken());
            String where = "UpdateStates/" + state.topicName() + "/" + id;
            byte[] topicJson = new byte[state.topicJsonLength()];
            state.getTopicJson(topicJson, 0, topicJson.length);
            byte[] stateJson = new byte[state.stateJsonLength()];
            state.getStateJson(stateJson, 0, stateJson.length);
            TopicState topic = MetadataJson.decodeTopic(where, topicJson);
            records.add(new VersionedRecord(topic, id, MetadataJson.decodePartition(where, stateJson), version));
        }
        return records;
    }

    /** Stands behind the records in the message, so they must have been read. */
    private static List<UUID> deleted(UpdateStatesRequestDecoder request) {
        List<UUID> topicIds = new ArrayList<>();
        for (UpdateStatesRequestDecoder.DeletedDecoder deleted : request.deleted()) {
            topicIds.add(new UUID(deleted.topicIdHigh(), deleted.topicIdLow()));
        }
        return topicIds;
    }

    private void testify(long connectionId, WitnessRequestDecoder request) {
        long correlationId = request.correlationId();
        if (request.brokerId() < 0 || request.incarnation() < 0) {
            throw new WireFormatException("no such process: message=WitnessRequest, brokerId=" + request.brokerId()
                    + ", incarnation=" + request.incarnation());
        }
        Replica process = new Replica(request.brokerId(), request.incarnation());
        host.testify(process, isDead -> {
            writer.witnessReply()
                    .correlationId(correlationId)
                    .brokerId(process.broker())
                    .incarnation(process.incarnation())
                    .isDead((short) (isDead ? 1 : 0));
            host.reply(connectionId, writer.copy());
        });
    }

    private void describe(long connectionId, long correlationId) {
        Map<String, Long> counters = host.counters();
        DescribeBrokerReplyEncoder.CountersEncoder group = writer.describeBrokerReply()
                .correlationId(correlationId)
                .code(ErrorCode.NONE.code())
                .brokerId(brokerId)
                .incarnation(host.incarnation())
                .countersCount(counters.size());
        counters.forEach((name, value) -> group.next().value(value).name(name));
        host.reply(connectionId, writer.copy());
    }
}

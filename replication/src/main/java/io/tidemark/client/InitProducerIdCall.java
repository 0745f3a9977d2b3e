package io.tidemark.client;

import io.tidemark.transport.Frame;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.sbe.InitProducerIdReplyDecoder;
import org.jspecify.annotations.Nullable;

/** Asks any broker for a producer id, or for the next epoch of one. */
final class InitProducerIdCall extends Call<InitProducerIdCall.Granted> {
    /**
     * What a producer may call itself.
     *
     * @param producerId id
     * @param producerEpoch epoch
     */
    record Granted(long producerId, short producerEpoch) {}

    private final Granted previous;

    /**
     * A call.
     *
     * @param previous what the producer called itself so far; −1, −1 for a new id
     * @param deadlineNs when it fails
     */
    InitProducerIdCall(Granted previous, long deadlineNs) {
        super("request for a producer id", deadlineNs);
        this.previous = previous;
    }

    @Override
    @Nullable
    BrokerLink target(ClusterView view, BrokerLinks links, long nowNs) {
        return links.any(view, nowNs);
    }

    @Override
    void encode(MessageWriter writer, long correlationId) {
        writer.initProducerIdRequest()
                .correlationId(correlationId)
                .previousProducerId(previous.producerId)
                .previousEpoch(previous.producerEpoch);
    }

    @Override
    void decode(MessageReader messages, Frame frame) {
        final InitProducerIdReplyDecoder reply =
                messages.initProducerIdReply(frame.buffer(), frame.headerIndex(), frame.headerLength());
        final ErrorCode code = ErrorCode.of(reply.code());
        if (code == ErrorCode.NONE) {
            answer(new Granted(reply.producerId(), reply.producerEpoch()));
        } else {
            again(code, code + ": " + reply.message());
        }
    }
}

package io.tidemark.client;

import io.tidemark.transport.Frame;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.sbe.CreateTopicReplyDecoder;
import org.jspecify.annotations.Nullable;

/** Asks the controller to create a topic. */
final class CreateTopicCall extends Call<Boolean> {
    /**
     * What to create.
     *
     * @param name of the topic
     * @param partitions count
     * @param replicationFactor copies of each
     * @param minIsr in-sync replicas demanded, −1 for the default
     */
    record Spec(String name, int partitions, int replicationFactor, int minIsr) {}

    private final Spec spec;
    private final Metadata metadata;
    private final int timeoutMs;

    /**
     * A call.
     *
     * @param spec what to create
     * @param metadata of the client
     * @param timeoutMs time that the controller may take
     * @param deadlineNs when it fails
     */
    CreateTopicCall(Spec spec, Metadata metadata, int timeoutMs, long deadlineNs) {
        super("creating topic " + spec.name, deadlineNs);
        this.spec = spec;
        this.metadata = metadata;
        this.timeoutMs = timeoutMs;
    }

    @Override
    @Nullable
    BrokerLink target(ClusterView view, BrokerLinks links, long nowNs) {
        final HostPort address = view.address(view.cluster().controller());
        if (address == null) {
            again(ErrorCode.NOT_CONTROLLER, "no broker is known to be the controller");
            metadata.refresh();
            return null;
        }
        final BrokerLink link = links.link(address);
        if (!link.isReady()) {
            // The controller may be gone; somebody else may be known to have taken over.
            metadata.refresh();
        }
        return link;
    }

    @Override
    void encode(MessageWriter writer, long correlationId) {
        writer.createTopicRequest()
                .correlationId(correlationId)
                .partitions(spec.partitions)
                .replicationFactor((short) spec.replicationFactor)
                .minIsr((short) spec.minIsr)
                .timeoutMs(timeoutMs)
                .name(spec.name);
    }

    @Override
    void decode(MessageReader messages, Frame frame) {
        final CreateTopicReplyDecoder reply =
                messages.createTopicReply(frame.buffer(), frame.headerIndex(), frame.headerLength());
        final ErrorCode code = ErrorCode.of(reply.code());
        final String message = reply.message();
        if (code == ErrorCode.NONE || (code == ErrorCode.TOPIC_EXISTS && outcomeUnknown())) {
            // An earlier attempt of ours, whose reply was lost, may be what created it.
            answer(true);
        } else if (code.retriable()) {
            metadata.refresh();
            again(code, code + ": " + (message.isEmpty() ? code.text() : message));
        } else {
            fail(new TidemarkException(
                    code,
                    message.isEmpty() ? "cannot create topic: topic=" + spec.name + ", cause=" + code.text() : message,
                    null));
        }
    }
}

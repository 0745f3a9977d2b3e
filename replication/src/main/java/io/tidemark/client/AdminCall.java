package io.tidemark.client;

import io.tidemark.transport.Frame;
import io.tidemark.wire.AdminAnswer;
import io.tidemark.wire.AdminCommand;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import org.jspecify.annotations.Nullable;

/** Asks the controller for a change of the cluster. */
final class AdminCall extends Call<AdminAnswer> {
    private final AdminCommand command;
    private final Metadata metadata;
    private final ErrorCode doneBefore;

    /**
     * A call.
     *
     * @param what it is, for messages
     * @param command what to do
     * @param doneBefore the refusal that means success after an attempt whose reply was lost, since that attempt may be
     *     what did it; {@link ErrorCode#NONE} if there is none
     * @param metadata of the client
     * @param deadlineNs when it fails
     */
    AdminCall(String what, AdminCommand command, ErrorCode doneBefore, Metadata metadata, long deadlineNs) {
        super(what, deadlineNs);
        this.command = command;
        this.doneBefore = doneBefore;
        this.metadata = metadata;
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
        command.encode(writer, correlationId);
    }

    @Override
    void decode(MessageReader messages, Frame frame) {
        final AdminAnswer reply =
                AdminAnswer.decode(messages.adminReply(frame.buffer(), frame.headerIndex(), frame.headerLength()));
        final ErrorCode code = reply.code();
        final String message = reply.message().isEmpty() ? code.text() : reply.message();
        if (code == ErrorCode.NONE || (code == doneBefore && outcomeUnknown())) {
            answer(new AdminAnswer(ErrorCode.NONE, reply.topicId(), reply.results(), reply.message()));
        } else if (code == ErrorCode.UNKNOWN_TOPIC) {
            // The controller has read all topics; no other broker knows better.
            fail(new UnknownTopicException(message));
        } else if (code.retriable()) {
            metadata.refresh();
            again(code, code + ": " + message);
        } else {
            fail(new TidemarkException(code, message, null));
        }
    }
}

package io.tidemark.client;

import io.tidemark.transport.Frame;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.sbe.MetadataRequestEncoder;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Asks any broker what it knows. */
final class MetadataCall extends Call<MetadataReplyReader> {
    private final Collection<String> topics;

    private int insistLeft;

    /**
     * A call for topics.
     *
     * @param topics by name; empty for all
     * @param insist how often to ask another broker when one does not know a topic, 0 to take its word for it
     * @param deadlineNs when it fails
     */
    MetadataCall(Collection<String> topics, int insist, long deadlineNs) {
        super("metadata request", deadlineNs);
        this.topics = topics;
        this.insistLeft = insist;
    }

    @Override
    @Nullable
    BrokerLink target(ClusterView view, BrokerLinks links, long nowNs) {
        return links.any(view, nowNs);
    }

    @Override
    void encode(MessageWriter writer, long correlationId) {
        final MetadataRequestEncoder.TopicsEncoder group =
                writer.metadataRequest().correlationId(correlationId).topicsCount(topics.size());
        topics.forEach(topic -> group.next().name(topic));
    }

    @Override
    void decode(MessageReader messages, Frame frame) {
        final MetadataReplyReader reply = MetadataReplyReader.read(messages, frame);
        if (reply.code() == ErrorCode.NONE && !reply.failures().isEmpty() && insistLeft > 0) {
            insistLeft--;
            again(ErrorCode.UNKNOWN_TOPIC, "not known: topics=" + reply.failures());
        } else if (reply.code() == ErrorCode.NONE) {
            answer(reply);
        } else {
            again(reply.code(), reply.code() + ": " + reply.code().text());
        }
    }
}

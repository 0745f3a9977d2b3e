package io.tidemark.client;

import io.tidemark.transport.Frame;
import io.tidemark.wire.ErrorCode;
import io.tidemark.wire.MessageReader;
import io.tidemark.wire.MessageWriter;
import io.tidemark.wire.sbe.DescribeBrokerReplyDecoder;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Asks one broker for its counters. */
final class DescribeBrokerCall extends Call<Map<String, Long>> {
    private final int broker;
    private final Metadata metadata;

    /**
     * A call.
     *
     * @param broker id
     * @param metadata of the client
     * @param deadlineNs when it fails
     */
    DescribeBrokerCall(int broker, Metadata metadata, long deadlineNs) {
        super("describing broker " + broker, deadlineNs);
        this.broker = broker;
        this.metadata = metadata;
    }

    @Override
    @Nullable
    BrokerLink target(ClusterView view, BrokerLinks links, long nowNs) {
        final HostPort address = view.address(broker);
        if (address == null) {
            again(ErrorCode.REQUEST_TIMED_OUT, "no live broker has this id: broker=" + broker);
            metadata.refresh();
            return null;
        }
        return links.link(address);
    }

    @Override
    void encode(MessageWriter writer, long correlationId) {
        writer.describeBrokerRequest().correlationId(correlationId);
    }

    @Override
    void decode(MessageReader messages, Frame frame) {
        final DescribeBrokerReplyDecoder reply =
                messages.describeBrokerReply(frame.buffer(), frame.headerIndex(), frame.headerLength());
        final ErrorCode code = ErrorCode.of(reply.code());
        if (code != ErrorCode.NONE) {
            again(code, code + ": " + code.text());
        } else if (reply.brokerId() != broker) {
            metadata.refresh();
            again(ErrorCode.REQUEST_TIMED_OUT, "another broker answers there: broker=" + reply.brokerId());
        } else {
            final Map<String, Long> counters = new TreeMap<>();
            for (DescribeBrokerReplyDecoder.CountersDecoder counter : reply.counters()) {
                final long value = counter.value();
                counters.put(counter.name(), value);
            }
            answer(Collections.unmodifiableMap(counters));
        }
    }
}

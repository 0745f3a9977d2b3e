package io.tidemark.client;

import io.tidemark.wire.ErrorCode;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** {@link Admin} by calls of the client's agent. Any thread. */
final class ClientAdmin implements Admin {
    /** Times to ask another broker about a topic that one does not know: about a second. */
    private static final int INSIST = 20;

    private final ClientAgent.Context context;

    /**
     * Administration by a client.
     *
     * @param context of the client
     */
    ClientAdmin(ClientAgent.Context context) {
        this.context = context;
    }

    private long nowNs() {
        return context.clock().nanoTime();
    }

    private long deadlineNs() {
        return Deadlines.after(nowNs(), context.requestTimeoutNs());
    }

    @Override
    public void createTopic(String name, int partitions, int replicationFactor) {
        create(new CreateTopicCall.Spec(name, partitions, replicationFactor, -1));
    }

    @Override
    public void createTopic(String name, int partitions, int replicationFactor, int minIsr) {
        if (minIsr < 1 || minIsr > replicationFactor) {
            throw new IllegalArgumentException(
                    "minIsr out of range: minIsr=" + minIsr + ", allowed=1.." + replicationFactor);
        }
        create(new CreateTopicCall.Spec(name, partitions, replicationFactor, minIsr));
    }

    private void create(CreateTopicCall.Spec spec) {
        if (spec.partitions() < 1 || spec.replicationFactor() < 1 || spec.replicationFactor() > Short.MAX_VALUE) {
            throw new IllegalArgumentException("partitions and replicationFactor must be 1 or more: partitions="
                    + spec.partitions() + ", replicationFactor=" + spec.replicationFactor());
        }
        final long deadlineNs = deadlineNs();
        final int timeoutMs = (int) Math.min(Integer.MAX_VALUE, context.requestTimeoutNs() / 1_000_000L);
        context.agent().ask(new CreateTopicCall(spec, context.metadata(), timeoutMs, deadlineNs));
        // So that the caller can use it at once, whichever broker it asks next.
        context.agent().awaitTopic(spec.name(), Deadlines.left(nowNs(), deadlineNs));
    }

    @Override
    public List<String> listTopics() {
        return ask(Set.of(), 0).topics().stream().map(TopicDescription::name).toList();
    }

    private MetadataReplyReader ask(Set<String> topics, int insist) {
        final MetadataReplyReader reply = context.agent().ask(new MetadataCall(topics, insist, deadlineNs()));
        context.agent().execute(() -> context.metadata().learn(reply));
        return reply;
    }

    @Override
    public TopicDescription describeTopic(String name) {
        final MetadataReplyReader reply = ask(Set.of(name), INSIST);
        for (TopicDescription topic : reply.topics()) {
            if (topic.name().equals(name)) {
                return topic;
            }
        }
        final ErrorCode code = reply.failures().getOrDefault(name, ErrorCode.UNKNOWN_TOPIC);
        throw code == ErrorCode.UNKNOWN_TOPIC
                ? new UnknownTopicException("unknown topic: topic=" + name + "; check its name")
                : new TidemarkException(code, "cannot describe topic: topic=" + name + ", cause=" + code.text(), null);
    }

    @Override
    public ClusterDescription describeCluster() {
        return ask(Set.of(), 0).cluster();
    }

    @Override
    public Map<String, Long> brokerCounters(int brokerId) {
        return context.agent().ask(new DescribeBrokerCall(brokerId, context.metadata(), deadlineNs()));
    }
}

package io.tidemark.client;

import io.tidemark.wire.AdminAnswer;
import io.tidemark.wire.AdminCommand;
import io.tidemark.wire.AdminOperation;
import io.tidemark.wire.ErrorCode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

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
        var unused = createTopic(NewTopic.builder(name)
                .partitions(partitions)
                .replicationFactor(replicationFactor)
                .build());
    }

    @Override
    public void createTopic(String name, int partitions, int replicationFactor, int minIsr) {
        var unused = createTopic(NewTopic.builder(name)
                .partitions(partitions)
                .replicationFactor(replicationFactor)
                .minIsr(minIsr)
                .build());
    }

    @Override
    public boolean createTopic(NewTopic topic) {
        final long deadlineNs = deadlineNs();
        boolean isCreated = true;
        try {
            change(
                    "creating topic " + topic.name(),
                    AdminRequests.createTopic(topic, brokerTimeoutMs()),
                    ErrorCode.TOPIC_EXISTS,
                    deadlineNs);
        } catch (TidemarkException refused) {
            if (refused.reason() != ErrorCode.TOPIC_EXISTS || !topic.ifNotExists()) {
                throw refused;
            }
            isCreated = false;
        }
        // So that the caller can use it at once, whichever broker it asks next.
        context.agent().awaitTopic(topic.name(), Deadlines.left(nowNs(), deadlineNs));
        return isCreated;
    }

    @Override
    public void addPartitions(String topic, int total) {
        addPartitions(topic, total, List.of());
    }

    @Override
    public void addPartitions(String topic, int total, List<List<Integer>> assignment) {
        if (total < 1 || (!assignment.isEmpty() && assignment.size() >= total)) {
            throw new IllegalArgumentException("total must be 1 or more, and above the number of assigned partitions: "
                    + "topic=" + topic + ", total=" + total + ", assigned=" + assignment.size());
        }
        change(
                "adding partitions to topic " + topic,
                AdminRequests.addPartitions(topic, total, assignment, brokerTimeoutMs()),
                ErrorCode.NO_CHANGE,
                deadlineNs());
    }

    @Override
    public void alterTopic(String topic, Map<String, String> changes) {
        change(
                "configuring topic " + topic,
                AdminRequests.alterTopic(topic, changes, brokerTimeoutMs()),
                ErrorCode.NO_CHANGE,
                deadlineNs());
    }

    @Override
    public void deleteTopic(String name) {
        deleteTopic(name, Optional.empty());
    }

    @Override
    public void deleteTopic(String name, UUID topicId) {
        deleteTopic(name, Optional.of(topicId));
    }

    private void deleteTopic(String name, Optional<UUID> topicId) {
        change(
                "deleting topic " + name,
                AdminRequests.deleteTopic(name, topicId, brokerTimeoutMs()),
                ErrorCode.UNKNOWN_TOPIC,
                deadlineNs());
    }

    @Override
    public List<PartitionMove> planReassignment(List<String> topics, List<Integer> brokers) {
        return ReassignmentPlan.moves(
                topics.stream().map(this::describeTopic).toList(),
                describeCluster().brokers(),
                brokers);
    }

    @Override
    public List<PartitionOutcome> reassign(List<PartitionMove> moves) {
        if (moves.isEmpty()) {
            throw new IllegalArgumentException("no partition is named: moves=[]; name at least one");
        }
        return partitions(
                "reassigning partitions",
                AdminOperation.REASSIGN,
                moves.stream()
                        .map(move -> new AdminCommand.Target(move.topic(), move.partition(), move.replicas()))
                        .toList());
    }

    @Override
    public List<PartitionOutcome> cancelReassignments(List<String> topics) {
        return partitions("cancelling reassignments", AdminOperation.CANCEL_REASSIGNMENT, whole(topics));
    }

    @Override
    public List<PartitionOutcome> electPreferred(List<String> topics) {
        return partitions("electing preferred leaders", AdminOperation.ELECT_PREFERRED, whole(topics));
    }

    @Override
    public List<PartitionOutcome> electUnclean(String topic) {
        return partitions("electing leaders uncleanly", AdminOperation.ELECT_UNCLEAN, whole(List.of(topic)));
    }

    private static List<AdminCommand.Target> whole(List<String> topics) {
        return topics.stream()
                .map(topic -> new AdminCommand.Target(topic, AdminRequests.ALL_PARTITIONS, List.of()))
                .toList();
    }

    private List<PartitionOutcome> partitions(
            String what, AdminOperation operation, List<AdminCommand.Target> targets) {
        final AdminCommand command = AdminRequests.partitions(operation, targets, brokerTimeoutMs());
        final AdminAnswer answer =
                context.agent().ask(new AdminCall(what, command, ErrorCode.NONE, context.metadata(), deadlineNs()));
        return answer.results().stream()
                .map(result ->
                        new PartitionOutcome(result.topic(), result.partition(), result.code(), result.message()))
                .toList();
    }

    private void change(String what, AdminCommand command, ErrorCode doneBefore, long deadlineNs) {
        context.agent().ask(new AdminCall(what, command, doneBefore, context.metadata(), deadlineNs));
    }

    /** The controller must give up before this client does, so that its reason is heard. */
    private int brokerTimeoutMs() {
        return (int) Math.min(Integer.MAX_VALUE, context.requestTimeoutNs() / 4 * 3 / 1_000_000L);
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
    public List<TopicDescription> describeTopics() {
        return ask(Set.of(), 0).topics();
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

package io.tidemark.tools;

import io.tidemark.client.Admin;
import io.tidemark.client.Client;
import io.tidemark.client.NewTopic;
import io.tidemark.client.TopicDescription;
import io.tidemark.tools.system.Terminal;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tidemark topic create}. */
@Command(name = "create", description = "Creates a topic.")
final class TopicCreateCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Parameters(paramLabel = "NAME", description = "The name of the topic.")
    private String name = "";

    @Option(
            names = "--partitions",
            paramLabel = "N",
            description = "How many partitions (default: 3, or as many as --assignment names).")
    private @Nullable Integer partitions;

    @Option(
            names = "--replication-factor",
            paramLabel = "N",
            description =
                    "How many copies of each partition (default: 3, or 1 if the cluster has one broker, or as many"
                            + " as --assignment names).")
    private @Nullable Integer replicationFactor;

    @Option(
            names = "--min-isr",
            paramLabel = "N",
            description = "How many in-sync replicas acks ALL needs (default: that of the brokers).")
    private @Nullable Integer minIsr;

    @Option(
            names = "--placement",
            paramLabel = "RULE",
            description = "How brokers are chosen: spread (evenly and over racks, the default) or sequential (replica j"
                    + " of partition i on broker (i + j) mod n).")
    private NewTopic.@Nullable Placement placement;

    @Option(
            names = "--assignment",
            paramLabel = "B:B,B:B",
            converter = Assignment.Converter.class,
            description = "The brokers of each partition, the preferred leader first, such as 1:2,2:3,3:1.")
    private @Nullable Assignment assignment;

    @Option(
            names = "--config",
            paramLabel = "SETTING=N",
            description = "What the topic keeps differently from the brokers: retention.ms, retention.bytes; -1 for no"
                    + " limit. May be given several times.")
    private Map<String, String> config = new TreeMap<>();

    @Option(names = "--if-not-exists", description = "Do nothing if there is a topic of this name.")
    private boolean ifNotExists;

    @Option(names = "--json", description = "Print the new topic as JSON.")
    private boolean json;

    /**
     * Prepares the command.
     *
     * @param terminal where it writes
     */
    TopicCreateCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        NewTopic topic = topic();
        try (Client client = cluster.connect()) {
            Admin admin = client.admin();
            boolean isCreated = admin.createTopic(topic);
            TopicDescription made = admin.describeTopic(name);
            if (json) {
                TopicPrinter.json(terminal.out(), made);
            } else {
                terminal.out()
                        .println((isCreated ? "created" : "exists") + " topic=" + name + " partitions="
                                + made.partitions().size() + " replicationFactor="
                                + made.partitions().get(0).assignment().size());
            }
        }
        return 0;
    }

    private NewTopic topic() {
        NewTopic.Builder topic = NewTopic.builder(name);
        if (partitions != null) {
            topic.partitions(partitions);
        }
        if (replicationFactor != null) {
            topic.replicationFactor(replicationFactor);
        }
        if (minIsr != null) {
            topic.minIsr(minIsr);
        }
        if (placement != null) {
            topic.placement(placement);
        }
        if (assignment != null) {
            topic.assignment(assignment.brokers());
        }
        config.forEach(topic::setting);
        if (ifNotExists) {
            topic.ifNotExists();
        }
        return topic.build();
    }
}

package io.tidemark.tools;

import io.tidemark.client.Admin;
import io.tidemark.client.Client;
import io.tidemark.tools.system.Terminal;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tidemark topic create}. */
@Command(name = "create", description = "Creates a topic.")
final class TopicCreateCommand implements Callable<Integer> {
    private static final int REPLICATION_FACTOR = 3;

    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Parameters(paramLabel = "NAME", description = "The name of the topic.")
    private String name = "";

    @Option(
            names = "--partitions",
            paramLabel = "N",
            defaultValue = "3",
            description = "How many partitions (default: ${DEFAULT-VALUE}).")
    private int partitions;

    @Option(
            names = "--replication-factor",
            paramLabel = "N",
            description = "How many copies of each partition (default: 3, or 1 if the cluster has one broker).")
    private @Nullable Integer replicationFactor;

    @Option(
            names = "--min-isr",
            paramLabel = "N",
            description = "How many in-sync replicas acks ALL needs (default: that of the brokers).")
    private @Nullable Integer minIsr;

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
        try (Client client = cluster.connect()) {
            Admin admin = client.admin();
            int copies = replicationFactor != null ? replicationFactor : defaultReplicationFactor(admin);
            if (minIsr == null) {
                admin.createTopic(name, partitions, copies);
            } else {
                admin.createTopic(name, partitions, copies, minIsr);
            }
            if (json) {
                TopicPrinter.json(terminal.out(), admin.describeTopic(name));
            } else {
                terminal.out()
                        .println(
                                "created topic=" + name + " partitions=" + partitions + " replicationFactor=" + copies);
            }
        }
        return 0;
    }

    private static int defaultReplicationFactor(Admin admin) {
        return admin.describeCluster().brokers().size() == 1 ? 1 : REPLICATION_FACTOR;
    }
}

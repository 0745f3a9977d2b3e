package io.tidemark.tools;

import io.tidemark.client.Admin;
import io.tidemark.client.Client;
import io.tidemark.client.TopicDescription;
import io.tidemark.tools.system.Terminal;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tidemark topic add-partitions}. */
@Command(
        name = "add-partitions",
        description = "Gives a topic more partitions. Records stay where they are; keys are routed by the new number.")
final class TopicAddPartitionsCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Parameters(paramLabel = "NAME", description = "The name of the topic.")
    private String name = "";

    @Option(
            names = "--total",
            paramLabel = "N",
            required = true,
            description = "How many partitions the topic is to have; they cannot become fewer.")
    private int total;

    @Option(
            names = "--assignment",
            paramLabel = "B:B,B:B",
            converter = Assignment.Converter.class,
            description = "The brokers of each new partition, the preferred leader first, such as 1:2,2:3.")
    private @Nullable Assignment assignment;

    @Option(names = "--json", description = "Print the topic as JSON.")
    private boolean json;

    /**
     * Prepares the command.
     *
     * @param terminal where it writes
     */
    TopicAddPartitionsCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        try (Client client = cluster.connect()) {
            Admin admin = client.admin();
            admin.addPartitions(name, total, assignment == null ? List.of() : assignment.brokers());
            if (json) {
                TopicDescription topic = admin.describeTopic(name);
                TopicPrinter.json(terminal.out(), topic);
            } else {
                terminal.out().println("changed topic=" + name + " partitions=" + total);
            }
        }
        return 0;
    }
}

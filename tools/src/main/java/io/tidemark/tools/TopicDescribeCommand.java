package io.tidemark.tools;

import io.tidemark.client.Client;
import io.tidemark.client.TopicDescription;
import io.tidemark.tools.system.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tidemark topic describe}. */
@Command(name = "describe", description = "Shows leader, ISR and replicas of each partition of a topic.")
final class TopicDescribeCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Parameters(paramLabel = "NAME", description = "The name of the topic.")
    private String name = "";

    @Option(names = "--json", description = "Print a JSON object.")
    private boolean json;

    /**
     * Prepares the command.
     *
     * @param terminal where it writes
     */
    TopicDescribeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        try (Client client = cluster.connect()) {
            TopicDescription topic = client.admin().describeTopic(name);
            if (json) {
                TopicPrinter.json(terminal.out(), topic);
            } else {
                TopicPrinter.table(terminal.out(), topic);
            }
        }
        return 0;
    }
}

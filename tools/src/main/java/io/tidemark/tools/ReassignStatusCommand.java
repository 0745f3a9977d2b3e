package io.tidemark.tools;

import io.tidemark.client.Client;
import io.tidemark.client.TopicDescription;
import io.tidemark.tools.system.Terminal;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tidemark topic reassign status}. */
@Command(name = "status", description = "Shows the moves that are under way, and which target replicas are in sync.")
final class ReassignStatusCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Parameters(paramLabel = "TOPIC", arity = "0..*", description = "The topics; all if there is none.")
    private List<String> topics = List.of();

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    /**
     * Prepares the command.
     *
     * @param terminal where it writes
     */
    ReassignStatusCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        try (Client client = cluster.connect()) {
            List<TopicDescription> found = topics.isEmpty()
                    ? client.admin().describeTopics()
                    : topics.stream().map(client.admin()::describeTopic).toList();
            ReassignPrinter.status(terminal.out(), found, json);
        }
        return 0;
    }
}

package io.tidemark.tools;

import io.tidemark.client.Client;
import io.tidemark.tools.system.Terminal;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tidemark topic list}. */
@Command(name = "list", description = "Lists the names of all topics.")
final class TopicListCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Option(names = "--json", description = "Print a JSON array.")
    private boolean json;

    /**
     * Prepares the command.
     *
     * @param terminal where it writes
     */
    TopicListCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        try (Client client = cluster.connect()) {
            List<String> names = client.admin().listTopics();
            if (json) {
                TopicPrinter.json(terminal.out(), names);
            } else {
                names.forEach(terminal.out()::println);
            }
        }
        return 0;
    }
}

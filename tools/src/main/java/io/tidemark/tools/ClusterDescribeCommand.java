package io.tidemark.tools;

import io.tidemark.client.Admin;
import io.tidemark.client.Client;
import io.tidemark.tools.system.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tidemark cluster describe}. */
@Command(
        name = "describe",
        description = "Shows brokers and controller, and the partitions that need attention: offline, below their"
                + " minimum of in-sync replicas, under-replicated, or being reassigned.")
final class ClusterDescribeCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Option(names = "--json", description = "Print a JSON object.")
    private boolean json;

    /**
     * Prepares the command.
     *
     * @param terminal where it writes
     */
    ClusterDescribeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        try (Client client = cluster.connect()) {
            Admin admin = client.admin();
            ClusterReport report = ClusterReport.of(admin.describeCluster(), admin.describeTopics());
            if (json) {
                ClusterPrinter.json(terminal.out(), report);
            } else {
                ClusterPrinter.table(terminal.out(), report);
            }
        }
        return 0;
    }
}
